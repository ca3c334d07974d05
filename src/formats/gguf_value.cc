#include "formats/gguf_value.h"

#include "base/check.h"

namespace bolide::formats {
namespace {

template <class T>
std::optional<u64> whole_of(const std::byte* at) {
  const T value = load<T>(at);
  if constexpr (std::is_signed_v<T>) {
    if (value < 0) return std::nullopt;
  }
  return static_cast<u64>(value);
}

std::optional<u64> whole_at(GgufValueType type, const std::byte* at) {
  switch (type) {
    case GgufValueType::kU8:
      return whole_of<u8>(at);
    case GgufValueType::kI8:
      return whole_of<i8>(at);
    case GgufValueType::kU16:
      return whole_of<u16>(at);
    case GgufValueType::kI16:
      return whole_of<i16>(at);
    case GgufValueType::kU32:
      return whole_of<u32>(at);
    case GgufValueType::kI32:
      return whole_of<i32>(at);
    case GgufValueType::kU64:
      return whole_of<u64>(at);
    case GgufValueType::kI64:
      return whole_of<i64>(at);
    default:
      return std::nullopt;
  }
}

std::optional<double> number_at(GgufValueType type, const std::byte* at) {
  switch (type) {
    case GgufValueType::kI8:
      return load<i8>(at);
    case GgufValueType::kI16:
      return load<i16>(at);
    case GgufValueType::kI32:
      return load<i32>(at);
    case GgufValueType::kI64:
      return static_cast<double>(load<i64>(at));
    case GgufValueType::kF32:
      return load<float>(at);
    case GgufValueType::kF64:
      return load<double>(at);
    default: {
      const std::optional<u64> whole = whole_at(type, at);
      return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
    }
  }
}

// The elements of an array of fixed size, each read by `read(type, place)`.
template <class T, class Read>
std::optional<std::vector<T>> list(const GgufValue& value, Read read) {
  const u64 bytes = fixed_bytes(value.element);
  if (value.type != GgufValueType::kArray || bytes == 0) return std::nullopt;
  std::vector<T> elements;
  elements.reserve(value.count);  // the elements were found to be in the file
  for (u64 i = 0; i < value.count; ++i) {
    const std::optional<T> element = read(value.element, value.data.data() + i * bytes);
    if (!element) return std::nullopt;
    elements.push_back(*element);
  }
  return elements;
}

}  // namespace

u64 fixed_bytes(GgufValueType type) {
  switch (type) {
    case GgufValueType::kU8:
    case GgufValueType::kI8:
    case GgufValueType::kBool:
      return 1;
    case GgufValueType::kU16:
    case GgufValueType::kI16:
      return 2;
    case GgufValueType::kU32:
    case GgufValueType::kI32:
    case GgufValueType::kF32:
      return 4;
    case GgufValueType::kU64:
    case GgufValueType::kI64:
    case GgufValueType::kF64:
      return 8;
    case GgufValueType::kString:
    case GgufValueType::kArray:
      break;
  }
  return 0;
}

std::optional<std::string_view> GgufValue::text() const {
  return type == GgufValueType::kString ? std::optional(as_text(data)) : std::nullopt;
}

std::optional<bool> GgufValue::truth() const {
  return type == GgufValueType::kBool ? std::optional(data[0] != std::byte{0}) : std::nullopt;
}

std::optional<u64> GgufValue::whole() const {
  return whole_at(type, data.data());
}

std::optional<double> GgufValue::number() const {
  return number_at(type, data.data());
}

std::optional<std::vector<u64>> GgufValue::wholes() const {
  return list<u64>(*this, whole_at);
}

std::optional<std::vector<double>> GgufValue::numbers() const {
  return list<double>(*this, number_at);
}

std::optional<std::vector<std::string_view>> GgufValue::texts() const {
  if (type != GgufValueType::kArray || element != GgufValueType::kString) return std::nullopt;
  std::vector<std::string_view> elements;
  elements.reserve(count);
  Bytes rest = data;
  for (u64 i = 0; i < count; ++i) {
    const u64 length = load<u64>(rest.data());
    elements.push_back(as_text(rest.subspan(8, length)));
    rest = rest.subspan(8 + length);
  }
  check(rest.empty(), "an array ends with its last element");
  return elements;
}

}  // namespace bolide::formats
