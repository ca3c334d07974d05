// The measure of the benchmarks.
#pragma once
#include <algorithm>
#include <ctime>
#include <limits>

namespace bolide::bench {

// The shortest of several runs, in seconds of processor time: other programs on the machine matter less.
template <class Work>
double best_seconds(Work&& work) {
  constexpr int kRuns = 7;
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

}  // namespace bolide::bench
