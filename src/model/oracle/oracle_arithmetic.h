// A1, the engine's arithmetic: its scalar definition (design: arithmetic.md). Everything that serves users computes
// these bits. Weights are those of a packed file.
#pragma once
#include <array>

#include "model/arithmetic.h"
#include "model/config.h"

namespace bolide::model {

class OracleArithmetic : public Arithmetic {
 public:
  explicit OracleArithmetic(const Config& config);

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
  float norm_eps_;
  float route_scale_;
  float swiglu_limit_;
  u32 sinkhorn_iterations_;
  float mix_eps_;
  std::array<std::array<float, 32>, 2> frequencies_;  // by RopeKind
};

}  // namespace bolide::model
