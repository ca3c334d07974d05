// Rows times a matrix of float weights on one thread of the CPU: bytes a second of weights for one to eight rows,
// against the read bandwidth of memory, and operations a second for many rows, against the float peak; all measured in
// this run.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <random>
#include <vector>

#include "machine_peaks.h"

#include "backends/cpu/matvec_f.h"

namespace {

using namespace bolide;
using backends::cpu::FloatPanels;
using Clock = std::chrono::steady_clock;

std::vector<float> normal_values(u64 n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

// As many matrices as fill `bytes`, so that nothing of them stays in a cache.
std::vector<FloatPanels> make_matrices(u32 rows, u32 k, bool bf16, u64 bytes) {
  model::FloatMatrix matrix{rows, k, normal_values(u64{rows} * k)};
  if (bf16) std::fill(matrix.values.begin(), matrix.values.end(), 0.5f);
  const FloatPanels panels(matrix);
  return std::vector<FloatPanels>(std::max<u64>(1, bytes / panels.bytes()), panels);
}

// Best of five.
double seconds_of(const std::vector<FloatPanels>& matrices, u32 n, backends::cpu::InstructionSet set) {
  const FloatPanels& first = matrices.front();
  const std::vector<float> x = normal_values(u64{n} * first.k());
  std::vector<float> y(u64{n} * first.rows());
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Clock::time_point start = Clock::now();
    for (const FloatPanels& w : matrices) matvec_f(set).panels(w, {0, w.panels()}, x, y.data(), w.rows());
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main() {
  const double bandwidth = bench::read_bandwidth(1);
  const double peak = bench::float_peak();
  fmt::print("one thread: reads {:.1f} GB/s, {:.0f} GFLOPS\n", bandwidth * 1e-9, peak * 1e-9);
  struct Shape {
    const char* name;
    u32 rows, k;
    bool bf16;
  };
  const Shape shapes[] = {
      {"compressor", 512, 5120, true}, {"index weights", 32, 5120, true}, {"mHC", 24, 20480, false}};
  for (const auto set : backends::cpu::present_instruction_sets()) {
    fmt::print("\n{:8} {:14} {:>6} {:>8} {:>12}\n", name(set), "matrix", "rows", "GB/s", "of reading");
    for (const Shape& shape : shapes) {
      const auto matrices = make_matrices(shape.rows, shape.k, shape.bf16, u64{256} << 20);
      for (const u32 n : {1u, 2u, 6u, 8u}) {
        const double rate =
            static_cast<double>(matrices.size() * matrices.front().bytes()) / seconds_of(matrices, n, set);
        fmt::print("{:8} {:14} {:6} {:8.1f} {:11.0f} %\n", "", shape.name, n, rate * 1e-9, 100 * rate / bandwidth);
      }
      const auto few = make_matrices(shape.rows, shape.k, shape.bf16, u64{8} << 20);
      const double operations = 2.0 * 512 * shape.rows * shape.k * static_cast<double>(few.size());
      const double rate = operations / seconds_of(few, 512, set);
      fmt::print("{:8} {:14} {:6} {:8.0f} GFLOPS: {:.0f} % of the float peak\n", "", shape.name, 512, rate * 1e-9,
                 100 * rate / peak);
    }
  }
  return 0;
}
