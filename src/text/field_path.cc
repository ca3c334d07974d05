#include "text/field_path.h"

#include <fmt/format.h>

#include "text/utf8.h"

namespace bolide::text {

std::string FieldPath::words() const {
  if (parent_ == nullptr) return "";
  const std::string parent = parent_->words();
  if (index_) return fmt::format("{}[{}]", parent, *index_);
  return parent.empty() ? std::string(key_) : fmt::format("{}.{}", parent, key_);
}

void FieldReader::fail(const FieldPath& path, std::string_view problem) {
  if (error_) return;
  const std::string place = path.words();
  error_ = Error{fmt::format("{}: {}", place.empty() ? "the request" : place, problem)};
}

Json* FieldReader::any(Json& object, std::string_view key) {
  Json* value = object.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

Json* FieldReader::of_kind(Json& object, std::string_view key, const FieldPath& of, Json::Kind kind,
                           std::string_view wanted) {
  Json* value = any(object, key);
  if (value == nullptr || value->kind == kind) return value;
  fail(FieldPath(of, key), fmt::format("{} is wanted, not {}", wanted, shown(*value)));
  return nullptr;
}

Json* FieldReader::string(Json& object, std::string_view key, const FieldPath& of) {
  return of_kind(object, key, of, Json::Kind::kString, "a string");
}

Json* FieldReader::array(Json& object, std::string_view key, const FieldPath& of) {
  return of_kind(object, key, of, Json::Kind::kArray, "an array");
}

Json* FieldReader::object(Json& object, std::string_view key, const FieldPath& of) {
  return of_kind(object, key, of, Json::Kind::kObject, "an object");
}

std::optional<bool> FieldReader::boolean(const Json& object, std::string_view key, const FieldPath& of) {
  const Json* value = object.find(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (!value->is_bool()) {
    fail(FieldPath(of, key), fmt::format("true or false is wanted, not {}", shown(*value)));
    return std::nullopt;
  }
  return value->kind == Json::Kind::kTrue;
}

std::string shown(const Json& value) {
  constexpr std::size_t kLongest = 40;
  // A large value is not written out only to be cut.
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  std::string text = value.is_string() ? json_quoted(std::string_view(value.text).substr(0, 2 * kLongest)) : value.text;
  if (!value.is_string() && !value.is_number()) text = dump_json(value);
  if (text.size() <= kLongest) return text;
  std::size_t end = 0;
  while (true) {  // whole characters only
    const std::size_t length = first_char(std::string_view(text).substr(end)).length;
    if (length == 0 || end + length > kLongest) break;
    end += length;
  }
  return text.substr(0, end) + "...";
}

}  // namespace bolide::text
