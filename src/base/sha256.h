// SHA-256 over byte strings (OpenSSL's libcrypto): state hashes, file contents, identities.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace bolide {

using Sha256Digest = std::array<std::byte, 32>;

// Feeds bytes piece by piece; finish() gives the digest once.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void update(Bytes bytes);
  void update(std::string_view text) { update(as_bytes(text)); }
  // The little-endian bytes of a number or an array of numbers.
  template <class T>
    requires std::is_arithmetic_v<T>
  void update_number(T value) {
    update(std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  void update_numbers(std::span<const T> values) {
    update(std::as_bytes(values));
  }
  Sha256Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Sha256Digest sha256(Bytes bytes);

// 64 lower-case hexadecimal digits.
std::string to_hex(const Sha256Digest& digest);

}  // namespace bolide
