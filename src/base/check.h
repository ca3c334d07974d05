// check(): stops the program, in every build, when our own code broke a promise. Never for bad input: that is a Result.
#pragma once
#include <source_location>

namespace bolide {

[[noreturn]] void check_failed(const char* why, const std::source_location& where);

// `why` says why the condition holds.
inline void check(bool condition, const char* why,
                  const std::source_location& where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    check_failed(why, where);
}

}  // namespace bolide
