// What constrained output costs a token: masks of tool calls with 60 tools and of a document, over a vocabulary of
// 129,280 tokens or a tokenizer's own.
//   constrain_bench TOKENIZER_JSON [TOOLS_JSON]
// TOOLS_JSON is an array of function objects. Answers are drawn at random from what the masks allow.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <sstream>

#include "text/constrain/output_constraint.h"

namespace {

using namespace bolide;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::string read_file(const char* path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// 60 tools of the kinds that agents send.
std::vector<text::Json> sixty_tools() {
  std::vector<text::Json> tools;
  for (int i = 0; i < 60; ++i) {
    const std::string tool = fmt::format(
        R"({{"name": "tool_{}", "parameters": {{"type": "object", "properties": {{"path": {{"type": "string"}},
        "mode": {{"type": "string", "enum": ["read", "write", "m{}"]}}, "limit": {{"type": "integer", "minimum": 1, "maximum": 2000}},
        "edits": {{"type": "array", "items": {{"type": "object", "properties": {{"old": {{"type": "string"}}, "new": {{"type": "string", "maxLength": 65536}},
        "flags": {{"type": "array", "items": {{"type": "string"}}}}}}, "required": ["old", "new"]}}}}}}, "required": ["path"]}}}})",
        i, i);
    tools.push_back(text::parse_json_text(tool, "tool").value());
  }
  return tools;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: constrain_bench TOKENIZER_JSON [TOOLS_JSON]\n");
    return 2;
  }
  const Result<text::Tokenizer> tokenizer = text::Tokenizer::from_file(argv[1]);
  if (!tokenizer) {
    fmt::print(stderr, "constrain_bench: {}\n", tokenizer.error().message);
    return 1;
  }
  const Clock::time_point tree_start = Clock::now();
  const auto vocabulary = std::make_shared<const text::Vocabulary>(*tokenizer);
  fmt::print("{} tokens; their tree, once per model: {:.0f} ms\n", vocabulary->size(),
             microseconds_since(tree_start) / 1e3);

  // The V3 tokenizer of npm has no ｜DSML｜; without it calls cannot be drawn.
  const std::optional<text::TokenIds> tokens = text::constraint_tokens(*tokenizer);
  if (!tokens || !tokens->dsml) {
    fmt::print(stderr, "constrain_bench: this tokenizer has no tool-call tokens\n");
    return 1;
  }
  text::OutputFormat format;
  format.tools = argc > 2 ? text::parse_json_text(read_file(argv[2]), argv[2]).value().items : sixty_tools();
  format.calls = text::CallChoice::kRequired;
  const Clock::time_point compile_start = Clock::now();
  const text::CompiledConstraint compiled = text::constrain_output(format, false, *tokens, vocabulary).value();
  fmt::print("{} tools compiled: {:.1f} ms\n", format.tools.size(), microseconds_since(compile_start) / 1e3);

  std::vector<double> times;
  std::mt19937 random(1);
  for (int answer = 0; answer < 20; ++answer) {
    const std::unique_ptr<text::TokenConstraint> constraint = compiled.constraint->clone();
    for (int n = 0; n < 300; ++n) {
      std::vector<u64> allowed((vocabulary->size() + 63) / 64, ~u64{0});
      const Clock::time_point start = Clock::now();
      constraint->exclude(allowed);
      times.push_back(microseconds_since(start));
      std::vector<u32> ids;
      for (u32 id = 0; id < vocabulary->size(); ++id) {
        if ((allowed[id / 64] >> (id % 64) & 1) != 0) ids.push_back(id);
      }
      const u32 id = ids[random() % ids.size()];
      const Clock::time_point accepted = Clock::now();
      constraint->accept(id);
      times.back() += microseconds_since(accepted);
      if (id == tokens->end) break;
    }
  }
  std::ranges::sort(times);
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  double sum = 0;
  for (const double time : times) sum += time;
  fmt::print("{} tokens: mean {:.0f} us, median {:.1f}, p99 {:.0f}, largest {:.0f}\n", times.size(),
             sum / static_cast<double>(times.size()), at(0.5), at(0.99), times.back());
  return 0;
}
