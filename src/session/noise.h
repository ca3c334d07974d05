// The random part of sampling, addressed by position and token, never by call order (design: arithmetic.md rule 8):
// text at temperature > 0 does not depend on drafting, batching or timing.
#pragma once
#include "base/types.h"

namespace bolide::session {

// Word 0 of Philox4x32-10 for this seed, position and token.
u32 random_word(u64 seed, u64 position, u32 token);

// Gumbel noise of one candidate token.
float token_noise(u64 seed, u64 position, u32 token);

}  // namespace bolide::session
