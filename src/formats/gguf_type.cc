#include "formats/gguf_type.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/check.h"

namespace bolide::formats {
namespace {

struct UnreadType {
  u32 number;
  std::string_view name;
};
// Types that GGUF files of other recipes have, for messages.
constexpr std::array<UnreadType, 26> kUnreadTypes{
    {{2, "Q4_0"},    {3, "Q4_1"},   {6, "Q5_0"},   {7, "Q5_1"},    {9, "Q8_1"},     {10, "Q2_K"},    {11, "Q3_K"},
     {13, "Q5_K"},   {14, "Q6_K"},  {15, "Q8_K"},  {17, "IQ2_XS"}, {16, "IQ2_XXS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"},
     {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"}, {23, "IQ4_XS"}, {25, "I16"},     {26, "I32"},     {27, "I64"},
     {28, "F64"},    {29, "IQ1_M"}, {34, "TQ1_0"}, {35, "TQ2_0"},  {40, "NVFP4"}}};

}  // namespace

std::optional<GgufType> gguf_type(u32 number) {
  if (number == static_cast<u32>(GgufType::kI8)) return GgufType::kI8;
  const std::optional<WeightType> type = weight_type(number);
  return type ? std::optional(gguf_type(*type)) : std::nullopt;
}

GgufType gguf_type(WeightType type) {
  return static_cast<GgufType>(type);  // the numbers are the same
}

std::optional<WeightType> weight_type(GgufType type) {
  return weight_type(static_cast<u32>(type));
}

std::string_view name(GgufType type) {
  const std::optional<WeightType> weights = weight_type(type);
  return weights ? name(*weights) : "I8";
}

std::string unreadable_type(u32 number) {
  constexpr std::string_view kAdvice =
      "types that Bolide reads are F32, F16, BF16, Q8_0, Q4_K and MXFP4; take the Q4 or the MXFP4 file of the model, "
      "or "
      "convert the official checkpoint";
  const auto* found = std::ranges::find(kUnreadTypes, number, &UnreadType::number);
  if (found == kUnreadTypes.end()) return fmt::format("its type {} is unknown; {}", number, kAdvice);
  return fmt::format("its type {} is not supported; {}", found->name, kAdvice);
}

GgufBlock block_of(GgufType type) {
  switch (type) {
    case GgufType::kF32:
      return {.elements = 1, .bytes = 4};
    case GgufType::kF16:
    case GgufType::kBF16:
      return {.elements = 1, .bytes = 2};
    case GgufType::kI8:
      return {.elements = 1, .bytes = 1};
    case GgufType::kQ8_0:
      return {.elements = 32, .bytes = 34};
    case GgufType::kMXFP4:
      return {.elements = 32, .bytes = 17};
    case GgufType::kQ4_K:
      return {.elements = 256, .bytes = 144};
  }
  check(false, "types are made by gguf_type()");
  return {};
}

u64 row_bytes(GgufType type, u64 columns) {
  const GgufBlock block = block_of(type);
  check(columns % block.elements == 0, "rows are whole blocks");
  return columns / block.elements * block.bytes;
}

}  // namespace bolide::formats
