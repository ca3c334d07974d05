// Builds GGUF files for tests, good ones and broken ones, field by field.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace bolide::formats {

class GgufBytes {
 public:
  explicit GgufBytes(u64 n_tensors = 0, u64 n_values = 0, u32 version = 3) {
    bytes_ = "GGUF";
    number(version);
    number(n_tensors);
    number(n_values);
  }

  template <class T>
  GgufBytes& number(T value) {
    bytes_ += as_text(std::as_bytes(std::span(&value, 1)));
    return *this;
  }
  GgufBytes& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  GgufBytes& text(std::string_view text) { return number(u64{text.size()}).raw(text); }
  // A metadata value's key and type; its bytes follow.
  GgufBytes& key(std::string_view name, u32 type) { return text(name).number(type); }
  GgufBytes& u32_value(std::string_view name, u32 value) { return key(name, 4).number(value); }

  GgufBytes& tensor(std::string_view name, const std::vector<u64>& dimensions, u32 type, u64 offset) {
    text(name).number(static_cast<u32>(dimensions.size()));
    for (const u64 dimension : dimensions) number(dimension);
    return number(type).number(offset);
  }
  // Zeros up to the alignment, then the data.
  GgufBytes& data(std::string_view payload, u64 alignment = 32) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
    return raw(payload);
  }

  const std::string& str() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace bolide::formats
