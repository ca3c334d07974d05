#include "text/constrain/json_schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "text/constrain/integer_range.h"
#include "text/constrain/pattern.h"

namespace bolide::text {
namespace {

constexpr u32 kDeepestSchema = 64;
constexpr std::size_t kMostSchemas = 20'000;
constexpr std::size_t kMostProperties = 1'000;  // of one object

// Say something to a reader and nothing about what is valid (JSON Schema, meta-data and content vocabularies; `format`
// is an annotation by default).
constexpr std::array<std::string_view, 19> kAnnotations = {"title",
                                                           "description",
                                                           "default",
                                                           "examples",
                                                           "example",
                                                           "deprecated",
                                                           "readOnly",
                                                           "writeOnly",
                                                           "$schema",
                                                           "$id",
                                                           "$comment",
                                                           "$anchor",
                                                           "$defs",
                                                           "definitions",
                                                           "format",
                                                           "contentEncoding",
                                                           "contentMediaType",
                                                           "enumDescriptions",
                                                           "markdownDescription"};

bool is_annotation(std::string_view key) {
  return key.starts_with("x-") || std::ranges::find(kAnnotations, key) != kAnnotations.end();
}

// "/" and "~" in a part of a pointer are written ~1 and ~0.
std::string pointer_part(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part.substr(i, 2) == "~1")
      text += '/', ++i;
    else if (part.substr(i, 2) == "~0")
      text += '~', ++i;
    else
      text += part[i];
  }
  return text;
}

const Json* resolve(const Json& root, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  reference.remove_prefix(1);
  const Json* at = &root;
  while (!reference.empty() && at != nullptr) {
    if (reference.front() != '/') return nullptr;
    reference.remove_prefix(1);
    const std::size_t end = std::min(reference.find('/'), reference.size());
    const std::string part = pointer_part(reference.substr(0, end));
    reference.remove_prefix(end);
    if (at->is_array()) {
      std::size_t index = at->items.size();
      const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), index);
      at = error == std::errc() && stop == part.data() + part.size() && index < at->items.size() ? &at->items[index]
                                                                                                 : nullptr;
    } else {
      at = at->find(part);
    }
  }
  return at;
}

enum class Type : u8 { kNull, kBoolean, kInteger, kNumber, kString, kArray, kObject };
using TypeSet = std::set<Type>;

std::optional<Type> type_named(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {"null",   "boolean", "integer", "number",
                                                      "string", "array",   "object"};
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Type>(found - kNames.begin());
}

Type type_of(const Json& value) {
  switch (value.kind) {
    case Json::Kind::kNull:
      return Type::kNull;
    case Json::Kind::kFalse:
    case Json::Kind::kTrue:
      return Type::kBoolean;
    case Json::Kind::kNumber:
      return value.as_integer() ? Type::kInteger : Type::kNumber;
    case Json::Kind::kString:
      return Type::kString;
    case Json::Kind::kArray:
      return Type::kArray;
    case Json::Kind::kObject:
      return Type::kObject;
  }
  return Type::kNull;
}

const TypeSet& all_types() {
  static const TypeSet all = {Type::kNull,   Type::kBoolean, Type::kInteger, Type::kNumber,
                              Type::kString, Type::kArray,   Type::kObject};
  return all;
}

TypeSet declared_types(const Json& schema) {
  TypeSet types;
  const Json* type = schema.find("type");
  if (type == nullptr) return types;
  const auto add = [&](const Json& name) {
    if (const std::optional<Type> known = type_named(name.text)) types.insert(*known);
  };
  if (type->is_string()) add(*type);
  for (const Json& name : type->items) add(name);
  const Json* nullable = schema.find("nullable");
  if (nullable != nullptr && nullable->kind == Json::Kind::kTrue) types.insert(Type::kNull);
  return types;
}

bool has_any(const Json& schema, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return schema.find(key) != nullptr; });
}

// The types that a schema's keywords leave; keywords of one type alone stand for that type.
TypeSet possible_types(const Json& schema, const Json& root, u32 depth = 0) {
  if (!schema.is_object() || depth > kDeepestSchema) return all_types();
  if (const Json* reference = schema.find("$ref"); reference != nullptr) {
    const Json* target = resolve(root, reference->text);
    return target == nullptr ? all_types() : possible_types(*target, root, depth + 1);
  }
  TypeSet types = declared_types(schema);
  if (const Json* constant = schema.find("const")) return {type_of(*constant)};
  if (const Json* values = schema.find("enum")) {
    TypeSet found;
    for (const Json& value : values->items) found.insert(type_of(value));
    return found;
  }
  for (const std::string_view key : {"anyOf", "oneOf", "allOf"}) {
    const Json* branches = schema.find(key);
    if (branches == nullptr) continue;
    TypeSet found;
    for (const Json& branch : branches->items) found.merge(possible_types(branch, root, depth + 1));
    return found;
  }
  if (!types.empty()) return types;
  if (has_any(schema, {"properties", "required", "additionalProperties", "patternProperties", "propertyNames"}))
    return {Type::kObject};
  if (has_any(schema, {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"})) return {Type::kArray};
  if (has_any(schema, {"minLength", "maxLength", "pattern"})) return {Type::kString};
  if (has_any(schema, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}))
    return {Type::kNumber};
  return all_types();
}

}  // namespace

// One schema document while it is compiled. The first problem is kept; afterwards what is built is of no use.
class SchemaCompiler::Document {
 public:
  Document(SchemaCompiler& compiler, const Json& root, std::string name)
      : grammar_(compiler.grammar_), json_(compiler.json_), compiler_(compiler), root_(root), name_(std::move(name)) {}

  Result<GrammarRule> compile(const Json& part) {
    const GrammarRule rule = schema(part, "", 0);
    if (problem_) return Error{*problem_};
    if (grammar_.too_large()) return Error{fmt::format("{}: the schema is too large", name_)};
    return rule;
  }

 private:
  // A part of the schema that a grammar cannot hold. Gives the rule that stands there.
  GrammarRule unsupported(const std::string& path, std::string_view what) {
    const std::string problem = fmt::format("{}: {} {}", name_, path.empty() ? "the schema" : path, what);
    if (compiler_.unsupported_ == UnsupportedSchema::kFree) {
      compiler_.free_->push_back(problem);
    } else {
      fail(problem);
    }
    return json_.value;
  }
  void fail(std::string problem) {
    if (!problem_) problem_ = std::move(problem);
  }
  void fail(const std::string& path, std::string_view what) {
    fail(fmt::format("{}: {} {}", name_, path.empty() ? "the schema" : path, what));
  }

  GrammarRule schema(const Json& of, const std::string& path, u32 depth) {
    if (problem_) return json_.value;
    if (const auto known = rules_.find(&of); known != rules_.end()) return known->second;
    if (depth > kDeepestSchema || rules_.size() >= kMostSchemas || grammar_.too_large()) {
      fail(path, "is too deep or too large");
      return json_.value;
    }
    if (leads_to_itself(of)) return unsupported(path, "refers to itself without anything between");
    const GrammarRule rule = grammar_.declare_rule();
    rules_.emplace(&of, rule);
    grammar_.define_rule(rule, grammar_.call(build(of, path, depth), grammar_.end()));
    return rule;
  }

  GrammarRule build(const Json& of, const std::string& path, u32 depth) {
    if (of.kind == Json::Kind::kTrue) return json_.value;
    if (of.kind == Json::Kind::kFalse) return unsupported(path, "allows nothing");
    if (!of.is_object()) {
      fail(path, "is neither an object nor true or false");
      return json_.value;
    }
    if (of.find("$ref") != nullptr) return reference(of, path, depth);
    if (of.find("const") != nullptr || of.find("enum") != nullptr) return constants(of, path);
    for (const std::string_view key : {"anyOf", "oneOf", "allOf"}) {
      if (of.find(key) != nullptr) return branches(of, path, key, depth);
    }
    return typed(of, path, depth);
  }

  // The first keyword that is neither known here nor an annotation.
  std::optional<std::string> other_keyword(const Json& of, std::initializer_list<std::string_view> known) const {
    for (const JsonMember& member : of.members) {
      if (is_annotation(member.key) || std::ranges::find(known, member.key) != known.end()) continue;
      return member.key;
    }
    return std::nullopt;
  }

  GrammarRule reference(const Json& of, const std::string& path, u32 depth) {
    const std::string& target = of.find("$ref")->text;
    if (const auto other = other_keyword(of, {"$ref", "type"}))
      return unsupported(path + "/" + *other, "beside $ref is not supported");
    const Json* found = resolve(root_, target);
    if (found == nullptr)
      return unsupported(path + "/$ref", fmt::format("points to nothing in the schema: {}", shown_text(target)));
    return schema(*found, target.substr(1), depth + 1);
  }
  // Whether references and branches alone lead from a schema back to it: such a schema says nothing.
  bool leads_to_itself(const Json& of) const {
    std::set<const Json*> seen;
    std::vector<const Json*> ahead = {&of};
    while (!ahead.empty()) {
      const Json* at = ahead.back();
      ahead.pop_back();
      const auto visit = [&](const Json* next) {
        if (next != nullptr && seen.insert(next).second) ahead.push_back(next);
      };
      if (const Json* reference = at->find("$ref")) {
        visit(resolve(root_, reference->text));
        continue;
      }
      for (const std::string_view key : {"anyOf", "oneOf", "allOf"}) {
        const Json* branches = at->find(key);
        if (branches == nullptr) continue;
        for (const Json& branch : branches->items) visit(&branch);
      }
    }
    return seen.contains(&of);
  }
  static std::string shown_text(std::string_view text) { return json_quoted(text.substr(0, 80)); }

  GrammarRule constants(const Json& of, const std::string& path) {
    if (const auto other = other_keyword(of, {"const", "enum", "type", "nullable", "minLength", "maxLength"})) {
      return unsupported(path + "/" + *other, "beside const or enum is not supported");
    }
    const TypeSet types = declared_types(of);
    const auto fits = [&](const Json& value) {
      if (types.empty() || types.contains(type_of(value))) return true;
      return type_of(value) == Type::kInteger && types.contains(Type::kNumber);
    };
    std::vector<GrammarNode> values;
    const auto add = [&](const Json& value) {
      if (fits(value)) values.push_back(grammar_.literal(dump_json(value), grammar_.end()));
    };
    if (const Json* constant = of.find("const")) {
      add(*constant);
    } else if (const Json* list = of.find("enum"); list->is_array()) {
      for (const Json& value : list->items) add(value);
    }
    if (types.contains(Type::kNull)) add(Json());
    if (values.empty()) return unsupported(path + "/enum", "allows nothing");
    return grammar_.add_rule(grammar_.either(values));
  }

  GrammarRule branches(const Json& of, const std::string& path, std::string_view key, u32 depth) {
    const std::string at = fmt::format("{}/{}", path, key);
    const Json& list = *of.find(key);
    if (!list.is_array() || list.items.empty()) {
      fail(at, "is not a list of schemas");
      return json_.value;
    }
    if (const auto other = other_keyword(of, {key, "type", "nullable"})) {
      return unsupported(path + "/" + *other, fmt::format("beside {} is not supported", key));
    }
    if (key == "allOf" && list.items.size() > 1) return unsupported(at, "of more than one schema is not supported");
    if (key == "oneOf" && !are_disjoint(list.items)) {
      return unsupported(at, "has branches that a value may fit at once; anyOf is supported");
    }
    std::vector<GrammarNode> choices;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      choices.push_back(grammar_.call(schema(list.items[i], fmt::format("{}/{}", at, i), depth + 1), grammar_.end()));
    }
    if (declared_types(of).contains(Type::kNull)) choices.push_back(grammar_.literal("null", grammar_.end()));
    return grammar_.add_rule(grammar_.either(choices));
  }

  // Whether no value fits two of the schemas, as far as types and constant properties tell.
  bool are_disjoint(const std::vector<Json>& schemas) const {
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      for (std::size_t j = i + 1; j < schemas.size(); ++j) {
        if (!are_disjoint(schemas[i], schemas[j])) return false;
      }
    }
    return true;
  }
  bool are_disjoint(const Json& a, const Json& b) const {
    TypeSet types_a = possible_types(a, root_);
    const TypeSet types_b = possible_types(b, root_);
    if (types_a.contains(Type::kNumber)) types_a.insert(Type::kInteger);
    const bool share = std::ranges::any_of(types_a, [&](Type type) {
      return types_b.contains(type) || (type == Type::kInteger && types_b.contains(Type::kNumber));
    });
    if (!share) return true;
    const std::vector<Json> values_a = constants_of(a);
    const std::vector<Json> values_b = constants_of(b);
    if (!values_a.empty() && !values_b.empty()) return no_common(values_a, values_b);
    return differ_in_a_property(a, b);
  }
  static std::vector<Json> constants_of(const Json& schema) {
    if (const Json* constant = schema.find("const")) return {*constant};
    if (const Json* values = schema.find("enum")) return values->items;
    return {};
  }
  static bool no_common(const std::vector<Json>& a, const std::vector<Json>& b) {
    return std::ranges::none_of(
        a, [&](const Json& x) { return std::ranges::any_of(b, [&](const Json& y) { return json_equal(x, y); }); });
  }
  const Json& target(const Json& schema) const {
    const Json* reference = schema.find("$ref");
    const Json* found = reference == nullptr ? nullptr : resolve(root_, reference->text);
    return found == nullptr ? schema : *found;
  }
  bool differ_in_a_property(const Json& of_a, const Json& of_b) const {
    const Json& a = target(of_a);
    const Json& b = target(of_b);
    const Json* properties = a.find("properties");
    if (properties == nullptr || possible_types(a, root_) != TypeSet{Type::kObject} ||
        possible_types(b, root_) != TypeSet{Type::kObject})
      return false;
    return std::ranges::any_of(properties->members, [&](const JsonMember& member) {
      const Json* other = b.find("properties");
      other = other == nullptr ? nullptr : other->find(member.key);
      if (other == nullptr || !is_required(a, member.key) || !is_required(b, member.key)) return false;
      const std::vector<Json> values_a = constants_of(member.value);
      const std::vector<Json> values_b = constants_of(*other);
      return !values_a.empty() && !values_b.empty() && no_common(values_a, values_b);
    });
  }
  static bool is_required(const Json& schema, std::string_view key) {
    const Json* required = schema.find("required");
    return required != nullptr &&
           std::ranges::any_of(required->items, [&](const Json& name) { return name.text == key; });
  }

  GrammarRule typed(const Json& of, const std::string& path, u32 depth) {
    if (const Json* type = of.find("type")) {
      const bool known = type->is_string() ? type_named(type->text).has_value()
                                           : type->is_array() && !type->items.empty() &&
                                                 std::ranges::all_of(type->items, [](const Json& name) {
                                                   return name.is_string() && type_named(name.text);
                                                 });
      if (!known) {
        fail(path + "/type", "is no type of JSON Schema");
        return json_.value;
      }
    }
    if (const auto other = other_keyword(
            of, {"type",          "nullable",    "properties",       "required",         "additionalProperties",
                 "minProperties", "items",       "prefixItems",      "additionalItems",  "minItems",
                 "maxItems",      "uniqueItems", "minLength",        "maxLength",        "pattern",
                 "minimum",       "maximum",     "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})) {
      return unsupported(path + "/" + *other, "is not supported");
    }
    const TypeSet types = possible_types(of, root_);
    if (types == all_types()) return json_.value;
    std::vector<GrammarNode> choices;
    for (const Type type : types) choices.push_back(grammar_.call(of_type(type, of, path, depth), grammar_.end()));
    return grammar_.add_rule(grammar_.either(choices));
  }

  GrammarRule of_type(Type type, const Json& of, const std::string& path, u32 depth) {
    switch (type) {
      case Type::kNull:
        return grammar_.add_rule(grammar_.literal("null", grammar_.end()));
      case Type::kBoolean:
        return grammar_.add_rule(
            grammar_.either({grammar_.literal("true", grammar_.end()), grammar_.literal("false", grammar_.end())}));
      case Type::kInteger:
      case Type::kNumber:
        return number(type, of, path);
      case Type::kString:
        return string(of, path);
      case Type::kArray:
        return array(of, path, depth);
      case Type::kObject:
        return object(of, path, depth);
    }
    return json_.value;
  }

  // A count such as minLength; nothing if it is absent.
  std::optional<u32> count(const Json& of, std::string_view key, const std::string& path) {
    const Json* value = of.find(key);
    if (value == nullptr) return std::nullopt;
    const std::optional<i64> number = as_whole(*value);
    if (!number || *number < 0) {
      fail(fmt::format("{}/{}", path, key), "is not a whole number from 0");
      return std::nullopt;
    }
    return static_cast<u32>(std::min<i64>(*number, kUnlimited - 1));
  }
  // 3, also where it is written 3.0 or 3e0.
  static std::optional<i64> as_whole(const Json& value) {
    if (!value.is_number()) return std::nullopt;
    if (const std::optional<i64> integer = value.as_integer()) return integer;
    const double number = std::strtod(value.text.c_str(), nullptr);
    if (std::abs(number) > 9e15 || std::floor(number) != number) return std::nullopt;
    return static_cast<i64>(number);
  }

  GrammarRule number(Type type, const Json& of, const std::string& path) {
    if (const Json* step = of.find("multipleOf");
        step != nullptr && !(type == Type::kInteger && as_whole(*step) == 1)) {
      return unsupported(path + "/multipleOf", "is not supported, but 1 of integers");
    }
    const bool bounded = has_any(of, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"});
    if (!bounded) return type == Type::kInteger ? json_.integer : json_.number;
    if (type == Type::kNumber) return bounded_number(of, path);
    std::optional<i64> least;
    std::optional<i64> most;
    if (!integer_bounds(of, path, least, most)) return json_.integer;
    if (least && most && *least > *most) return unsupported(path, "allows no integer");
    return grammar_.add_rule(integer_range(grammar_, least, most, grammar_.end()));
  }
  bool integer_bounds(const Json& of, const std::string& path, std::optional<i64>& least, std::optional<i64>& most) {
    for (const auto& [key, step] : std::initializer_list<std::pair<std::string_view, int>>{
             {"minimum", 0}, {"exclusiveMinimum", 1}, {"maximum", 0}, {"exclusiveMaximum", -1}}) {
      const Json* bound = of.find(key);
      if (bound == nullptr) continue;
      const std::optional<i64> value = as_whole(*bound);
      constexpr i64 kLargest = i64{1} << 62;
      if (!value || *value > kLargest || *value < -kLargest) {
        unsupported(fmt::format("{}/{}", path, key), "is supported for whole numbers only");
        return false;
      }
      if (key.ends_with("inimum")) {
        least = std::max(least.value_or(*value + step), *value + step);
      } else {
        most = std::min(most.value_or(*value + step), *value + step);
      }
    }
    return true;
  }
  // Of numbers with a fraction only the sign can be told by a grammar of this kind.
  GrammarRule bounded_number(const Json& of, const std::string& path) {
    const Json* least = of.find("minimum");
    if (has_any(of, {"maximum", "exclusiveMinimum", "exclusiveMaximum"}) || least == nullptr || as_whole(*least) != 0) {
      unsupported(
          path, "bounds a number in a way that is not supported (integers may be bounded, numbers by a minimum of 0)");
      return json_.number;
    }
    // A number without a sign: integer_range gives the part before the point.
    const GrammarRule digit = grammar_.add_rule(grammar_.bytes(byte_range('0', '9'), grammar_.end()));
    const GrammarNode fraction = grammar_.literal(".", grammar_.repeat(digit, 1, kUnlimited, grammar_.end()));
    return grammar_.add_rule(integer_range(grammar_, 0, std::nullopt, grammar_.either({grammar_.end(), fraction})));
  }

  GrammarRule string(const Json& of, const std::string& path) {
    const std::optional<u32> least = count(of, "minLength", path);
    const std::optional<u32> most = count(of, "maxLength", path);
    const Json* pattern = of.find("pattern");
    if (pattern != nullptr && (least.value_or(0) > 0 || most)) {
      return string_or_unsupported(path + "/pattern", "beside minLength or maxLength is not supported");
    }
    if (pattern != nullptr) return matching_string(*pattern, path + "/pattern");
    if (!least && !most) return json_.string;
    if (least.value_or(0) > most.value_or(kUnlimited)) return unsupported(path, "allows no string");
    return grammar_.add_rule(
        grammar_.literal("\"", grammar_.repeat(json_.character, least.value_or(0), most.value_or(kUnlimited),
                                               grammar_.literal("\"", grammar_.end()))));
  }
  GrammarRule string_or_unsupported(const std::string& path, std::string_view what) {
    unsupported(path, what);
    return json_.string;
  }
  GrammarRule matching_string(const Json& pattern, const std::string& path) {
    const ByteSet plain = byte_range(0x20, 0x7e) & ~byte_set("\"\\");
    const auto escaped = [&](const ByteSet& set, GrammarNode next, std::vector<GrammarNode>& choices) {
      for (const auto& [character, escape] : std::initializer_list<std::pair<char, std::string_view>>{{'"', "\\\""},
                                                                                                      {'\\', "\\\\"},
                                                                                                      {'\n', "\\n"},
                                                                                                      {'\r', "\\r"},
                                                                                                      {'\t', "\\t"},
                                                                                                      {'\f', "\\f"},
                                                                                                      {'\b', "\\b"}}) {
        if (set.test(static_cast<u8>(character))) choices.push_back(grammar_.literal(escape, next));
      }
    };
    const PatternContext context = {
        grammar_,
        [&](const ByteSet& ascii, GrammarNode next) {
          std::vector<GrammarNode> choices;
          if ((ascii & plain).any()) choices.push_back(grammar_.bytes(ascii & plain, next));
          escaped(ascii, next, choices);
          return choices.empty() ? grammar_.bytes({}, next) : grammar_.either(choices);
        },
        [&](const ByteSet& ascii, GrammarNode next) {
          std::vector<GrammarNode> choices = {utf8_character(grammar_, plain & ~ascii, next)};
          escaped(~ascii, next, choices);
          return grammar_.either(choices);
        }};
    const Result<GrammarNode> inside = compile_pattern(context, pattern.text, grammar_.literal("\"", grammar_.end()));
    if (!inside)
      return string_or_unsupported(path, fmt::format("{}: {}", shown_text(pattern.text), inside.error().message));
    return grammar_.add_rule(grammar_.literal("\"", *inside));
  }

  GrammarRule array(const Json& of, const std::string& path, u32 depth) {
    if (const Json* unique = of.find("uniqueItems"); unique != nullptr && unique->kind == Json::Kind::kTrue) {
      unsupported(path + "/uniqueItems", "is not supported");
    }
    std::vector<GrammarRule> first;
    const Json* items = of.find("items");
    const Json* prefix = of.find("prefixItems");
    if (items != nullptr && items->is_array()) std::swap(items, prefix);  // the form before 2020
    if (prefix != nullptr) {
      for (std::size_t i = 0; i < prefix->items.size(); ++i) {
        first.push_back(schema(prefix->items[i], fmt::format("{}/prefixItems/{}", path, i), depth + 1));
      }
    }
    if (prefix != nullptr && items == nullptr) items = of.find("additionalItems");
    const bool closed = items != nullptr && items->kind == Json::Kind::kFalse;
    const GrammarRule rest = items == nullptr || closed ? json_.value : schema(*items, path + "/items", depth + 1);
    const u32 least = count(of, "minItems", path).value_or(0);
    u32 most = count(of, "maxItems", path).value_or(kUnlimited);
    if (closed) most = std::min(most, static_cast<u32>(first.size()));
    if (least > most) return unsupported(path, "allows no array");
    return grammar_.add_rule(items_between(first, rest, least, most));
  }

  // "[", items with commas between, "]".
  GrammarNode items_between(const std::vector<GrammarRule>& first, GrammarRule rest, u32 least, u32 most) {
    Grammar& g = grammar_;
    const GrammarNode end = g.call(json_.blank, g.literal("]", g.end()));
    const auto n_first = static_cast<u32>(first.size());
    // What follows the last of the first items, or of item number 1 where there are none.
    const u32 before = std::max(n_first, 1u);
    const GrammarRule more = g.add_rule(g.call(json_.comma, g.call(rest, g.end())));
    const u32 most_more = most == kUnlimited ? kUnlimited : most - std::min(most, before);
    GrammarNode next = g.repeat(more, least - std::min(least, before), most_more, end);
    for (u32 i = before; i-- > 0;) {
      const GrammarRule item = i < n_first ? first[i] : rest;
      const GrammarNode present = i == 0 ? g.call(item, next) : g.call(json_.comma, g.call(item, next));
      if (i >= most) {
        next = end;
      } else {
        next = i < least ? present : g.either({present, i == 0 ? g.literal("]", g.end()) : end});
      }
    }
    return g.literal("[", g.call(json_.blank, most == 0 ? g.literal("]", g.end()) : next));
  }

  GrammarRule object(const Json& of, const std::string& path, u32 depth) {
    struct Property {
      std::string key;
      GrammarRule value;
      bool required;
    };
    std::vector<Property> declared;
    const Json* properties = of.find("properties");
    if (properties != nullptr && properties->members.size() > kMostProperties) {
      return unsupported(path + "/properties", fmt::format("are more than {}", kMostProperties));
    }
    if (properties != nullptr) {
      for (const JsonMember& member : properties->members) {
        declared.push_back({member.key,
                            schema(member.value, fmt::format("{}/properties/{}", path, member.key), depth + 1),
                            is_required(of, member.key)});
      }
    }
    if (const Json* required = of.find("required"); required != nullptr) {
      for (const Json& name : required->items) {
        if (std::ranges::none_of(declared, [&](const Property& known) { return known.key == name.text; }))
          declared.push_back({name.text, json_.value, true});
      }
    }
    const Json* more = of.find("additionalProperties");
    const bool asked = more != nullptr && more->kind != Json::Kind::kFalse;
    const bool open = asked || (more == nullptr && properties == nullptr);
    std::optional<u32> least = count(of, "minProperties", path);
    const auto n_required = static_cast<u32>(std::ranges::count_if(declared, &Property::required));
    if (least.value_or(0) > n_required && !(declared.empty() && open)) {
      unsupported(path + "/minProperties", "above the number of required properties is not supported");
    }
    Grammar& g = grammar_;
    const GrammarNode end = g.call(json_.blank, g.literal("}", g.end()));
    // By whether a member stands before: a comma, or none.
    std::array<GrammarNode, 2> next = {g.literal("}", g.end()), end};
    if (open) {
      const GrammarRule value = asked ? schema(*more, path + "/additionalProperties", depth + 1) : json_.value;
      std::vector<std::string> keys;
      for (const Property& property : declared) keys.push_back(property.key);
      const GrammarRule member = g.add_rule(other_key(keys, g.call(value, g.end())));
      const GrammarRule another = g.add_rule(g.call(json_.comma, g.call(member, g.end())));
      const u32 more_least = declared.empty() ? least.value_or(0) : 0;
      const GrammarNode some =
          g.call(member, g.repeat(another, more_least - std::min(more_least, 1u), kUnlimited, end));
      next = {more_least > 0 ? some : g.either({some, next[0]}), g.repeat(another, 0, kUnlimited, end)};
    }
    for (std::size_t i = declared.size(); i-- > 0;) {
      const Property& property = declared[i];
      const GrammarNode colon =
          g.literal(":", g.optional(g.literal(" ", g.call(property.value, next[1])), g.call(property.value, next[1])));
      const GrammarNode member = g.literal("\"", json_characters(g, property.key, g.literal("\"", colon)));
      const GrammarNode later = g.call(json_.comma, member);
      next = property.required ? std::array{member, later}
                               : std::array{g.either({member, next[0]}), g.either({later, next[1]})};
    }
    return g.add_rule(g.literal("{", g.call(json_.blank, next[0])));
  }

  // A key that is none of `keys`, with its colon.
  GrammarNode other_key(const std::vector<std::string>& keys, GrammarNode value) {
    Grammar& g = grammar_;
    const GrammarNode colon = g.literal(":", g.optional(g.literal(" ", value), value));
    if (keys.empty()) return g.call(json_.string, colon);
    std::vector<std::string> spelled;
    for (const std::string& key : keys) {
      std::string escaped;
      append_json_escaped(escaped, key);
      spelled.push_back(escaped);
    }
    std::ranges::sort(spelled);
    // Escapes could spell a declared key in another way.
    const ByteSet plain = byte_range(0x20, 0x7f) & ~byte_set("\"\\");
    const GrammarRule character = g.add_rule(utf8_character(g, plain, g.end()));
    return g.literal("\"", unlike(spelled, 0, character, plain, g.literal("\"", colon)));
  }
  // A key whose first `depth` bytes are those of all `keys`, to be continued so that it equals none of them. `closing`:
  // the quote and what follows.
  GrammarNode unlike(std::span<const std::string> keys, std::size_t depth, GrammarRule character, const ByteSet& plain,
                     GrammarNode closing) {
    Grammar& g = grammar_;
    std::vector<GrammarNode> choices;
    ByteSet taken;
    const bool equal = !keys.empty() && keys.front().size() == depth;
    for (std::size_t first = equal ? 1 : 0; first < keys.size();) {
      std::size_t end = first;
      while (end < keys.size() && keys[end][depth] == keys[first][depth]) ++end;
      const char byte = keys[first][depth];
      taken.set(static_cast<u8>(byte));
      // Keys beyond ASCII and with escapes are excluded as a whole with all that begin alike.
      if (plain.test(static_cast<u8>(byte)))
        choices.push_back(g.literal(std::string(1, byte),
                                    unlike(keys.subspan(first, end - first), depth + 1, character, plain, closing)));
      first = end;
    }
    const ByteSet other_ascii = plain & ~taken;
    const bool beyond_ascii = (taken & ~byte_range(0, 0x7f)).any();
    const GrammarNode rest = g.repeat(character, 0, kUnlimited, closing);
    choices.push_back(beyond_ascii ? g.bytes(other_ascii, rest) : utf8_character(g, other_ascii, rest));
    if (!equal) choices.push_back(closing);
    return g.either(choices);
  }

  Grammar& grammar_;
  const JsonRules& json_;
  SchemaCompiler& compiler_;
  const Json& root_;
  std::string name_;
  std::map<const Json*, GrammarRule> rules_;
  std::optional<std::string> problem_;
};

SchemaCompiler::SchemaCompiler(Grammar& grammar, const JsonRules& json, UnsupportedSchema unsupported,
                               std::vector<std::string>* free)
    : grammar_(grammar), json_(json), unsupported_(unsupported), free_(free) {}

Result<GrammarRule> SchemaCompiler::compile_part(const Json& schema, const Json& root, const std::string& name) {
  return Document(*this, root, name).compile(schema);
}

SchemaCompiler::Types SchemaCompiler::types(const Json& schema, const Json& root) {
  const TypeSet types = possible_types(schema, root);
  return {types.contains(Type::kString), types.size() > (types.contains(Type::kString) ? 1u : 0u)};
}

}  // namespace bolide::text
