#include "base/processor.h"

namespace bolide {

std::string missing_extensions() {
  std::string missing;
#if defined(__x86_64__)
  const auto require = [&missing](bool present, const char* name) {
    if (present) return;
    if (!missing.empty()) missing += ", ";
    missing += name;
  };
  // The x86-64-v3 level of cmake/CompilerFlags.cmake, as far as compilers make use of it.
  require(__builtin_cpu_supports("avx2") != 0, "AVX2");
  require(__builtin_cpu_supports("fma") != 0, "FMA");
  require(__builtin_cpu_supports("f16c") != 0, "F16C");
  require(__builtin_cpu_supports("bmi") != 0, "BMI1");
  require(__builtin_cpu_supports("bmi2") != 0, "BMI2");
#endif
  return missing;
}

Status check_processor(const std::string& missing) {
  if (missing.empty()) return {};
  return Error{"this processor lacks " + missing +
               "; Bolide needs the level x86-64-v3 (Intel since Haswell, 2013; AMD since Zen, 2017). "
               "In a virtual machine, give it the host's processor model."};
}

}  // namespace bolide
