// What a step does with single vectors of the big model (dim 5,120) on one thread of the CPU: microseconds of each
// operation, fastest of many, vectors in the cache.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <random>
#include <vector>

#include "backends/cpu/activation_rows.h"
#include "backends/cpu/vector_ops.h"

namespace {

using namespace bolide;
using namespace bolide::backends::cpu;
using Clock = std::chrono::steady_clock;

constexpr u32 kDim = 5120;

std::vector<float> normal_values(u64 n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

template <class Work>
void measure(const char* name, Work work) {
  double best = 1e9;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const Clock::time_point start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  fmt::print("  {:<28} {:8.2f}\n", name, best);
}

void measure_all(InstructionSet set) {
  const VectorLoops& loops = vector_loops(set);
  const std::vector<float> x = normal_values(kDim);
  const std::vector<float> w = normal_values(kDim);
  std::vector<float> h = normal_values(u64{4} * kDim);
  std::vector<float> y(kDim);
  const std::vector<float> coefficients(24, 0.25f);
  const std::span<const float, 24> products(coefficients);
  const std::vector<float> scales(3, 1.0f);
  ActivationRows rows;
  std::array<std::byte, model::kWindowRowBytes> window;
  std::array<std::byte, model::kCompressedRowBytes> compressed;
  const std::span<const float, model::kHeadDim> head(x.data(), model::kHeadDim);
  fmt::print("{}\n", name(set));
  measure("norm", [&] { norm(loops, x, w, 1e-6f, y); });
  measure("quantize, Q8_0", [&] { rows.quantize(x, kDim, model::MatrixType::kQ8_0, set); });
  measure("quantize, MXFP4", [&] { rows.quantize(x, kDim, model::MatrixType::kMxfp4, set); });
  measure("inverse_rms of the streams", [&] { y[0] = inverse_rms(loops, h, 1e-6f); });
  measure("sinkhorn", [&] { y[0] = sinkhorn(products, scales, coefficients, 20, 1e-6f).carry[0]; });
  measure("collapse", [&] { loops.collapse(h.data(), coefficients.data(), y.data(), kDim); });
  measure("expand", [&] { loops.expand(h.data(), coefficients.data(), coefficients.data(), x.data(), kDim); });
  measure("swiglu of 2,304", [&] { loops.swiglu(x.data(), w.data(), 1.0f, 10.0f, y.data(), 2304); });
  measure("engram gate", [&] { engram_gate(loops, std::span(h).first(kDim), x, w, w, w, 1e-6f); });
  measure("window row", [&] { encode_window_row(loops, head, window); });
  measure("compressed row", [&] { encode_compressed_row(loops, head, compressed); });
}

}  // namespace

int main() {
  for (const auto set : present_instruction_sets()) measure_all(set);
  return 0;
}
