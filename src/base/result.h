// The result of anything that the world can make fail (a file, a request, a full disk): a value or an Error.
// Our own faults are not results: they are stopped by check() (base/check.h).
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace bolide {

// One sentence (or a few) a user can act on: the thing, the value found, the value wanted, what to do.
struct Error {
  std::string message;
};

// A value of type T, or the Error that kept it from being made. Reading the wrong one stops the program.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return need(), std::get<0>(content_); }
  const T& value() const& { return need(), std::get<0>(content_); }
  T&& value() && { return need(), std::get<0>(std::move(content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    check(!ok(), "error() is asked only of a failed result");
    return std::get<1>(content_);
  }

 private:
  void need() const { check(ok(), "value() is asked only of a good result"); }
  std::variant<T, Error> content_;
};

// The result of an action without a value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }

  const Error& error() const {
    check(!ok(), "error() is asked only of a failed status");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace bolide
