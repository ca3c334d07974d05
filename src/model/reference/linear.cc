// Matrix times vector (spec model.md 3.0: GEMM8, GEMM4, linears with BF16 and F32 weights).
#include "arith/bf16.h"
#include "model/reference/activations.h"
#include "model/reference/dot.h"
#include "model/reference/matrix_rows.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {
namespace {

// acc += (sum of 32 code products) * sx * sw, group after group.
float quantized_dot(const Activations& x, const Matrix& w, u32 row, std::span<const float> row_codes) {
  float acc = 0;
  for (u32 group = 0; group < x.scales.size(); ++group) {
    const std::size_t begin = std::size_t{group} * kActivationGroup;
    const float partial =
        dot(std::span(x.codes).subspan(begin, kActivationGroup), row_codes.subspan(begin, kActivationGroup));
    acc += partial * x.scales[group] * scale_of(w, row, group);
  }
  return acc;
}

void rows_of_quantized(const Matrix& w, u32 first_row, const Activations& x, std::span<float> y) {
  std::vector<float> codes(w.k);
  for (u32 i = 0; i < y.size(); ++i) {
    decode_codes(w, first_row + i, codes);
    y[i] = arith::bf16_nearest(quantized_dot(x, w, first_row + i, codes));
  }
}

}  // namespace

void ReferenceArithmetic::linear(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const {
  rows_of_quantized(w, first_row, mode_ == ReferenceMode::kRef ? quantize_activations_ref(x) : keep_activations(x), y);
}

// REF turns wo_a into BF16 when it loads it, which is exact (spec 3.8 step 2); nothing is quantized here.
void ReferenceArithmetic::output_group(const Matrix& w, u32 first_row, std::span<const float> x,
                                       std::span<float> y) const {
  rows_of_quantized(w, first_row, keep_activations(x), y);
}

void ReferenceArithmetic::logits(const Matrix& w, std::span<const float> x, std::span<float> y) const {
  std::vector<float> row(w.k);
  for (u32 i = 0; i < y.size(); ++i) {
    decode_codes(w, i, row);
    y[i] = dot(row, x);
  }
}

void ReferenceArithmetic::float_linear(const FloatMatrix& w, std::span<const float> x, std::span<float> y) const {
  for (u32 i = 0; i < w.rows; ++i) y[i] = dot(w.row(i), x);
}

}  // namespace bolide::model
