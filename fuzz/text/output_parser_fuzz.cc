// Any bytes as a model's output: the same events however it is cut, and arguments that are always objects. The first
// byte chooses the request, the second the cuts.
#include <cstddef>
#include <random>
#include <string_view>

#include "base/check.h"
#include "text/message.h"
#include "text/parsed.h"

namespace {

using namespace bolide;

text::OutputParserOptions options(unsigned char choice) {
  static const text::ToolDeclarations kTools = [] {
    text::Json tool =
        text::parse_json_text(R"({"name": "read", "parameters": {"properties": {"path": {"type": "string"}}}})", "tool")
            .value();
    return text::ToolDeclarations({text::read_tool(std::move(tool)).value()});
  }();
  text::OutputParserOptions chosen = {
      .thinking = (choice & 1) != 0, .calls_allowed = (choice & 6) != 6, .tools = kTools};
  if ((choice & 8) != 0) chosen.stop = {"ab", "\n\n", "b a"};
  return chosen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const text::OutputParserOptions chosen = options(data[0]);
  const text::OutputEnd end = (data[0] & 16) != 0 ? text::OutputEnd::kLimit : text::OutputEnd::kEndToken;
  const std::string_view output(reinterpret_cast<const char*>(data) + 2, size - 2);
  const text::Parsed whole = text::parse_output(output, chosen, end);
  std::mt19937 random(data[1]);
  for (const auto& pieces : {text::pieces_of(output, 1), text::random_pieces(output, random)}) {
    const text::Parsed cut = text::parse_pieces(pieces, chosen, end);
    check(cut.events == whole.events && cut.finish == whole.finish, "pieces tell what the whole does");
  }
  for (const text::ParsedCall& call : whole.output.calls) {
    const Result<text::Json> arguments = text::parse_json_text(call.arguments, "arguments");
    check(arguments && arguments->is_object(), "arguments are one JSON object");
  }
  return 0;
}
