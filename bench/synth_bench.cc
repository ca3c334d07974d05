// How fast synthetic models are made: the numbers alone, beside writing memory and beside bare random numbers, in one
// run, and then whole models in memory (docs/decisions/0014-synthetic-models.md).
//
//   synth_bench [MEGABYTES [THREADS]]   default: 1024 for each figure, all threads of the machine
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <thread>
#include <vector>

#include "convert/parallel.h"
#include "convert/synth.h"
#include "convert/synth_numbers.h"
#include "convert/synth_rules.h"

namespace bolide {
namespace {

constexpr u64 kPiece = 64 * 1024;
constexpr u64 kTaskBytes = 4 << 20;
constexpr int kRounds = 5;

struct Setup {
  std::vector<std::byte> memory;  // written to beforehand, so that no page is new
  u32 n_threads;
};

// GB for each second of processor time (all threads together), which other programs on the machine disturb less than
// they disturb wall time.
class ProcessorRate {
 public:
  double gigabytes_per_second(u64 bytes) const {
    return static_cast<double>(bytes) * 1e-9 / (static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC);
  }

 private:
  std::clock_t start_ = std::clock();
};

// The best rate of some rounds of filling the memory piece by piece on all threads.
double rate(Setup& setup, const std::function<void(u64 offset, std::span<std::byte> piece)>& fill) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const ProcessorRate timer;
    const Status done = convert::run_tasks(setup.memory.size() / kTaskBytes, setup.n_threads, [&](u64 task) -> Status {
      for (u64 at = task * kTaskBytes; at < (task + 1) * kTaskBytes; at += kPiece) {
        fill(at, std::span(setup.memory).subspan(at, kPiece));
      }
      return {};
    });
    check(done.ok(), "filling memory cannot fail");
    best = std::max(best, timer.gigabytes_per_second(setup.memory.size()));
  }
  return best;
}

// A plane of one rule that goes on for ever.
convert::NumberPlane plane_of(const convert::NumberPlane& pattern, u64 bytes) {
  convert::NumberPlane plane = pattern;
  plane.runs.resize(1);
  plane.runs[0].bytes = bytes;
  return plane;
}

// Returns the bound: the smaller of writing memory and bare random numbers.
double report_numbers(Setup& setup, const convert::SynthPlan& plan) {
  const u64 bytes = setup.memory.size();
  const double writing = rate(setup, [](u64 at, std::span<std::byte> piece) {
    std::memset(piece.data(), static_cast<int>(at >> 16), piece.size());
  });
  const double random =
      rate(setup, [](u64 at, std::span<std::byte> piece) { convert::fill_random(1, 2, at / 16, piece); });
  const double bound = std::min(writing, random);
  fmt::print("writing memory              {:6.2f} GB/s\n", writing);
  fmt::print("bare random numbers         {:6.2f} GB/s\n", random);
  for (const std::string name : {"layers.0.ffn.experts.w1", "layers.0.attn.wq_a.weight",
                                 "layers.2.attn.compressor.wkv.weight", "layers.0.hc_attn_fn"}) {
    const auto spec = std::ranges::find(plan.tensors, name, &model::TensorSpec::name);
    const convert::TensorPlanes planes = convert::packed_planes(*spec, 0);
    const auto one = [&](const convert::NumberPlane& pattern, std::string_view what) {
      const convert::NumberPlane plane = plane_of(pattern, bytes);
      const double made =
          rate(setup, [&](u64 at, std::span<std::byte> piece) { convert::fill_numbers(1, plane, at, piece); });
      fmt::print("{:18} {:6}   {:6.2f} GB/s, {:3.0f} % of the smaller\n", formats::name(spec->packed.type), what, made,
                 100 * made / bound);
    };
    one(planes.codes, "codes");
    if (planes.scales) one(*planes.scales, "scales");
  }
  return bound;
}

void report_model(const convert::SynthPlan& plan, u32 n_threads, formats::ContentHashes hashes, double bound) {
  double best = 0;
  double best_wall = 0;
  double gigabytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const ProcessorRate timer;
    const auto file = convert::synth_to_memory(plan, {.n_threads = n_threads}, hashes);
    check(file.ok(), "the machine has memory for the model");
    best = std::max(best, timer.gigabytes_per_second(file->bytes().size()));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    gigabytes = static_cast<double>(file->bytes().size()) * 1e-9;
    best_wall = std::max(best_wall, gigabytes / seconds.count());
  }
  fmt::print(
      "whole model of {:.2f} GB in new memory, {} hashes: {:.2f} GB/s, {:.0f} % of the smaller (wall: {:.2f} GB/s)\n",
      gigabytes, hashes == formats::ContentHashes::kMade ? "with" : "without", best, 100 * best / bound, best_wall);
}

}  // namespace
}  // namespace bolide

int main(int argc, char** argv) {
  using namespace bolide;
  const u64 megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1024;
  const u32 n_threads =
      argc > 2 ? static_cast<u32>(std::atoi(argv[2])) : std::max(1U, std::thread::hardware_concurrency());
  Setup setup{std::vector<std::byte>(std::max<u64>(megabytes / 4, 1) * kTaskBytes, std::byte{1}), n_threads};
  const Result<convert::SynthPlan> plan = convert::plan_synth({.shape = "ci"});
  check(plan.ok(), "shape ci is there");
  fmt::print("{} threads, {} MB; per second of processor time, best of {} rounds\n", n_threads,
             setup.memory.size() >> 20, kRounds);
  const double bound = report_numbers(setup, *plan);
  setup.memory = {};
  report_model(*plan, n_threads, formats::ContentHashes::kLeftOut, bound);
  report_model(*plan, n_threads, formats::ContentHashes::kMade, bound);
}
