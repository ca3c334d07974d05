// The reference's arithmetic, REF, and plain, which is REF without activation quantization (spec model.md 3; design:
// arithmetic.md). Slow and readable: it checks that the model was understood, nothing that serves users computes it.
// One file of this folder per mechanism.
//
// Where REF leaves an order of summation open, sums take the order of reference/dot.h; no sum depends on how many rows
// are computed together. Elementary functions are the C library's, so the last bits are this machine's own.
#pragma once
#include "model/arithmetic.h"

namespace bolide::model {

enum class ReferenceMode : u8 {
  kRef,    // activations enter FP8 and FP4 matrices as FP8 (Q8)
  kPlain,  // activations enter them as they are
};

// Immutable; any thread may call it.
class ReferenceArithmetic : public Arithmetic {
 public:
  ReferenceArithmetic(const Config& config, ReferenceMode mode);

  void linear(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const override;
  void output_group(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const override;
  void logits(const Matrix& w, std::span<const float> x, std::span<float> y) const override;
  void float_linear(const FloatMatrix& w, std::span<const float> x, std::span<float> y) const override;
  void norm(std::span<const float> x, std::span<const float> w, std::span<float> y) const override;
  Mix mix(std::span<const float> h, const MixWeights& weights) const override;
  void engram_gate(std::span<float> h, std::span<const float> key, std::span<const float> value,
                   std::span<const float> q_weight, std::span<const float> k_weight) const override;
  RopeRow rope_row(RopeKind kind, u64 position) const override;
  void pool_pair(std::span<const float> even_key, std::span<const float> even_gate, std::span<const float> odd_key,
                 std::span<const float> odd_gate, std::span<float> latent) const override;
  void attend(std::span<const float> q, std::span<const float> entries, std::span<const float> sink, float scale,
              std::span<float> o) const override;
  std::vector<RoutedExpert> route(std::span<const float> logits, std::span<const float> bias,
                                  u32 n_used) const override;
  void swiglu(std::span<const float> gate, std::span<const float> up, float weight, std::span<float> y) const override;

 private:
  ReferenceMode mode_;
  float norm_eps_;
  float mix_eps_;
  u32 sinkhorn_iterations_;
  float route_scale_;
  float swiglu_limit_;
  std::array<float, 32> plain_frequencies_;
  std::array<float, 32> compressed_frequencies_;
};

}  // namespace bolide::model
