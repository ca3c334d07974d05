// Any JSON as a schema is refused or gives a grammar; what is drawn from the grammar until it may end is JSON.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "text/constrain/json_schema.h"
#include "text/constrain/matcher.h"

namespace {

using namespace bolide;

// Follows the grammar along bytes that the input chooses, a few hundred steps.
void draw(text::Matcher& matcher, std::string_view choices) {
  text::MatcherState state = matcher.start();
  std::string drawn;
  for (std::size_t step = 0; step < 300 && matcher.may_go_on(state); ++step) {
    std::vector<u8> possible;
    for (u32 byte = 0; byte < 256; ++byte) {
      if (matcher.step(state, static_cast<u8>(byte)) != text::kDead) possible.push_back(static_cast<u8>(byte));
    }
    if (possible.empty()) break;  // a pattern that nothing matches
    const auto choice = static_cast<u8>(choices[step % choices.size()]);
    const u8 byte = possible[(choice + step) % possible.size()];
    drawn += static_cast<char>(byte);
    state = matcher.step(state, byte);
    if (matcher.may_end(state)) check(text::parse_json_text(drawn, "fuzz").ok(), "where an output may end it is JSON");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const Result<text::Json> schema = text::parse_json_text(input, "fuzz");
  if (!schema) return 0;
  std::vector<std::string> free;
  for (const auto unsupported : {text::UnsupportedSchema::kRefused, text::UnsupportedSchema::kFree}) {
    text::Grammar grammar;
    const text::JsonRules json(grammar);
    const Result<text::GrammarRule> rule =
        text::SchemaCompiler(grammar, json, unsupported, &free).compile(*schema, "schema");
    if (!rule) continue;
    const text::GrammarNode begin = grammar.call(*rule, grammar.end());
    text::Matcher matcher(std::make_shared<const text::Grammar>(std::move(grammar)), begin, 32);
    draw(matcher, input);
  }
  return 0;
}
