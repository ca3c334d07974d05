// Fingerprints as JSON, in the form of tests/goldens/nano/a1-*.json (design: interfaces.md, `hash`).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/fingerprint.h"

namespace bolide::app {

// A JSON list with one object for each fingerprint, byte for byte as the goldens are written.
std::string format_fingerprints(std::span<const engine::Fingerprint> fingerprints);

}  // namespace bolide::app
