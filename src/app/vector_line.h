// One line of a file of test vectors (spec: a1-vectors.md): inputs as bit patterns, results to be met bit for bit.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace bolide::app {

class VectorLine {
 public:
  // `place` names file and line in messages.
  VectorLine(boost::json::object fields, std::string place) : fields_(std::move(fields)), place_(std::move(place)) {}

  std::string op() const;

  // Inputs. A missing or malformed field gives an empty list or 0 and is kept as the line's fault.
  std::vector<float> floats(std::string_view field);
  float scalar(std::string_view field);
  std::vector<u8> bytes(std::string_view field);
  std::vector<u16> halves(std::string_view field);
  std::vector<u32> words(std::string_view field);
  std::vector<u64> longs(std::string_view field);
  u64 integer(std::string_view field);
  // Says why the inputs make no sense together (unequal lengths, ...).
  bool need(bool condition, std::string_view why);

  // Results: `found` must equal the field in every bit.
  void expect(std::string_view field, std::span<const float> found);
  void expect(std::string_view field, std::span<const u8> found);
  void expect(std::string_view field, std::span<const u16> found);
  void expect(std::string_view field, std::span<const u32> found);
  void expect_integers(std::string_view field, std::span<const u32> found);
  void expect_integer(std::string_view field, u64 found);

  // The first fault or difference, naming line, field, index and both values.
  Status status() const { return fault_ ? Status(Error{*fault_}) : Status(); }
  bool failed() const { return fault_.has_value(); }
  void fail(std::string message);

 private:
  template <class T>
  std::vector<T> numbers(std::string_view field);
  template <class T>
  void compare(std::string_view field, std::span<const T> found);

  boost::json::object fields_;
  std::string place_;
  std::optional<std::string> fault_;
};

}  // namespace bolide::app
