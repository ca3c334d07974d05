#include "app/manifest.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/fingerprint_json.h"
#include "base/json.h"
#include "base/mapped_file.h"

namespace bolide::app {
namespace {

using boost::json::object;

constexpr std::string_view kStreams = "streams_of_last_position";

// The first key of `wanted` that `found` lacks or has another value for; in the order of `wanted`, in which stream
// hashes follow the forward pass.
Status compare_keys(const object& wanted, const object& found, const std::string& place) {
  for (const auto& [key, value] : wanted) {
    if (key == kStreams) continue;
    const boost::json::value* ours = found.if_contains(key);
    if (ours == nullptr) return Error{fmt::format("{}: there is no {} to compare", place, std::string_view(key))};
    if (*ours == value) continue;
    return Error{fmt::format("{}: {} is {}, expected {}", place, std::string_view(key), boost::json::serialize(*ours),
                             boost::json::serialize(value))};
  }
  return {};
}

Status compare_entry(const object& wanted, const object& found, const std::string& place) {
  // Streams first: they show where a difference arises.
  if (const boost::json::value* streams = wanted.if_contains(kStreams)) {
    const Status status = compare_keys(streams->get_object(), found.at(kStreams).get_object(), place + ", streams");
    if (!status) return status;
  }
  return compare_keys(wanted, found, place);
}

}  // namespace

Result<Manifest> read_manifest(const std::string& path) {
  constexpr u64 kLimitBytes = u64{64} << 20;
  const Result<std::string> text = read_text_file(path, kLimitBytes);
  if (!text) return text.error();
  Result<boost::json::value> document = parse_json(*text, path);
  if (!document) return document.error();
  if (!document->is_array() || document->get_array().empty())
    return Error{path + ": a JSON list of fingerprints is wanted, as `bolide hash` prints it"};
  Manifest manifest{path, std::move(document->get_array()), {}, false};
  for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
    const object* entry = manifest.entries[i].if_object();
    const boost::json::value* tokens = entry != nullptr ? entry->if_contains("tokens") : nullptr;
    const i64* length = tokens != nullptr ? tokens->if_int64() : nullptr;
    const i64 previous = manifest.lengths.empty() ? 0 : static_cast<i64>(manifest.lengths.back());
    if (length == nullptr || *length <= previous) {
      return Error{
          fmt::format("{}: entry {} must be an object whose \"tokens\" is a whole number above {}", path, i, previous)};
    }
    manifest.lengths.push_back(static_cast<u64>(*length));
    if (const boost::json::value* streams = entry->if_contains(kStreams)) {
      if (!streams->is_object()) return Error{fmt::format("{}: entry {}: {} must be an object", path, i, kStreams)};
      manifest.with_streams = true;
    }
  }
  return manifest;
}

Status compare(const Manifest& manifest, std::span<const engine::Fingerprint> fingerprints) {
  const Result<boost::json::value> found = parse_json(format_fingerprints(fingerprints), "fingerprints");
  if (!found) return found.error();
  for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
    const std::string place = fmt::format("{}, after {} tokens", manifest.path, manifest.lengths[i]);
    const object& ours = found->get_array()[i].get_object();
    if (Status status = compare_entry(manifest.entries[i].get_object(), ours, place); !status) return status;
  }
  return {};
}

}  // namespace bolide::app
