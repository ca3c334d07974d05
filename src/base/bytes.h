// Little-endian numbers in byte strings. All our files are little-endian, and so is every machine we support.
#pragma once
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/types.h"

namespace bolide {

static_assert(std::endian::native == std::endian::little, "Bolide maps its little-endian files without a copy");

using Bytes = std::span<const std::byte>;

// Reads a T at any alignment. The caller has checked that sizeof(T) bytes are there.
template <class T>
  requires std::is_trivially_copyable_v<T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Writes a T at any alignment.
template <class T>
  requires std::is_trivially_copyable_v<T>
void store(std::byte* at, const T& value) {
  std::memcpy(at, &value, sizeof value);
}

inline u8 byte_at(Bytes bytes, std::size_t i) {
  return static_cast<u8>(bytes[i]);
}

inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace bolide
