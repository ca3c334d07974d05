// Schemas as grammars: what is allowed is valid, what is valid in the grammar's order of keys is allowed.
#include "text/constrain/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/constrain/schema_validator.h"
#include "text/constrain/walk.h"

namespace bolide::text {
namespace {

using testing::HasSubstr;

Json parse(std::string_view text) {
  return parse_json_text(text, "test").value();
}

// Whether the grammar of a schema takes a whole text.
bool allows(std::string_view schema, std::string_view text) {
  Grammar grammar;
  const JsonRules json(grammar);
  const Json parsed = parse(schema);
  const Result<GrammarRule> rule =
      SchemaCompiler(grammar, json, UnsupportedSchema::kRefused, nullptr).compile(parsed, "s");
  if (!rule) {
    ADD_FAILURE() << rule.error().message;
    return false;
  }
  const GrammarNode begin = grammar.call(*rule, grammar.end());
  Matcher matcher(std::make_shared<const Grammar>(std::move(grammar)), begin, 16);
  MatcherState state = matcher.start();
  for (const char byte : text) state = matcher.step(state, static_cast<u8>(byte));
  return matcher.may_end(state);
}

std::string refusal(std::string_view schema) {
  Grammar grammar;
  const JsonRules json(grammar);
  const Json parsed = parse(schema);
  const Result<GrammarRule> rule =
      SchemaCompiler(grammar, json, UnsupportedSchema::kRefused, nullptr).compile(parsed, "s");
  return rule ? "" : rule.error().message;
}

struct Case {
  const char* schema;
  std::vector<std::string> valid;
  std::vector<std::string> invalid;
};

const Case kCases[] = {
    {R"({})", {"1", "\"a\"", "null", "[1, {\"a\": []}]", "-0.5e+3"}, {"01", "\"a", "[1,]", "{a: 1}", "nul"}},
    {R"({"type": "string"})",
     {R"("")", R"("a\"b\\\n\u00e9\ud83d\ude00é漢🙂")"},
     {"1", R"("\ud83d")", R"("\x")", "\"a\nb\"", "\"\xc3\""}},
    {R"({"type": "string", "minLength": 2, "maxLength": 3})",
     {R"("ab")", R"("漢字é")", R"("a\nb")"},
     {R"("a")", R"("abcd")", R"("")"}},
    {R"({"type": "string", "maxLength": 65536})", {R"("ab")", R"("")"}, {"1"}},
    {R"({"type": "integer"})", {"0", "-1", "120"}, {"1.5", "01", "-", "1e3"}},
    {R"({"type": "integer", "minimum": -3, "maximum": 128})",
     {"-3", "0", "9", "10", "99", "100", "128"},
     {"-4", "129", "130", "1000", "-10"}},
    {R"({"type": "integer", "exclusiveMinimum": 9, "exclusiveMaximum": 12})", {"10", "11"}, {"9", "12", "110"}},
    {R"({"type": "integer", "minimum": 17})", {"17", "20", "99", "100", "123456789012"}, {"16", "7", "-17", "016"}},
    {R"({"type": "integer", "maximum": -20})", {"-20", "-21", "-100"}, {"-19", "0", "20", "-2"}},
    {R"({"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991})",
     {"9007199254740991", "-9007199254740991", "5"},
     {"9007199254740992"}},
    {R"({"type": "number", "minimum": 0})", {"0", "0.5", "12.25"}, {"-1", "-0.5"}},
    {R"({"type": ["string", "null"]})", {"null", R"("x")"}, {"1", "true"}},
    {R"({"type": "string", "nullable": true})", {"null", R"("x")"}, {"1"}},
    {R"({"enum": ["a", "ab", 1, null, {"k": [1]}]})",
     {R"("a")", R"("ab")", "1", "null", R"({"k": [1]})"},
     {R"("b")", "2", R"("abc")"}},
    {R"({"const": "x\"y"})", {R"("x\"y")"}, {R"("x")"}},
    {R"({"type": "boolean"})", {"true", "false"}, {"null", "True"}},
    {R"({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3})",
     {"[1]", "[1, 2]", "[1,2,3]", "[\n  1,\n  2\n]"},
     {"[]", "[1, 2, 3, 4]", "[\"a\"]", "[1,]"}},
    {R"({"type": "array", "maxItems": 0})", {"[]"}, {"[1]"}},
    {R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "null"}})",
     {"[]", R"(["a"])", R"(["a", 1])", R"(["a", 1, null, null])"},
     {"[1]", R"(["a", 1, 2])"}},
    {R"({"type": "array", "prefixItems": [{"type": "string"}], "items": false, "minItems": 1})",
     {R"(["a"])"},
     {"[]", R"(["a", 1])"}},
    {R"({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["b"]})",
     {R"({"a": 1, "b": "x"})", R"({"b": "x"})", "{\n  \"b\": \"x\"\n}", R"({"b":"x"})"},
     {R"({"a": 1})", R"({})", R"({"b": "x", "c": 1})", R"({"b": 1})", R"({"b": "x",})"}},
    {R"({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}})",
     {"{}", R"({"a": 1})", R"({"b": ""})", R"({"a": 1, "b": ""})"},
     {R"({, "b": ""})"}},
    {R"({"type": "object"})", {"{}", R"({"x": {"y": 1}, "z": null})"}, {"[]", "{1: 2}"}},
    {R"({"type": "object", "properties": {}})", {"{}"}, {R"({"a": 1})"}},
    {R"({"type": "object", "properties": {"ab": {"type": "integer"}}, "additionalProperties": {"type": "string"}})",
     {R"({})", R"({"ab": 1, "abc": "x"})", R"({"a": "x", "b": "y"})", R"({"": "x"})", R"({"é": "x"})"},
     {R"({"ab": "x"})", R"({"a": 1})", R"({"ab": 1, "ab": "x"})"}},
    {R"({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1})",
     {R"({"a": 1})", R"({"a": 1, "b": 2})"},
     {"{}", R"({"a": ""})"}},
    {R"({"type": "object", "required": ["a"]})", {R"({"a": [1]})", R"({"a": 1, "b": 2})"}, {"{}", R"({"b": 2})"}},
    {R"({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})",
     {R"("a")", R"(["a"])"},
     {"1", "[1]"}},
    {R"({"oneOf": [{"type": "object", "properties": {"k": {"const": "x"}, "n": {"type": "integer"}}, "required": ["k", "n"]}, {"type": "object", "properties": {"k": {"const": "y"}}, "required": ["k"]}]})",
     {R"({"k": "x", "n": 1})", R"({"k": "y"})"},
     {R"({"k": "x"})", R"({"k": "z"})"}},
    {R"({"allOf": [{"type": "integer"}]})", {"3"}, {"\"a\""}},
    {R"({"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "required": ["v"]}}})",
     {R"({"v": 1})", R"({"v": 1, "kids": [{"v": 2, "kids": []}, {"v": 3}]})"},
     {R"({"kids": []})", R"({"v": 1, "kids": [1]})"}},
    {R"({"type": "string", "pattern": "^[a-z]{2,3}-\\d+$"})",
     {R"("ab-1")", R"("abc-123")"},
     {R"("a-1")", R"("abcd-1")", R"("ab-")", R"("ab-1x")"}},
    {R"({"type": "string", "pattern": "b+|\\d"})", {R"("aabcc")", R"("x7")", R"("b")"}, {R"("")", R"("ac")"}},
    {R"({"type": "string", "pattern": "^(a|bc)*\\.\"?[^x]$"})", {R"("abca.y")", R"(".\"z")"}, {R"("b.y")", R"("a.x")"}},
};

TEST(JsonSchema, ValidTextsAreAllowedAndOthersAreNot) {
  for (const Case& c : kCases) {
    for (const std::string& text : c.valid) {
      EXPECT_TRUE(allows(c.schema, text)) << c.schema << " : " << text;
      EXPECT_TRUE(is_valid(parse(text), parse(c.schema), parse(c.schema)))
          << "the test's own validator: " << c.schema << " : " << text;
    }
    for (const std::string& text : c.invalid) EXPECT_FALSE(allows(c.schema, text)) << c.schema << " : " << text;
  }
}

// std::regex of the test's validator knows bytes only.
TEST(JsonSchema, PatternsMatchCharactersBeyondAscii) {
  constexpr const char* kSchema = R"({"type": "string", "pattern": "^[äö]\\w\\s.$"})";
  EXPECT_TRUE(allows(kSchema, R"("äb é")"));
  EXPECT_FALSE(allows(kSchema, R"("ab é")"));
}

TEST(JsonSchema, WhateverIsDrawnFromAGrammarIsValid) {
  std::mt19937 random(5);
  std::size_t ended = 0;
  for (const Case& c : kCases) {
    for (int i = 0; i < 3; ++i) {
      OutputFormat format;
      format.schema = parse(c.schema);
      Result<CompiledConstraint> compiled = constrain_output(format, false, nano_tokens(), nano_vocabulary());
      ASSERT_TRUE(compiled.ok()) << compiled.error().message;
      const Walk walk = random_walk(*compiled->constraint, random, 60);
      if (!walk.ended) continue;
      ++ended;
      const Result<Json> value = parse_json_text(walk.text, "walk");
      ASSERT_TRUE(value.ok()) << c.schema << " : " << walk.text;
      const bool ascii = std::ranges::all_of(walk.text, [](char byte) { return (byte & 0x80) == 0; });
      if (!ascii && format.schema->find("pattern") != nullptr) continue;  // std::regex knows bytes only
      EXPECT_TRUE(is_valid(*value, *format.schema, *format.schema)) << c.schema << " : " << walk.text;
    }
  }
  EXPECT_GT(ended, std::size(kCases));  // most walks come to their end
}

TEST(JsonSchema, WhatIsNotSupportedIsRefusedByItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"properties": {"a": {"items": {"not": {}}}}})", "/properties/a/items/not"},
      {R"({"type": "array", "uniqueItems": true})", "/uniqueItems"},
      {R"({"type": "number", "maximum": 2})", "bounds a number"},
      {R"({"type": "integer", "multipleOf": 3})", "/multipleOf"},
      {R"({"type": "object", "patternProperties": {"^x": {}}})", "/patternProperties"},
      {R"({"type": "string", "pattern": "(?=a)b"})", "/pattern"},
      {R"({"type": "string", "pattern": "a(b"})", "not closed"},
      {R"({"type": "string", "pattern": "a", "maxLength": 3})", "/pattern"},
      {R"({"oneOf": [{"type": "integer"}, {"type": "number"}]})", "/oneOf"},
      {R"({"allOf": [{}, {}]})", "/allOf"},
      {R"({"$ref": "#/$defs/none"})", "/$ref"},
      {R"({"$ref": "#"})", "refers to itself"},
      {R"({"anyOf": [{"$ref": "#"}]})", "refers to itself"},
      {R"({"type": "text"})", "/type"},
      {R"({"type": "integer", "minimum": 3, "maximum": 2})", "allows no integer"},
      {R"({"type": "string", "minLength": -1})", "/minLength"},
      {R"({"frobnicate": 1})", "/frobnicate"},
      {R"({"properties": {"a": false}})", "/properties/a"},
      {R"([])", "neither an object"},
  };
  for (const auto& [schema, place] : cases) EXPECT_THAT(refusal(schema), HasSubstr(place)) << schema;
}

// pitfalls B12: hostile or unlucky schemas are bounded in time and memory.
TEST(JsonSchema, HostileSchemasAreRefusedOrSmall) {
  std::string deep = "{}";
  for (int i = 0; i < 100; ++i) deep = R"({"items": )" + deep + "}";
  EXPECT_THAT(refusal(deep), HasSubstr("too deep"));
  EXPECT_THAT(refusal(R"({"type": "string", "pattern": "^((((a{1,1000}){1,1000}){1,1000}){1,1000})$"})"),
              testing::IsEmpty());
  EXPECT_THAT(refusal(R"({"type": "string", "pattern": "^(a*)*$"})"), HasSubstr("may be empty"));
  EXPECT_THAT(refusal(R"({"type": "string", "pattern": "a{1,99999999}"})"), HasSubstr("repetitions"));
  std::string wide = R"({"type": "object", "properties": {)";
  for (int i = 0; i < 2000; ++i) wide += (i == 0 ? "\"p" : ", \"p") + std::to_string(i) + "\": {}";
  EXPECT_THAT(refusal(wide + "}}"), HasSubstr("more than 1000"));
  std::string values = R"({"enum": [)";
  for (int i = 0; i < 40'000; ++i)
    values += (i == 0 ? "\"value number " : ", \"value number ") + std::to_string(i) + "\"";
  EXPECT_THAT(refusal(values + "]}"), HasSubstr("too large"));
}

}  // namespace
}  // namespace bolide::text
