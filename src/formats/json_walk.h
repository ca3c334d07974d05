// JSON headers of untrusted files, value by value, without building the document: a header may be 100 MB of brackets.
// Duplicate keys, which a document tree would silently merge, are refused.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace bolide::formats {

// The keys that lead to a value. Elements of an array have the path of the array.
using JsonPath = std::span<const std::string>;

// Receives a document's values in order. What is not overridden is refused as unexpected.
class JsonVisitor {
 public:
  JsonVisitor() = default;
  JsonVisitor(const JsonVisitor&) = delete;
  JsonVisitor& operator=(const JsonVisitor&) = delete;
  JsonVisitor(JsonVisitor&&) = delete;
  JsonVisitor& operator=(JsonVisitor&&) = delete;
  virtual ~JsonVisitor() = default;

  virtual Status begin_object(JsonPath path);
  virtual Status begin_array(JsonPath path);
  virtual Status text(JsonPath path, std::string_view value);
  // A whole number from 0 to 2^64 - 1.
  virtual Status number(JsonPath path, u64 value);
  // Null, a truth value, a negative number, a fraction, or a number beyond u64; `kind` says which.
  virtual Status other(JsonPath path, std::string_view kind);

 protected:
  static Error unexpected(JsonPath path, std::string_view kind);
};

// Walks one document of at most 8 levels, 1,000,000 elements an object or array, 256 bytes a key and 1 MiB a string.
// Stops at the first error; `what` (a path) stands in front of it.
Status walk_json(std::string_view text, std::string_view what, JsonVisitor& visitor);

}  // namespace bolide::formats
