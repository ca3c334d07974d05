// `bolide selftest --vectors FILE`: replays a file of A1 test vectors on the oracle's own functions (spec:
// a1-vectors.md).
#pragma once
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace bolide::app {

// Replays every line, with and without flushing of subnormals. Gives the number of lines; fails at the first line that
// differs in a bit, naming it and the first wrong value.
Result<u64> replay_vectors(const std::string& path);

}  // namespace bolide::app
