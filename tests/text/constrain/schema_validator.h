// A validator of JSON values by the subset of JSON Schema that grammars hold, written from the keywords' definitions
// and not from the grammar's code. `pattern` is checked by std::regex.
#pragma once
#include <algorithm>
#include <cmath>
#include <regex>

#include "text/json.h"
#include "text/utf8.h"

namespace bolide::text {

inline bool is_valid(const Json& value, const Json& schema, const Json& root);

inline double number_of(const Json& value) {
  return std::stod(value.text);
}

inline std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

inline bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_bool();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (!value.is_number()) return false;
  return type == "number" || std::floor(number_of(value)) == number_of(value);
}

inline bool valid_type(const Json& value, const Json& schema) {
  const Json* nullable = schema.find("nullable");
  if (nullable != nullptr && nullable->kind == Json::Kind::kTrue && value.is_null()) return true;
  const Json* type = schema.find("type");
  if (type == nullptr) return true;
  if (type->is_string()) return has_type(value, type->text);
  return std::ranges::any_of(type->items, [&](const Json& one) { return has_type(value, one.text); });
}

inline bool valid_numbers(const Json& value, const Json& schema) {
  if (!value.is_number()) return true;
  const double x = number_of(value);
  const auto bound = [&](const char* key, auto holds) {
    const Json* limit = schema.find(key);
    return limit == nullptr || holds(number_of(*limit));
  };
  return bound("minimum", [&](double b) { return x >= b; }) && bound("maximum", [&](double b) { return x <= b; }) &&
         bound("exclusiveMinimum", [&](double b) { return x > b; }) &&
         bound("exclusiveMaximum", [&](double b) { return x < b; });
}

inline bool valid_sizes(const Json& value, const Json& schema) {
  const auto between = [&](std::size_t size, const char* least, const char* most) {
    const Json* low = schema.find(least);
    const Json* high = schema.find(most);
    return (low == nullptr || size >= static_cast<std::size_t>(number_of(*low))) &&
           (high == nullptr || size <= static_cast<std::size_t>(number_of(*high)));
  };
  if (value.is_string()) {
    const Json* pattern = schema.find("pattern");
    if (pattern != nullptr && !std::regex_search(value.text, std::regex(pattern->text))) return false;
    return between(characters(value.text), "minLength", "maxLength");
  }
  if (value.is_array()) return between(value.items.size(), "minItems", "maxItems");
  if (value.is_object()) return between(value.members.size(), "minProperties", "maxProperties");
  return true;
}

inline bool valid_array(const Json& value, const Json& schema, const Json& root) {
  const Json* items = schema.find("items");
  const Json* prefix = schema.find("prefixItems");
  for (std::size_t i = 0; value.is_array() && i < value.items.size(); ++i) {
    const bool in_prefix = prefix != nullptr && i < prefix->items.size();
    const Json* of = in_prefix ? &prefix->items[i] : items;
    if (of != nullptr && !is_valid(value.items[i], *of, root)) return false;
  }
  return true;
}

inline bool valid_object(const Json& value, const Json& schema, const Json& root) {
  if (!value.is_object()) return true;
  const Json* properties = schema.find("properties");
  const Json* more = schema.find("additionalProperties");
  for (const JsonMember& member : value.members) {
    const Json* of = properties == nullptr ? nullptr : properties->find(member.key);
    if (of == nullptr) of = more;
    if (of != nullptr && !is_valid(member.value, *of, root)) return false;
  }
  const Json* required = schema.find("required");
  return required == nullptr ||
         std::ranges::all_of(required->items, [&](const Json& key) { return value.find(key.text) != nullptr; });
}

inline std::size_t valid_branches(const Json& value, const Json& list, const Json& root) {
  return static_cast<std::size_t>(
      std::ranges::count_if(list.items, [&](const Json& branch) { return is_valid(value, branch, root); }));
}

inline bool is_valid(const Json& value, const Json& schema, const Json& root) {
  if (schema.is_bool()) return schema.kind == Json::Kind::kTrue;
  if (const Json* reference = schema.find("$ref")) {
    const Json* target = &root;
    std::string rest = reference->text.substr(1);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('/', 1), rest.size());
      target = target->find(rest.substr(1, end - 1));
      rest = rest.substr(end);
    }
    return is_valid(value, *target, root);
  }
  const auto equals = [&](const Json& other) { return json_equal(value, other); };
  const Json* nullable = schema.find("nullable");
  const bool null_fits = nullable != nullptr && nullable->kind == Json::Kind::kTrue && value.is_null();
  if (const Json* constant = schema.find("const"); constant != nullptr && !equals(*constant)) return false;
  if (const Json* values = schema.find("enum");
      values != nullptr && !null_fits && std::ranges::none_of(values->items, equals))
    return false;
  if (const Json* list = schema.find("anyOf"); list != nullptr && valid_branches(value, *list, root) == 0) return false;
  if (const Json* list = schema.find("oneOf"); list != nullptr && valid_branches(value, *list, root) != 1) return false;
  if (const Json* list = schema.find("allOf");
      list != nullptr && valid_branches(value, *list, root) != list->items.size())
    return false;
  return valid_type(value, schema) && valid_numbers(value, schema) && valid_sizes(value, schema) &&
         valid_array(value, schema, root) && valid_object(value, schema, root);
}

}  // namespace bolide::text
