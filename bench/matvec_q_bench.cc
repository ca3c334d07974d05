// Rows times a quantized matrix on the CPU: bytes a second of weights for one to eight rows, against the read bandwidth
// of memory, and operations a second for many rows, against the int8 peak; all measured in this run.
//   matvec_q_bench [THREADS]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <random>
#include <thread>
#include <vector>

#include "machine_peaks.h"

#include "backends/cpu/matvec_q.h"
#include "base/thread_crew.h"

namespace {

using namespace bolide;
using backends::cpu::ActivationRows;
using backends::cpu::MatvecWorkspace;
using model::MatrixType;
using Clock = std::chrono::steady_clock;

struct Fixture {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<model::Matrix> matrices;
  u64 bytes() const { return codes.size() + scales.size(); }
};

// As many matrices as fill `bytes`, so that nothing of them stays in a cache.
Fixture make_fixture(MatrixType type, u32 rows, u32 k, u64 bytes) {
  const u64 blocks = u64{rows} * (k / 32);
  const u64 codes = blocks * (type == MatrixType::kQ8_0 ? 32 : 16);
  const u64 scales = type == MatrixType::kMxfp4 ? blocks : type == MatrixType::kQ8_0 ? blocks * 2 : blocks * 5 / 2;
  const u64 n = std::max<u64>(1, bytes / (codes + scales));
  Fixture fixture;
  fixture.codes.resize(n * codes, std::byte{0x51});
  fixture.scales.resize(n * scales, type == MatrixType::kMxfp4 ? std::byte{120} : std::byte{0x2c});
  for (u64 i = 0; i < n; ++i) {
    fixture.matrices.push_back({type, rows, k, Bytes(fixture.codes).subspan(i * codes, codes),
                                Bytes(fixture.scales).subspan(i * scales, scales)});
  }
  return fixture;
}

// Seconds for all matrices of the fixture with n rows, best of five; every thread takes its part of each matrix's
// tiles.
double seconds_of(const Fixture& fixture, u32 n, ThreadCrew& crew, backends::cpu::InstructionSet set) {
  const u32 k = fixture.matrices.front().k;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(u64{n} * k);
  for (float& value : x) value = normal(random);
  ActivationRows rows;
  rows.quantize(x, k, fixture.matrices.front().type, set);
  std::vector<float> y(u64{n} * fixture.matrices.front().rows);
  std::vector<MatvecWorkspace> workspaces(crew.size());
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Clock::time_point start = Clock::now();
    for (const model::Matrix& w : fixture.matrices) {
      crew.run([&](u32 thread) {
        const auto [first, end] = thread_share(backends::cpu::tile_count(w), thread, crew.size());
        backends::cpu::matvec_q(set)(w, {static_cast<u32>(first), static_cast<u32>(end)}, rows, workspaces[thread],
                                     y.data(), w.rows);
      });
    }
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const u32 threads =
      argc > 1 ? static_cast<u32>(std::strtoul(argv[1], nullptr, 10)) : std::thread::hardware_concurrency();
  ThreadCrew crew(threads);
  ThreadCrew alone(1);
  const double bandwidth = bench::read_bandwidth(threads);
  const double int8 = bench::int8_peak();
  fmt::print("{} threads; reads {:.1f} GB/s together; one thread: {:.0f} GOPS int8, {:.0f} GFLOPS\n", threads,
             bandwidth * 1e-9, int8 * 1e-9, bench::float_peak() * 1e-9);
  struct Shape {
    const char* name;
    MatrixType type;
    u32 rows, k;
  };
  const Shape shapes[] = {{"q8_0 wo_b", MatrixType::kQ8_0, 5120, 8192},
                          {"q8_0 wq_b", MatrixType::kQ8_0, 32768, 1280},
                          {"mxfp4 gate", MatrixType::kMxfp4, 2304, 5120},
                          {"mxfp4 down", MatrixType::kMxfp4, 5120, 2304},
                          {"q4_k gate", MatrixType::kQ4K, 2304, 5120}};
  for (const auto set : backends::cpu::present_instruction_sets()) {
    if (set == backends::cpu::InstructionSet::kScalar) continue;
    fmt::print("\n{:8} {:12} {:>6} {:>8} {:>12} {:>14}\n", name(set), "matrix", "rows", "GB/s", "of reading",
               "times 1 row");
    for (const Shape& shape : shapes) {
      const Fixture fixture = make_fixture(shape.type, shape.rows, shape.k, u64{1} << 30);
      const double one = seconds_of(fixture, 1, crew, set);
      for (const u32 n : {1u, 2u, 4u, 6u, 8u}) {
        const double seconds = n == 1 ? one : seconds_of(fixture, n, crew, set);
        const double rate = static_cast<double>(fixture.bytes()) / seconds;
        fmt::print("{:8} {:12} {:6} {:8.1f} {:11.0f} % {:14.2f}\n", "", shape.name, n, rate * 1e-9,
                   100 * rate / bandwidth, seconds / one);
      }
      const Fixture small = make_fixture(shape.type, shape.rows, shape.k, u64{64} << 20);
      const double many = seconds_of(small, 512, alone, set);
      const double operations = 2.0 * 512 * shape.rows * shape.k * static_cast<double>(small.matrices.size()) / many;
      fmt::print("{:8} {:12} {:6} {:8.0f} GOPS on one thread: {:.0f} % of the int8 peak\n", "", shape.name, 512,
                 operations * 1e-9, 100 * operations / int8);
    }
  }
  return 0;
}
