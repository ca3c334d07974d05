// What holds for any output: random texts, and well-formed ones damaged at random.
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "text/message.h"
#include "text/parsed.h"

namespace bolide::text {
namespace {

constexpr int kRounds = 3000;

const ToolDeclarations& declared() {
  static const ToolDeclarations kTools = [] {
    const char* const tool = R"({"name": "read", "parameters": {"properties": {"path": {"type": "string"}}}})";
    return ToolDeclarations({read_tool(parse_json_text(tool, "tool").value()).value()});
  }();
  return kTools;
}

OutputParserOptions options(std::mt19937& random) {
  return {.thinking = random() % 2 == 0,
          .calls_allowed = random() % 8 != 0,
          .tools = declared(),
          .stop = random() % 4 == 0 ? std::vector<std::string>{"ab", "\n\n", "b a"} : std::vector<std::string>{}};
}

// Words of outputs, put together without sense.
std::string random_output(std::mt19937& random) {
  const std::string words[] = {"a",
                               "b ",
                               "\n",
                               "\n\n",
                               "<",
                               "</",
                               "&",
                               "&lt;/",
                               "｜DSML｜",
                               " ",
                               kTE,
                               "<think>",
                               kEOS,
                               kTO,
                               kTC,
                               kIC,
                               invoke("read"),
                               invoke("rm"),
                               parameter("path", "x"),
                               parameter("n", "1", "false"),
                               "<｜DSML｜ parameter name=\"k\">",
                               "</｜DSML｜ parameter>",
                               "</｜DSML｜parameter>\n",
                               "{\"a\": 1}",
                               "<｜DSML｜tool_calls>",
                               "<DSML｜invoke name=“read”>",
                               "中",
                               "\xF0\x9F",
                               "\xFF",
                               "&lt;/｜DSML｜ parameter>"};
  std::string output;
  for (int n = static_cast<int>(random() % 24); n > 0; --n) output += words[random() % std::size(words)];
  return output;
}

std::string well_formed(std::mt19937& random) {
  std::string output = "Visible reasoning." + std::string(kTE) + "Visible answer.\n\n" + kTO;
  for (int n = 1 + static_cast<int>(random() % 2); n > 0; --n) {
    output += invoke("read") + parameter("path", "/tmp/a") + parameter("limit", "5", "false") + kIC;
  }
  return output + kTC + kEOS;
}

// Deletes, doubles, changes or swaps a few bytes from `from` on.
std::string damaged(std::string text, std::size_t from, std::mt19937& random) {
  for (int n = 1 + static_cast<int>(random() % 4); n > 0 && text.size() > from + 1; --n) {
    const std::size_t at = from + random() % (text.size() - from);
    const std::size_t length = std::min<std::size_t>(text.size() - at, 1 + random() % 12);
    switch (random() % 4) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text[at] = static_cast<char>(random());
        break;
      default:
        std::swap(text[at], text[from + random() % (text.size() - from)]);
        break;
    }
  }
  return text;
}

// Arguments are objects, and every call was begun before it ends.
void expect_sound(const Parsed& parsed, const std::string& output) {
  for (const ParsedCall& call : parsed.output.calls) {
    const Result<Json> arguments = parse_json_text(call.arguments, "arguments");
    ASSERT_TRUE(arguments && arguments->is_object()) << call.arguments << " of " << output;
  }
  for (const OutputEvent& event : parsed.events) {
    Utf8Stream utf8;
    ASSERT_EQ(utf8.push(event.text) + utf8.finish(), event.text) << output;
  }
}

TEST(OutputParserProperties, AnyChunkingGivesTheSameEvents) {
  std::mt19937 random(20261129);
  for (int round = 0; round < kRounds; ++round) {
    const OutputParserOptions chosen = options(random);
    const std::string output = round % 2 == 0 ? random_output(random) : damaged(well_formed(random), 0, random);
    const OutputEnd end = random() % 2 == 0 ? OutputEnd::kLimit : OutputEnd::kEndToken;
    const Parsed whole = parse_output(output, chosen, end);
    expect_sound(whole, output);
    for (const auto& pieces : {pieces_of(output, 1), random_pieces(output, random)}) {
      const Parsed cut = parse_pieces(pieces, chosen, end);
      ASSERT_EQ(cut.events, whole.events) << output;
      ASSERT_EQ(cut.finish, whole.finish) << output;
    }
  }
}

TEST(OutputParserProperties, DamagedMarkupLosesNoVisibleText) {
  std::mt19937 random(7);
  const std::string visible = "Visible reasoning." + std::string(kTE) + "Visible answer.";
  for (int round = 0; round < kRounds; ++round) {
    OutputParserOptions chosen = options(random);
    chosen.thinking = true;
    chosen.stop.clear();
    const std::string output = damaged(well_formed(random), visible.size(), random);
    const Parsed parsed = parse_output(output, chosen, OutputEnd::kEndToken);
    ASSERT_EQ(parsed.output.reasoning, "Visible reasoning.") << output;
    ASSERT_TRUE(parsed.output.content.starts_with("Visible answer.")) << output;
    // Where no call was begun, everything is text.
    if (parsed.events.size() == 2 && parsed.oddities.incomplete_calls == 0) {
      Utf8Stream utf8;
      std::string text = output.substr(output.find(kTE) + std::string(kTE).size());
      text = text.substr(0, text.find(kEOS));
      for (std::size_t at = text.find(kTE); at != std::string::npos; at = text.find(kTE))
        text.erase(at, std::string(kTE).size());
      std::string expected = utf8.push(text);
      expected += utf8.finish();
      ASSERT_EQ(parsed.output.content, expected) << output;
    }
  }
}

// A name that is not declared comes only out of a proper block in the answer, and is marked.
TEST(OutputParserProperties, NoCallOfAnUndeclaredToolIsTakenForADeclaredOne) {
  std::mt19937 random(11);
  for (int round = 0; round < kRounds; ++round) {
    OutputParserOptions chosen = options(random);
    const std::string output = random() % 2 == 0 ? random_output(random) : damaged(well_formed(random), 0, random);
    for (const OutputEvent& event : parse_output(output, chosen).events) {
      if (event.kind != OutputEvent::Kind::kCallStart) continue;
      ASSERT_TRUE(chosen.calls_allowed);
      ASSERT_EQ(event.declared, event.text == "read" && event.name_space.empty()) << output;
      if (!event.declared) {
        const bool block = output.find("<｜DSML｜ calls>") != std::string::npos ||
                           output.find("<｜DSML｜tool_calls>") != std::string::npos;
        ASSERT_TRUE(block) << output;
        ASSERT_TRUE(!chosen.thinking || output.find(kTE) != std::string::npos) << output;
      }
    }
  }
}

TEST(OutputParserProperties, WorkIsLinearInHostileOutputs) {  // quadratic work would take minutes
  for (const std::string& piece :
       {kTO + invoke("read") + "<｜DSML｜ parameter name=\"path\" string=\"true\">",
        std::string("<｜DSML｜ parameter name=\""), std::string("<"), std::string(kTO), std::string("\n"),
        std::string("</｜DSML｜parameter> "), std::string("&lt;"), invoke("read")}) {
    for (const bool thinking : {true, false}) {
      std::string output;
      while (output.size() < 1'000'000) output += piece;
      OutputParser parser({.thinking = thinking, .tools = declared()});
      for (const std::string_view chunk : pieces_of(output, 16)) parser.push(chunk);
      parser.finish(OutputEnd::kEndToken);
      EXPECT_TRUE(parser.ended());
    }
  }
}

}  // namespace
}  // namespace bolide::text
