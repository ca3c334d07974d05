#include "formats/weight_type.h"

#include "base/check.h"

namespace bolide::formats {

std::optional<WeightType> weight_type(u32 number) {
  switch (static_cast<WeightType>(number)) {
    case WeightType::kF32:
    case WeightType::kF16:
    case WeightType::kQ8_0:
    case WeightType::kQ4_K:
    case WeightType::kBF16:
    case WeightType::kMXFP4:
      return static_cast<WeightType>(number);
  }
  return std::nullopt;
}

std::string_view name(WeightType type) {
  switch (type) {
    case WeightType::kF32:
      return "F32";
    case WeightType::kF16:
      return "F16";
    case WeightType::kQ8_0:
      return "Q8_0";
    case WeightType::kQ4_K:
      return "Q4_K";
    case WeightType::kBF16:
      return "BF16";
    case WeightType::kMXFP4:
      return "MXFP4";
  }
  check(false, "weight types are made by weight_type()");
  return {};
}

bool is_quantized(WeightType type) {
  return type == WeightType::kQ8_0 || type == WeightType::kQ4_K || type == WeightType::kMXFP4;
}

u64 float_bytes(WeightType type) {
  check(!is_quantized(type), "only float types have elements of whole bytes");
  return type == WeightType::kF32 ? 4 : 2;
}

}  // namespace bolide::formats
