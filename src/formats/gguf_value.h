// A value of a GGUF file's metadata: a view into the file's bytes, whose lengths were checked when it was parsed.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace bolide::formats {

// Numbers are the format's.
enum class GgufValueType : u32 {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

// Bytes of a value of fixed size; 0 for strings and arrays, and for numbers that are no type.
u64 fixed_bytes(GgufValueType type);

struct GgufValue {
  GgufValueType type = GgufValueType::kU8;
  GgufValueType element = GgufValueType::kU8;  // of an array
  u64 count = 1;                               // elements of an array
  Bytes data;  // of a string its characters, of an array its elements one after the other

  // Each gives nothing where the value is of another kind.
  std::optional<std::string_view> text() const;
  std::optional<bool> truth() const;
  // An integer of any size that is not negative.
  std::optional<u64> whole() const;
  // A number of any type, rounded to binary64.
  std::optional<double> number() const;
  // Arrays.
  std::optional<std::vector<u64>> wholes() const;
  std::optional<std::vector<double>> numbers() const;
  std::optional<std::vector<std::string_view>> texts() const;
};

}  // namespace bolide::formats
