#include "text/constrain/call_grammar.h"

#include <algorithm>
#include <fmt/format.h>

#include "text/markers.h"

namespace bolide::text {
namespace {

// A marker with ｜DSML｜ as the byte that stands for it.
std::string for_grammar(std::string_view marker) {
  constexpr std::string_view kDsml = "｜DSML｜";
  std::string text(marker);
  const std::size_t at = text.find(kDsml);
  if (at != std::string::npos) text.replace(at, kDsml.size(), 1, kDsmlByte);
  return text;
}

class CallGrammar {
 public:
  CallGrammar(Grammar& grammar, const JsonRules& json, UnsupportedSchema unsupported, std::vector<std::string>* free)
      : g_(grammar), compiler_(grammar, json, unsupported, free) {
    const ByteSet any_ascii = byte_range(0, 0x7f);
    text_ = g_.add_rule(utf8_character(g_, any_ascii, g_.end()));
  }

  Result<GrammarRule> block(const std::vector<Json>& tools, bool one) {
    std::vector<GrammarNode> calls;
    for (std::size_t i = 0; i < tools.size(); ++i) {
      const Result<GrammarRule> call = this->call(tools[i], i);
      if (!call) return call.error();
      calls.push_back(g_.call(*call, g_.end()));
    }
    const GrammarRule any = g_.add_rule(g_.either(calls));
    const GrammarRule more = g_.add_rule(g_.literal("\n", g_.call(any, g_.end())));
    const GrammarNode end = g_.literal(fmt::format("\n{}", for_grammar(kEndCalls)), g_.end());
    return g_.add_rule(g_.literal("\n", g_.call(any, g_.repeat(more, 0, one ? 0 : kUnlimited, end))));
  }

 private:
  Result<GrammarRule> call(const Json& tool, std::size_t number) {
    const Json* name = tool.find("name");
    const std::string tool_name = name == nullptr ? "" : name->text;
    const std::string place = fmt::format("tools[{}] ({})", number, tool_name);
    const GrammarNode end = g_.literal(fmt::format("\n{}", for_grammar(kEndInvoke)), g_.end());
    const Json* schema = tool.find("parameters");
    Result<GrammarNode> parameters = schema == nullptr || !schema->is_object()
                                         ? Result<GrammarNode>(g_.either({end, g_.literal("\n", end)}))
                                         : this->parameters(*schema, place, end);
    if (!parameters) return parameters.error();
    return g_.add_rule(g_.literal(fmt::format("{}{}\">", for_grammar(kInvoke), tool_name), *parameters));
  }

  // After the invoke tag: a line end before each parameter, and `end`.
  Result<GrammarNode> parameters(const Json& schema, const std::string& place, GrammarNode end) {
    const Json* properties = schema.find("properties");
    GrammarNode next = end;
    if (properties == nullptr || properties->members.empty()) return g_.either({end, g_.literal("\n", end)});
    bool any_required = false;
    for (std::size_t i = properties->members.size(); i-- > 0;) {
      const JsonMember& member = properties->members[i];
      const Result<GrammarNode> present =
          parameter(member, schema, fmt::format("{}/properties/{}", place, member.key), next);
      if (!present) return present.error();
      const bool required = is_required(schema, member.key);
      any_required = any_required || required;
      next = required ? *present : g_.either({*present, next});
    }
    // Without any parameter an empty line stands between the tags.
    return any_required ? next : g_.either({next, g_.literal("\n", end)});
  }

  static bool is_required(const Json& schema, std::string_view key) {
    const Json* required = schema.find("required");
    return required != nullptr &&
           std::ranges::any_of(required->items, [&](const Json& name) { return name.text == key; });
  }

  Result<GrammarNode> parameter(const JsonMember& member, const Json& root, const std::string& place,
                                GrammarNode next) {
    const auto tag = [&](std::string_view flag, GrammarNode value) {
      return g_.literal(fmt::format("\n{}{}\" string=\"{}\">", for_grammar(kParameter), member.key, flag), value);
    };
    const GrammarNode end = g_.literal(for_grammar(kEndParameter), next);
    const SchemaCompiler::Types types = SchemaCompiler::types(member.value, root);
    std::vector<GrammarNode> forms;
    if (types.string) forms.push_back(tag("true", string_value(member.value, end)));
    if (types.other) {
      const Result<GrammarRule> value = compiler_.compile_part(member.value, root, place);
      if (!value) return value.error();
      forms.push_back(tag("false", g_.call(*value, end)));
    }
    return g_.either(forms);
  }

  // Text as it is, ended by the tag; of an enum one of its strings.
  GrammarNode string_value(const Json& schema, GrammarNode end) {
    const Json* values = schema.find("enum");
    const Json* constant = schema.find("const");
    std::vector<GrammarNode> choices;
    if (constant != nullptr && constant->is_string()) choices.push_back(g_.literal(constant->text, end));
    if (constant == nullptr && values != nullptr) {
      for (const Json& value : values->items) {
        if (value.is_string()) choices.push_back(g_.literal(value.text, end));
      }
    }
    return choices.empty() ? g_.repeat(text_, 0, kUnlimited, end) : g_.either(choices);
  }

  Grammar& g_;
  SchemaCompiler compiler_;
  GrammarRule text_;
};

}  // namespace

std::string calls_opener() {
  return for_grammar(kCalls);
}

Result<GrammarRule> compile_calls(Grammar& grammar, const JsonRules& json, const std::vector<Json>& tools, bool one,
                                  UnsupportedSchema unsupported, std::vector<std::string>* free) {
  Result<GrammarRule> rule = CallGrammar(grammar, json, unsupported, free).block(tools, one);
  if (rule && grammar.too_large()) return Error{"tools: their schemas are too large together"};
  return rule;
}

}  // namespace bolide::text
