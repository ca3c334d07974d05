#include "machine_peaks.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bolide::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Keeps a result alive that nobody reads.
void keep(const void* value) {
  asm volatile("" : : "r"(value) : "memory");
}

u64 sum_words(const u64* words, u64 n) {
  u64 sums[32] = {};
  for (u64 i = 0; i < n; i += 32) {
    for (u32 j = 0; j < 32; ++j) sums[j] += words[i + j];
  }
  u64 total = 0;
  for (const u64 sum : sums) total += sum;
  return total;
}

template <class Loop>
double best_rate(double operations, Loop loop) {
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point start = Clock::now();
    loop();
    best = std::max(best, operations / seconds_since(start));
  }
  return best;
}

constexpr u64 kLoops = 20'000'000;

}  // namespace

double read_bandwidth(u32 threads) {
  constexpr u64 kWords = u64{1} << 27;  // 1 GiB
  std::vector<u64> words(kWords, 1);
  const auto pass = [&] {
    std::vector<std::thread> crew;
    const u64 part = kWords / threads / 32 * 32;
    for (u32 t = 0; t < threads; ++t) {
      crew.emplace_back([&, t] {
        const u64 sum = sum_words(words.data() + t * part, part);
        keep(&sum);
      });
    }
    for (std::thread& thread : crew) thread.join();
  };
  return best_rate(static_cast<double>(kWords / threads / 32 * 32 * threads) * 8, pass);
}

#if defined(__x86_64__)
namespace {

__attribute__((target("avx512f,avx512bw,avx512vnni"))) void int8_loop_avx512() {
  const __m512i a = _mm512_set1_epi8(3);
  __m512i b = _mm512_set1_epi8(5);
  __m512i s[12];
  for (auto& x : s) x = _mm512_setzero_si512();
  for (u64 i = 0; i < kLoops; ++i) {
    asm volatile("" : "+v"(b));
    for (auto& x : s) x = _mm512_dpbusd_epi32(x, a, b);
  }
  keep(s);
}
__attribute__((target("avx512f"))) void float_loop_avx512() {
  const __m512 a = _mm512_set1_ps(0.5f);
  __m512 b = _mm512_set1_ps(0.25f);
  __m512 s[12];
  for (auto& x : s) x = _mm512_setzero_ps();
  for (u64 i = 0; i < kLoops; ++i) {
    asm volatile("" : "+v"(b));
    for (auto& x : s) x = _mm512_fmadd_ps(a, b, x);
  }
  keep(s);
}
__attribute__((target("avx2"))) void int8_loop_avx2() {
  const __m256i a = _mm256_set1_epi8(3);
  __m256i b = _mm256_set1_epi8(5);
  __m256i s[12];
  for (auto& x : s) x = _mm256_setzero_si256();
  for (u64 i = 0; i < kLoops; ++i) {
    asm volatile("" : "+x"(b));
    for (auto& x : s) x = _mm256_add_epi16(x, _mm256_maddubs_epi16(a, b));
  }
  keep(s);
}
__attribute__((target("avx2,fma"))) void float_loop_avx2() {
  const __m256 a = _mm256_set1_ps(0.5f);
  __m256 b = _mm256_set1_ps(0.25f);
  __m256 s[12];
  for (auto& x : s) x = _mm256_setzero_ps();
  for (u64 i = 0; i < kLoops; ++i) {
    asm volatile("" : "+x"(b));
    for (auto& x : s) x = _mm256_fmadd_ps(a, b, x);
  }
  keep(s);
}

}  // namespace

double int8_peak() {
  constexpr double kDots = static_cast<double>(kLoops) * 12;
  if (__builtin_cpu_supports("avx512vnni")) return best_rate(kDots * 128, int8_loop_avx512);
  return best_rate(kDots * 64, int8_loop_avx2);
}
double float_peak() {
  constexpr double kFmas = static_cast<double>(kLoops) * 12;
  if (__builtin_cpu_supports("avx512f")) return best_rate(kFmas * 32, float_loop_avx512);
  return best_rate(kFmas * 16, float_loop_avx2);
}
#endif

}  // namespace bolide::bench
