#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace bolide {

struct Sha256::Context {
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(handle); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(context_->handle != nullptr && EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr) == 1,
        "libcrypto always has SHA-256");
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(Bytes bytes) {
  check(EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()) == 1, "hashing bytes in memory cannot fail");
}

Sha256Digest Sha256::finish() {
  Sha256Digest digest;
  check(EVP_DigestFinal_ex(context_->handle, reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1,
        "finish() is called once");
  return digest;
}

Sha256Digest sha256(Bytes bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string to_hex(const Sha256Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::byte value : digest) {
    text.push_back(kDigits[static_cast<u8>(value) >> 4]);
    text.push_back(kDigits[static_cast<u8>(value) & 15]);
  }
  return text;
}

}  // namespace bolide
