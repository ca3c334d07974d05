#include "model/gguf_engram.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engram/make_constants.h"
#include "formats/names.h"

namespace bolide::model {
namespace {

using formats::GgufFile;
using formats::GgufValue;

constexpr std::string_view kPrefix = "deepseek41.engram.";

std::string encoding_name(const EngramConfig& config) {
  return fmt::format("e4m3_e8m0_32_row{}", config.head_dim + config.head_dim / 32);
}

// Reads keys and keeps the first error.
class KeyReader {
 public:
  explicit KeyReader(const GgufFile& file) : file_(file) {}

  // `count` whole numbers; none after a failure.
  std::vector<u64> wholes(std::string_view key, u64 count) {
    const GgufValue* value = find(key);
    if (value == nullptr) return {};
    std::optional<std::vector<u64>> list = value->count == count ? value->wholes() : std::nullopt;
    if (list) return *std::move(list);
    fail(key, fmt::format("must be a list of {} whole numbers", count));
    return {};
  }
  u64 whole(std::string_view key) {
    const GgufValue* value = find(key);
    if (value == nullptr) return 0;
    const std::optional<u64> number = value->whole();
    if (!number) fail(key, "must be a whole number");
    return number.value_or(0);
  }
  void expect_text(std::string_view key, std::string_view wanted) {
    const GgufValue* value = find(key);
    if (value == nullptr || value->text() == wanted) return;
    fail(key, fmt::format("is \"{}\", but only \"{}\" is supported", formats::printable(value->text().value_or("")),
                          wanted));
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const GgufValue* find(std::string_view key) {
    const GgufValue* value = file_.value(fmt::format("{}{}", kPrefix, key));
    if (value == nullptr) fail(key, "is missing");
    return value;
  }
  void fail(std::string_view key, std::string_view problem) {
    if (!error_) error_ = Error{fmt::format("{}: metadata key {}{} {}", file_.path(), kPrefix, key, problem)};
  }

  const GgufFile& file_;
  std::optional<Error> error_;
};

// As u32 where all fit, which is what ds4 writes, else as u64.
void add_wholes(formats::GgufMetadata& metadata, std::string_view name, const std::vector<u64>& numbers) {
  const std::string key = fmt::format("{}{}", kPrefix, name);
  if (std::ranges::all_of(numbers, [](u64 number) { return number <= std::numeric_limits<u32>::max(); })) {
    metadata.add_u32s(key, std::vector<u32>(numbers.begin(), numbers.end()));
  } else {
    metadata.add_u64s(key, numbers);
  }
}

}  // namespace

Result<std::string> gguf_engram_json(const EngramConfig& config, const GgufFile& file) {
  const u64 n_tables = config.layer_ids.size();
  KeyReader in(file);
  in.expect_text("encoding", encoding_name(config));
  const std::vector<u64> layers = in.wholes("layer_ids", n_tables);
  const std::vector<u64> rows = in.wholes("rows", n_tables);
  const std::vector<u64> primes = in.wholes("primes", n_tables * config.columns());
  const std::vector<u64> multipliers = in.wholes("multipliers", n_tables * config.max_ngram);
  const GgufValue* map = file.value("deepseek41.engram.token_map");
  const std::vector<u64> token_map = in.wholes("token_map", map == nullptr ? 0 : map->count);
  const u64 pad_id = in.whole("pad_id");
  const u64 compressed_vocab_size = in.whole("compressed_vocab_size");
  if (in.error()) return *in.error();
  if (!std::ranges::equal(layers, config.layer_ids)) {
    return Error{
        fmt::format("{}: metadata key deepseek41.engram.layer_ids is [{}], but the configuration has other layers",
                    file.path(), formats::listed(layers))};
  }
  if (pad_id >= token_map.size()) {
    return Error{fmt::format("{}: metadata key deepseek41.engram.pad_id is {}, outside the token map of {} tokens",
                             file.path(), pad_id, token_map.size())};
  }
  const auto beyond_u32 = [](u64 number) { return number > std::numeric_limits<u32>::max(); };
  if (beyond_u32(compressed_vocab_size) || std::ranges::any_of(token_map, beyond_u32)) {
    return Error{fmt::format("{}: metadata keys deepseek41.engram.* have a compressed id beyond 32 bits", file.path())};
  }
  engram::EngramConstants constants{.token_map = std::vector<u32>(token_map.begin(), token_map.end()),
                                    .compressed_vocab_size = static_cast<u32>(compressed_vocab_size),
                                    .pad_id = static_cast<u32>(pad_id),
                                    .compressed_pad_id = static_cast<u32>(token_map[pad_id])};
  const auto part = [](const std::vector<u64>& all, u64 index, u64 n) {
    const std::span<const u64> numbers = std::span(all).subspan(index * n, n);
    return std::vector<u64>(numbers.begin(), numbers.end());
  };
  for (u64 table = 0; table < n_tables; ++table) {
    constants.tables.push_back({.multipliers = part(multipliers, table, config.max_ngram),
                                .primes = part(primes, table, config.columns()),
                                .rows = rows[table]});
  }
  return engram::engram_json(constants, {.n_heads = config.n_heads});
}

void add_engram_keys(const EngramConfig& config, const engram::EngramConstants& constants,
                     formats::GgufMetadata& metadata) {
  std::vector<u64> rows;
  std::vector<u64> primes;
  std::vector<u64> multipliers;
  for (const engram::TableConstants& table : constants.tables) {
    rows.push_back(table.rows);
    primes.insert(primes.end(), table.primes.begin(), table.primes.end());
    multipliers.insert(multipliers.end(), table.multipliers.begin(), table.multipliers.end());
  }
  metadata.add_text("deepseek41.engram.encoding", encoding_name(config));
  metadata.add_u32s("deepseek41.engram.layer_ids", config.layer_ids);
  add_wholes(metadata, "rows", rows);
  metadata.add_u32("deepseek41.engram.compressed_vocab_size", constants.compressed_vocab_size);
  metadata.add_u32("deepseek41.engram.pad_id", constants.pad_id);
  metadata.add_u32s("deepseek41.engram.token_map", constants.token_map);
  add_wholes(metadata, "primes", primes);
  metadata.add_u64s("deepseek41.engram.multipliers", multipliers);
}

}  // namespace bolide::model
