// Sparse attention of one row of the big model (64 heads, 128 window rows and 512 compressed rows) on one thread of the
// CPU: microseconds of each phase, and operations a second against the float peak measured in this run.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <random>
#include <vector>

#include "machine_peaks.h"

#include "backends/cpu/attention.h"

namespace {

using namespace bolide;
using backends::cpu::AttentionRow;
using Clock = std::chrono::steady_clock;

// Seconds of the fastest of many calls.
template <class Phase>
double seconds_of(Phase phase) {
  double best = 1e9;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Clock::time_point start = Clock::now();
    phase();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main() {
  constexpr u32 kHeads = 64;
  constexpr u32 kWindow = 128;
  constexpr u32 kCompressed = 512;
  const double peak = bench::float_peak();
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> q(u64{kHeads} * model::kHeadDim);
  for (float& value : q) value = normal(random);
  const std::vector<float> sink(kHeads, 0.0f);
  std::vector<std::byte> window(u64{kWindow} * model::kWindowRowBytes, std::byte{0x38});
  std::vector<std::byte> compressed(u64{kCompressed} * model::kCompressedRowBytes, std::byte{0x31});
  std::vector<const std::byte*> window_rows(kWindow);
  std::vector<const std::byte*> compressed_rows(kCompressed);
  for (u32 i = 0; i < kWindow; ++i) window_rows[i] = &window[u64{i} * model::kWindowRowBytes];
  for (u32 i = 0; i < kCompressed; ++i) compressed_rows[i] = &compressed[u64{i} * model::kCompressedRowBytes];
  // Each half of the products: scores and values.
  const double half = 2.0 * kHeads * (kWindow + kCompressed) * model::kHeadDim;

  fmt::print("one thread: {:.0f} GFLOPS\n{:8} {:>8} {:>8} {:>8} {:>8} {:>8}   microseconds\n", peak * 1e-9, "", "begin",
             "decode", "score", "weigh", "values");
  for (const auto set : backends::cpu::present_instruction_sets()) {
    const backends::cpu::Attention kernels = backends::cpu::attention(set);
    AttentionRow row;
    std::vector<float> o(q.size());
    const double begin = seconds_of([&] { row.begin({window_rows, compressed_rows}, q, sink, 0.04f); });
    const double decode = seconds_of([&] { kernels.decode(row, {0, row.entry_chunks()}); });
    const double score = seconds_of([&] { kernels.score(row, {0, row.entry_chunks()}); });
    kernels.weigh(row, {0, row.head_chunks()});
    // Again over its own results: as much work.
    const double weigh = seconds_of([&] { kernels.weigh(row, {0, row.head_chunks()}); });
    const double values = seconds_of([&] { kernels.add_values(row, {0, AttentionRow::column_chunks()}, o.data()); });
    fmt::print(
        "{:8} {:8.1f} {:8.1f} {:8.1f} {:8.1f} {:8.1f}   score {:.0f} %, values {:.0f} %, all {:.0f} % of the peak\n",
        name(set), begin * 1e6, decode * 1e6, score * 1e6, weigh * 1e6, values * 1e6, 100 * half / score / peak,
        100 * half / values / peak, 200 * half / (begin + decode + score + weigh + values) / peak);
  }
  return 0;
}
