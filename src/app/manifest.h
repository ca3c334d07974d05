// A list of fingerprints to be met in every bit, in the form that `hash` prints.
#pragma once
#include <boost/json/array.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/fingerprint.h"

namespace bolide::app {

struct Manifest {
  std::string path;
  boost::json::array entries;  // objects
  std::vector<u64> lengths;    // their "tokens", ascending
  bool with_streams = false;   // whether an entry has stream hashes
};

// Errors name the entry.
Result<Manifest> read_manifest(const std::string& path);

// Compares fingerprints taken at manifest.lengths with what the manifest says, key by key. The error names length and
// key of the first difference; where there are stream hashes, the first sub-block that differs.
Status compare(const Manifest& manifest, std::span<const engine::Fingerprint> fingerprints);

}  // namespace bolide::app
