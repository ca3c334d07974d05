// Index scores of one position of the big model (32 heads) against a million keys on one thread of the CPU, against
// 2,048 candidate blocks of 8 rows spread over them, and the selections among both.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <random>
#include <vector>

#include "machine_peaks.h"

#include "backends/cpu/index_score.h"

namespace {

using namespace bolide;
using namespace bolide::backends::cpu;
using Clock = std::chrono::steady_clock;

// Milliseconds of the fastest of five calls.
template <class Work>
double milliseconds_of(Work work) {
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Clock::time_point start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main() {
  constexpr u32 kRows = 1u << 20;
  constexpr u32 kPageRows = 1024;
  constexpr u32 kBlocks = 2048;
  constexpr u32 kHeads = 32;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::byte> codes(model::index_code_bytes(kRows));
  std::vector<std::byte> scales(model::index_scale_bytes(kRows), std::byte{127});
  for (u64 i = 0; i + 4 <= codes.size(); i += 4) store(&codes[i], static_cast<u32>(random()));
  std::vector<model::IndexPage> pages(kRows / kPageRows);
  for (u32 page = 0; page < pages.size(); ++page) {
    pages[page] = {&codes[page * model::index_code_bytes(kPageRows)],
                   &scales[page * model::index_scale_bytes(kPageRows)]};
  }
  std::vector<float> q(kHeads * model::kIndexHeadDim);
  for (float& value : q) value = normal(random);
  std::vector<float> weights(kHeads, 0.015625f);
  IndexQuery query;
  query.quantize(q, weights);
  std::vector<u32> blocks(kBlocks);
  for (u32 i = 0; i < kBlocks; ++i) blocks[i] = i * (kRows / 8 / kBlocks);

  const double peak = bench::int8_peak();
  std::vector<u16> ranks(kRows);
  std::vector<u16> some(kBlocks * 8);
  std::vector<u16> block_ranks;
  std::vector<u32> selected;
  std::vector<u32> chosen_blocks;
  const IndexKeys keys = {pages, kPageRows};
  const double quantize = milliseconds_of([&] { query.quantize(q, weights); });
  fmt::print("one thread, milliseconds; quantizing the query {:.3f}\n{:8} {:>10} {:>18}\n", quantize, "", "all rows",
             "candidate blocks");
  for (const auto set : present_instruction_sets()) {
    const IndexScore kernels = index_score(set);
    const double all = milliseconds_of([&] { kernels.rows(query, keys, {0, kRows}, ranks.data()); });
    const double candidates = milliseconds_of([&] { kernels.blocks(query, keys, blocks, 8, kRows, some.data()); });
    const double operations = 2.0 * kHeads * model::kIndexHeadDim * kRows / all * 1e3;
    fmt::print("{:8} {:10.2f} {:18.2f}   {:.0f} GOPS, {:.0f} % of the int8 peak\n", name(set), all, candidates,
               operations * 1e-9, 100 * operations / peak);
  }
  fmt::print("selection: 512 of all {:.2f}, blocks {:.2f}, 512 of candidates {:.3f}\n",
             milliseconds_of([&] { select_best(ranks, 512, selected); }),
             milliseconds_of([&] { select_blocks(ranks, 8, kBlocks, block_ranks, chosen_blocks); }),
             milliseconds_of([&] { select_best(some, 512, selected); }));
  return 0;
}
