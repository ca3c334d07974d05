#include "session/noise.h"

#include "arith/host_functions.h"
#include "base/philox.h"

namespace bolide::session {

u32 random_word(u64 seed, u64 position, u32 token) {
  return philox4x32(seed, {static_cast<u32>(position), static_cast<u32>(position >> 32), token, 0})[0];
}

float token_noise(u64 seed, u64 position, u32 token) {
  return arith::gumbel(random_word(seed, position, token));
}

}  // namespace bolide::session
