#include "text/call_id.h"

#include <random>

namespace bolide::text {

std::string new_call_id(std::string_view prefix) {
  constexpr std::string_view kAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::size_t kLength = 24;
  std::random_device random;  // of the operating system or the processor
  std::uniform_int_distribution<std::size_t> letter(0, kAlphabet.size() - 1);
  std::string id(prefix);
  for (std::size_t i = 0; i < kLength; ++i) id += kAlphabet[letter(random)];
  return id;
}

}  // namespace bolide::text
