// Whether this is a sanitizer build: the one place that decides it.
#pragma once

namespace bolide::test {

// Sanitizers make a forward about ten times slower. Such builds look for faults of memory and of threads, for which
// prefixes of the golden prompts do; figures and bounds are the release build's business.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace bolide::test
