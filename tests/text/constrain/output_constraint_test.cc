// Whole answers: reasoning is free, calls and documents are constrained, the mask is exact.
#include "text/constrain/output_constraint.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "text/constrain/call_grammar.h"
#include "text/constrain/schema_validator.h"
#include "text/constrain/token_masks.h"
#include "text/constrain/walk.h"
#include "text/output_parser.h"
#include "text/parsed.h"

namespace bolide::text {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Json parse(std::string_view text) {
  return parse_json_text(text, "test").value();
}

constexpr const char* kTools = R"([
  {"name": "read", "description": "Read a file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}, "lines": {"type": "integer", "minimum": 1}}, "required": ["path"]}},
  {"name": "now", "parameters": {"type": "object", "properties": {}}},
  {"name": "list", "description": "No parameters named"},
  {"name": "edit", "parameters": {"type": "object", "properties": {"mode": {"type": "string", "enum": ["add", "replace"]}, "edits": {"type": "array", "items": {"type": "object", "properties": {"old": {"type": "string"}, "new": {"type": ["string", "null"]}}, "required": ["old", "new"]}, "minItems": 1}, "dry": {"type": ["boolean", "string"]}}, "required": ["mode", "edits"]}}
])";

std::unique_ptr<TokenConstraint> constraint(CallChoice calls, bool thinking = false,
                                            std::optional<Json> schema = std::nullopt, const char* tools = kTools,
                                            bool parallel = true) {
  OutputFormat format{
      .schema = std::move(schema), .tools = parse(tools).items, .calls = calls, .parallel_calls = parallel};
  return std::move(constrain_output(format, thinking, nano_tokens(), nano_vocabulary()).value().constraint);
}

void accept(TokenConstraint& constraint, std::string_view text) {
  for (const u32 id : nano_tokenizer().encode(text, AddedTokens::kMatch)) constraint.accept(id);
}

OutputParserOptions parser_options(const ToolDeclarations& tools) {
  OutputParserOptions options;
  options.thinking = false;
  options.tools = tools;
  return options;
}

// Whether a parameter of a call is a string with a pattern or a length: string values of calls are free but for enums.
bool has_free_strings(const Json& schema) {
  const Json* properties = schema.find("properties");
  return properties != nullptr && std::ranges::any_of(properties->members, [](const JsonMember& member) {
           const Json& of = member.value;
           return of.find("pattern") != nullptr || of.find("minLength") != nullptr || of.find("maxLength") != nullptr;
         });
}

// The mask against trying every token of the vocabulary, in states of random walks.
TEST(OutputConstraint, TheMaskIsExactlyTheTokensThatCanGoOn) {
  Grammar grammar;
  const JsonRules json(grammar);
  const Result<GrammarRule> calls =
      compile_calls(grammar, json, parse(kTools).items, false, UnsupportedSchema::kRefused, nullptr);
  ASSERT_TRUE(calls.ok()) << calls.error().message;
  const GrammarNode begin = grammar.call(*calls, grammar.end());
  const GrammarPosition start(std::make_shared<const Grammar>(std::move(grammar)), begin, nano_vocabulary());
  std::mt19937 random(3);
  int states = 0;
  for (int walk = 0; walk < 8; ++walk) {
    GrammarPosition position = start;
    for (int step = 0; step < 30 && position.may_go_on(); ++step, ++states) {
      const std::span<const u64> span = position.allowed();
      const std::vector<u64> mask(span.begin(), span.end());
      std::vector<u32> allowed;
      for (u32 id = 0; id < nano_tokenizer().vocab_size(); ++id) {
        GrammarPosition tried = position;
        const bool fits = tried.accept(id);
        ASSERT_EQ((mask[id / 64] >> (id % 64) & 1) != 0, fits)
            << "walk " << walk << ", step " << step << ", token " << id;
        if (fits) allowed.push_back(id);
      }
      ASSERT_FALSE(allowed.empty());
      position.accept(allowed[random() % allowed.size()]);
    }
  }
  EXPECT_GT(states, 150);
}

// A repetition's bounds are exact although masks of far counts are shared.
TEST(OutputConstraint, MasksOfBoundedStringsAreExactNearTheirBounds) {
  Grammar grammar;
  const JsonRules json(grammar);
  const GrammarNode begin =
      grammar.literal("\"", grammar.repeat(json.character, 150, 300, grammar.literal("\"", grammar.end())));
  GrammarPosition position(std::make_shared<const Grammar>(std::move(grammar)), begin, nano_vocabulary());
  ASSERT_TRUE(position.accept("\""));
  const u32 quote = nano_tokenizer().encode("\"", AddedTokens::kIgnore).front();
  const u32 letter = nano_tokenizer().encode("q", AddedTokens::kIgnore).front();
  const auto may = [&](u32 id) { return (position.allowed()[id / 64] >> (id % 64) & 1) != 0; };
  for (int n = 0; n <= 300; ++n) {
    EXPECT_EQ(may(quote), n >= 150) << n;
    EXPECT_EQ(may(letter), n < 300) << n;
    if (n == 300) break;
    ASSERT_TRUE(position.accept("q"));
  }
}

TEST(OutputConstraint, EveryCallThatIsDrawnParsesAndFitsItsSchema) {
  const std::vector<Json> tools = parse(kTools).items;
  const ToolDeclarations declarations(tools);
  std::mt19937 random(11);
  std::size_t calls = 0;
  for (int i = 0; i < 40; ++i) {
    const auto required = constraint(CallChoice::kRequired);
    const Walk walk = random_walk(*required, random, 250);
    const Parsed parsed =
        parse_output(walk.text, parser_options(declarations), walk.ended ? OutputEnd::kEndToken : OutputEnd::kLimit);
    EXPECT_TRUE(!walk.ended || !parsed.output.calls.empty()) << walk.text;
    for (const ParsedCall& call : parsed.output.calls) {
      ++calls;
      const Result<Json> arguments = parse_json_text(call.arguments, "arguments");
      ASSERT_TRUE(arguments.ok()) << walk.text;
      const auto tool =
          std::ranges::find_if(tools, [&](const Json& known) { return known.find("name")->text == call.name; });
      ASSERT_NE(tool, tools.end()) << call.name;
      const Json* schema = tool->find("parameters");
      EXPECT_TRUE(schema == nullptr || is_valid(*arguments, *schema, *schema)) << walk.text;
    }
  }
  EXPECT_GT(calls, 20u);
}

TEST(OutputConstraint, InAutoModeTheAnswerIsFreeUntilAnOpenerIsComplete) {
  const auto free = constraint(CallChoice::kAuto, true);
  accept(*free, "Let me think: <｜DSML｜ calls>");  // reasoning
  EXPECT_FALSE(free->restricts());
  accept(*free, "</think>Some words.\n\n<｜DSML｜ calls");
  EXPECT_FALSE(free->restricts());
  accept(*free, ">\n");
  EXPECT_TRUE(free->restricts());
  accept(*free, "<｜DSML｜ invoke name=\"");
  const std::vector<u32> names = allowed_ids(*free);
  EXPECT_THAT(names, Contains(nano_tokenizer().encode("read", AddedTokens::kIgnore).front()));
  EXPECT_THAT(names, Not(Contains(nano_tokenizer().encode("delete", AddedTokens::kIgnore).front())));
  accept(*free, "now\">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls>");
  EXPECT_EQ(allowed_ids(*free), std::vector<u32>{nano_tokens().end});
}

TEST(OutputConstraint, TheStringFlagFollowsTheSchema) {
  const auto calls = constraint(CallChoice::kRequired);
  accept(*calls, "<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"read\">\n<｜DSML｜ parameter name=\"path\" string=\"");
  for (const u32 id : allowed_ids(*calls)) EXPECT_EQ(nano_tokenizer().decode(std::vector<u32>{id}).front(), 't');
}

TEST(OutputConstraint, WithoutChoiceNoCallCanBegin) {
  const auto none = constraint(CallChoice::kNone);
  EXPECT_TRUE(none->restricts());
  EXPECT_THAT(allowed_ids(*none), Not(Contains(*nano_tokens().dsml)));
}

TEST(OutputConstraint, ASingleCallEndsTheAnswer) {
  const auto one = constraint(CallChoice::kRequired, false, std::nullopt, kTools, false);
  accept(*one, "\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"list\">\n</｜DSML｜ invoke>\n<");
  for (const u32 id : allowed_ids(*one)) EXPECT_EQ(nano_tokenizer().decode(std::vector<u32>{id}).front(), '/');
}

TEST(OutputConstraint, JsonModeIsAnObjectAfterTheReasoning) {
  const auto json = constraint(CallChoice::kAuto, true, parse("true"), "[]");
  accept(*json, "A number? 5");
  EXPECT_FALSE(json->restricts());
  accept(*json, "</think>");
  for (const u32 id : allowed_ids(*json)) EXPECT_EQ(nano_tokenizer().decode(std::vector<u32>{id}).front(), '{');
  accept(*json, "{\"a\": 1}");
  EXPECT_EQ(allowed_ids(*json), std::vector<u32>{nano_tokens().end});
}

TEST(OutputConstraint, WithToolsAndASchemaACallMayStillBegin) {
  const auto both = constraint(CallChoice::kAuto, false, parse(R"({"type": "integer"})"));
  const std::vector<u32> ids = allowed_ids(*both);
  EXPECT_THAT(ids, Contains(nano_tokenizer().encode("7", AddedTokens::kIgnore).front()));
  accept(*both, "\n\n<｜DSML｜ calls>\n");
  EXPECT_TRUE(both->restricts());
}

TEST(OutputConstraint, ACopyGoesItsOwnWay) {
  const auto json = constraint(CallChoice::kAuto, false, parse("true"), "[]");
  accept(*json, "{\"a");
  const std::vector<u32> before = allowed_ids(*json);
  const std::unique_ptr<TokenConstraint> draft = json->clone();
  accept(*draft, "\": [1, 2, {\"b\": \"");
  EXPECT_EQ(allowed_ids(*json), before);
  accept(*draft, "\"}]}");
  EXPECT_EQ(allowed_ids(*draft), std::vector<u32>{nano_tokens().end});
}

// pitfalls B12: a part of a tool that a grammar cannot hold is named and free, the rest of the tools stay constrained.
TEST(OutputConstraint, AnUnsupportedPartOfAToolIsNamedAndFree) {
  OutputFormat format{
      .schema = {},
      .tools =
          parse(
              R"([{"name": "odd", "parameters": {"type": "object", "properties": {"x": {"type": "object", "patternProperties": {}}}, "required": ["x"]}}])")
              .items};
  const Result<CompiledConstraint> compiled = constrain_output(format, false, nano_tokens(), nano_vocabulary());
  ASSERT_TRUE(compiled.ok());
  EXPECT_THAT(compiled->free, ElementsAre(HasSubstr("tools[0] (odd)/properties/x")));
  accept(*compiled->constraint,
         "<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"odd\">\n<｜DSML｜ parameter name=\"x\" string=\"false\">{\"any\": "
         "1}</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>");
  EXPECT_EQ(allowed_ids(*compiled->constraint), std::vector<u32>{nano_tokens().end});
}

TEST(OutputConstraint, AResponseSchemaThatIsNotSupportedIsRefusedByItsPlace) {
  OutputFormat format;
  format.schema = parse(R"({"type": "object", "properties": {"a": {"not": {}}}})");
  const Result<CompiledConstraint> compiled = constrain_output(format, false, nano_tokens(), nano_vocabulary());
  ASSERT_FALSE(compiled.ok());
  EXPECT_THAT(compiled.error().message, HasSubstr("/properties/a/not"));
}

// Tools as agents and servers of the model context protocol declare them, all at once (pitfalls B12).
TEST(OutputConstraint, RealToolSchemasAreEnforcedWhole) {
  std::ifstream file(BOLIDE_SOURCE_DIR "/tests/text/data/tool_schemas.json");
  std::ostringstream text;
  text << file.rdbuf();
  const std::vector<Json> tools = parse(text.str()).items;
  ASSERT_GE(tools.size(), 60u);
  const OutputFormat format{.schema = {}, .tools = tools, .calls = CallChoice::kRequired};
  const Result<CompiledConstraint> compiled = constrain_output(format, false, nano_tokens(), nano_vocabulary());
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  EXPECT_THAT(compiled->free, testing::IsEmpty());
  const ToolDeclarations declarations(tools);
  std::mt19937 random(17);
  std::size_t complete = 0;
  for (int i = 0; i < 60; ++i) {
    const std::unique_ptr<TokenConstraint> answer = compiled->constraint->clone();
    const Walk walk = random_walk(*answer, random, 120);
    const Parsed parsed = parse_output(walk.text, parser_options(declarations), OutputEnd::kEndToken);
    for (const ParsedCall& call : parsed.output.calls) {
      const std::string name = call.name_space.empty() ? call.name : call.name_space + "::" + call.name;
      const auto tool =
          std::ranges::find_if(tools, [&](const Json& known) { return known.find("name")->text == name; });
      ASSERT_NE(tool, tools.end()) << name;
      const Json arguments = parse(call.arguments);
      const bool ascii = std::ranges::all_of(call.arguments, [](char byte) { return (byte & 0x80) == 0; });
      if (!ascii) continue;  // std::regex of the validator knows bytes only
      const Json& schema = *tool->find("parameters");
      EXPECT_TRUE(is_valid(arguments, schema, schema) || has_free_strings(schema)) << name << call.arguments;
      ++complete;
    }
  }
  EXPECT_GT(complete, 10u);
}

// pitfalls B190: outputs nest only as deep as every reader can read.
TEST(OutputConstraint, NestingEndsBeforeReadersFail) {
  const auto json = constraint(CallChoice::kAuto, false, parse("{}"), "[]");
  std::string text;
  const u32 open = nano_tokenizer().encode("[", AddedTokens::kIgnore).front();
  for (int depth = 0; depth < 400; ++depth) {
    const std::vector<u32> ids = allowed_ids(*json);
    ASSERT_FALSE(ids.empty());
    if (std::ranges::find(ids, open) == ids.end()) break;
    json->accept(open);
    text += '[';
  }
  const std::size_t depth = text.size();
  EXPECT_GT(depth, 100u);
  EXPECT_LT(depth, 256u);
  for (std::size_t i = 0; i < depth; ++i) accept(*json, "]");
  EXPECT_EQ(allowed_ids(*json), std::vector<u32>{nano_tokens().end});
}

}  // namespace
}  // namespace bolide::text
