// Tokens per second of the A1 oracle on one core: prefill in chunks, then greedy decode.
//   oracle_bench [MODEL [PROMPT_TOKENS [NEW_TOKENS]]]
// Processor time of the thread is the figure to trust on a busy machine; wall time is what a user sees.
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <string>

#include "engine/timeline.h"
#include "model/selection.h"

namespace {

using namespace bolide;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Stopwatch {
  double cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
  double wall = seconds(CLOCK_MONOTONIC);

  void report(const char* what, std::size_t tokens) const {
    const double cpu_seconds = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    const double wall_seconds = seconds(CLOCK_MONOTONIC) - wall;
    const double n = static_cast<double>(tokens);
    fmt::print("{:8} {:5} tokens  {:7.1f} tokens/s of processor time  {:7.1f} tokens/s of wall time\n", what, tokens,
               n / cpu_seconds, n / wall_seconds);
  }
};

int fail(const Error& error) {
  fmt::print(stderr, "oracle_bench: {}\n", error.message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "models/nano";
  const std::size_t prompt_tokens = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 300;
  const std::size_t new_tokens = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 300;
  Result<std::unique_ptr<engine::OpenModel>> open = engine::open_model(path, engine::ArithmeticKind::kA1);
  if (!open) return fail(open.error());
  engine::Timeline timeline(**open);
  std::vector<float> logits((*open)->model.config.vocab_size);
  std::vector<u32> prompt;
  for (u32 i = 0; i < prompt_tokens; ++i) prompt.push_back(i * 7919 % ((*open)->model.config.vocab_size / 2));

  const Stopwatch prefill;
  for (std::size_t done = 0; done < prompt.size(); done += 64) {
    const std::size_t n = std::min<std::size_t>(64, prompt.size() - done);
    if (Status status = timeline.feed(std::span<const u32>(prompt).subspan(done, n), logits); !status)
      return fail(status.error());
  }
  prefill.report("prefill", prompt.size());

  const Stopwatch decode;
  for (std::size_t i = 0; i < new_tokens; ++i) {
    const u32 next = model::argmax(logits);
    if (Status status = timeline.feed(std::span(&next, 1), logits); !status) return fail(status.error());
  }
  decode.report("decode", new_tokens);
  return 0;
}
