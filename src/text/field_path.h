// Reading the fields of a request: where one is, and the first thing that is wrong, named by its place (pitfalls B43).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/json.h"

namespace bolide::text {

// A place such as messages[2].content: links on the stack, put into words only for an error.
class FieldPath {
 public:
  FieldPath() = default;
  FieldPath(const FieldPath& parent, std::string_view key) : parent_(&parent), key_(key) {}
  FieldPath(const FieldPath& parent, std::size_t index) : parent_(&parent), index_(index) {}

  std::string words() const;

 private:
  const FieldPath* parent_ = nullptr;  // null: the request itself
  std::string_view key_;
  std::optional<std::size_t> index_;
};

// Takes the fields of objects. Null and absent are the same everywhere. After the first error the rest may be read on
// without harm; the error is asked for at the end.
class FieldReader {
 public:
  // Keeps the first error, "path: problem".
  void fail(const FieldPath& path, std::string_view problem);
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }

  // Null if `object` has no such field or it is null; also, with an error, if it is of another kind.
  Json* string(Json& object, std::string_view key, const FieldPath& of);
  Json* array(Json& object, std::string_view key, const FieldPath& of);
  Json* object(Json& object, std::string_view key, const FieldPath& of);
  std::optional<bool> boolean(const Json& object, std::string_view key, const FieldPath& of);
  static Json* any(Json& object, std::string_view key);

 private:
  Json* of_kind(Json& object, std::string_view key, const FieldPath& of, Json::Kind kind, std::string_view wanted);

  std::optional<Error> error_;
};

// A value for an error: its JSON, cut if it is long.
std::string shown(const Json& value);

}  // namespace bolide::text
