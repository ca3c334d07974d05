#include "formats/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "formats/json_walk.h"
#include "formats/names.h"

namespace bolide::formats {
namespace {

constexpr u64 kMaxIndexBytes = 100'000'000;  // the official index has 8 MB
constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kSingleName = "model.safetensors";

// Collects the weight_map; other top-level entries ("metadata") are passed over.
class IndexVisitor : public JsonVisitor {
 public:
  std::vector<ShardEntry> entries;
  bool has_map = false;

  Status begin_object(JsonPath path) override {
    if (path.size() == 1 && path[0] == kWeightMap) has_map = true;
    if (path.size() <= 1 || path[0] != kWeightMap) return {};
    return unexpected(path, "an object");
  }
  Status begin_array(JsonPath path) override { return outside_map(path, "an array"); }
  Status number(JsonPath path, u64) override { return outside_map(path, "a number"); }
  Status other(JsonPath path, std::string_view kind) override { return outside_map(path, kind); }

  Status text(JsonPath path, std::string_view value) override {
    if (path.size() != 2 || path[0] != kWeightMap) return outside_map(path, "a string");
    if (!is_tensor_name(path[1])) {
      return Error{fmt::format("the tensor name \"{}\" ({} bytes) is not 1 to {} visible ASCII characters",
                               printable(path[1]), path[1].size(), kMaxTensorNameBytes)};
    }
    if (!is_shard_name(value)) {
      return Error{
          fmt::format("tensor {}: \"{}\" is not a plain file name ending in .safetensors", path[1], printable(value))};
    }
    entries.push_back({.tensor = path[1], .shard = std::string(value)});
    return {};
  }

 private:
  static constexpr std::string_view kWeightMap = "weight_map";

  // A shard lies in the index's own folder: a name that leads elsewhere must not be opened.
  static bool is_shard_name(std::string_view text) {
    return is_tensor_name(text) && text.ends_with(".safetensors") && text.front() != '.' &&
           text.find_first_of("/\\:") == std::string_view::npos;
  }
  static Status outside_map(JsonPath path, std::string_view kind) {
    if (!path.empty() && path[0] != kWeightMap) return {};
    return unexpected(path, kind);
  }
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

const GoneShard* find_gone(const std::vector<GoneShard>& gone, const std::string& path) {
  const auto found = std::ranges::find(gone, path, &GoneShard::path);
  return found == gone.end() ? nullptr : &*found;
}

// The shard files that the index names, ascending, all of them present or known to be gone.
Result<std::vector<std::string>> shard_names(const std::string& folder, const std::vector<ShardEntry>& index,
                                             const std::vector<GoneShard>& gone) {
  std::set<std::string> names;
  for (const ShardEntry& entry : index) names.insert(entry.shard);
  std::vector<std::string> missing;
  for (const std::string& shard : names) {
    const std::string path = fmt::format("{}/{}", folder, shard);
    if (!exists(path) && find_gone(gone, path) == nullptr) missing.push_back(shard);
  }
  if (!missing.empty()) {
    return Error{
        fmt::format("{}: {} of {} shards that {} names are missing, the first is {}; download or copy them into this "
                    "folder from where the other files came",
                    folder, missing.size(), names.size(), kIndexName, missing.front())};
  }
  return std::vector<std::string>(names.begin(), names.end());
}

// The safetensors files of a folder without an index, ascending.
std::vector<std::string> safetensors_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    if (entry->path().extension() == ".safetensors") names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// Every tensor of the index is in the shard it names, and no shard has a tensor more.
Status check_index(const Checkpoint& checkpoint, const std::vector<ShardEntry>& index,
                   const std::vector<std::string>& names, const std::string& folder) {
  for (const ShardEntry& entry : index) {
    const Tensor* tensor = checkpoint.find(entry.tensor);
    if (tensor == nullptr || names[tensor->shard] != entry.shard) {
      return Error{fmt::format("{}/{}: tensor {} should be in {}, but is {}{}", folder, kIndexName, entry.tensor,
                               entry.shard, tensor == nullptr ? "in no shard" : "in ",
                               tensor == nullptr ? "" : names[tensor->shard])};
    }
  }
  if (index.size() == checkpoint.tensors().size()) return {};
  std::set<std::string_view> known;
  for (const ShardEntry& entry : index) known.insert(entry.tensor);
  const auto extra =
      std::ranges::find_if(checkpoint.tensors(), [&](const Tensor& tensor) { return !known.contains(tensor.name); });
  return Error{
      fmt::format("{}/{}: tensor {} of {} is not in the index", folder, kIndexName, extra->name, names[extra->shard])};
}

Result<std::vector<ShardEntry>> read_index(const std::string& path) {
  const Result<std::string> text = read_text_file(path, kMaxIndexBytes);
  if (!text) return text.error();
  return parse_safetensors_index(*text, path);
}

}  // namespace

Result<std::vector<ShardEntry>> parse_safetensors_index(std::string_view json, std::string_view what) {
  IndexVisitor index;
  if (Status walked = walk_json(json, what, index); !walked) return walked.error();
  if (!index.has_map) return Error{fmt::format("{}: there is no \"weight_map\" object", what)};
  return std::move(index.entries);
}

Result<Checkpoint> Checkpoint::open_folder(const std::string& folder, const std::vector<GoneShard>& gone) {
  const std::string index_path = fmt::format("{}/{}", folder, kIndexName);
  if (!exists(index_path)) {
    const std::string single_path = fmt::format("{}/{}", folder, kSingleName);
    if (exists(single_path)) return open_file(single_path);
    return Error{fmt::format("{}: no checkpoint here: neither {} nor {} was found", folder, kIndexName, kSingleName)};
  }
  const Result<std::vector<ShardEntry>> index = read_index(index_path);
  if (!index) return index.error();
  const Result<std::vector<std::string>> names = shard_names(folder, *index, gone);
  if (!names) return names.error();

  Checkpoint checkpoint;
  checkpoint.tensors_.reserve(index->size());
  if (Status added = checkpoint.add_shards(folder, *names, gone); !added) return added.error();
  if (Status indexed = checkpoint.index_names(); !indexed) return indexed.error();
  if (Status agrees = check_index(checkpoint, *index, *names, folder); !agrees) return agrees.error();
  return checkpoint;
}

Result<Checkpoint> Checkpoint::open_part(const std::string& folder, std::string_view prefix) {
  const std::string index_path = fmt::format("{}/{}", folder, kIndexName);
  std::vector<ShardEntry> wanted;
  std::vector<std::string> names = safetensors_files(folder);
  if (exists(index_path)) {
    Result<std::vector<ShardEntry>> index = read_index(index_path);
    if (!index) return index.error();
    for (ShardEntry& entry : *index) {
      if (entry.tensor.starts_with(prefix)) wanted.push_back(std::move(entry));
    }
    Result<std::vector<std::string>> shards = shard_names(folder, wanted, {});
    if (!shards) return shards.error();
    names = *std::move(shards);
  }
  Checkpoint checkpoint;
  if (Status added = checkpoint.add_shards(folder, names); !added) return added.error();
  std::erase_if(checkpoint.tensors_, [&](const Tensor& tensor) { return !tensor.name.starts_with(prefix); });
  if (Status indexed = checkpoint.index_names(); !indexed) return indexed.error();
  if (checkpoint.tensors_.empty()) return Error{fmt::format("{}: no tensor {}* was found here", folder, prefix)};
  if (wanted.empty()) return checkpoint;
  if (Status agrees = check_index(checkpoint, wanted, names, folder); !agrees) return agrees.error();
  return checkpoint;
}

Status Checkpoint::add_shards(const std::string& folder, const std::vector<std::string>& names,
                              const std::vector<GoneShard>& gone) {
  for (const std::string& name : names) {
    if (Status added = add_shard(fmt::format("{}/{}", folder, name), gone); !added) return added;
  }
  return {};
}

Result<Checkpoint> Checkpoint::open_file(const std::string& path) {
  Checkpoint checkpoint;
  if (Status added = checkpoint.add_shard(path); !added) return added.error();
  if (Status indexed = checkpoint.index_names(); !indexed) return indexed.error();
  return checkpoint;
}

const Tensor* Checkpoint::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

Status Checkpoint::add_shard(const std::string& path, const std::vector<GoneShard>& gone) {
  const GoneShard* stand_in = exists(path) ? nullptr : find_gone(gone, path);
  Result<MappedFile> file = stand_in == nullptr ? MappedFile::open(path) : MappedFile::gone(path);
  if (!file) return file.error();
  Result<std::vector<Tensor>> tensors =
      stand_in == nullptr ? parse_safetensors(file->bytes(), path)
                          : parse_safetensors_header(as_bytes(stand_in->header), stand_in->bytes, path);
  if (!tensors) return tensors.error();
  for (Tensor& tensor : *tensors) {
    tensor.shard = shards_.size();
    tensors_.push_back(std::move(tensor));
  }
  shards_.push_back(*std::move(file));
  return {};
}

// Once all tensors are in place: the map's keys point into them.
Status Checkpoint::index_names() {
  by_name_.reserve(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const auto [entry, added] = by_name_.emplace(tensors_[i].name, i);
    if (added) continue;
    return Error{fmt::format("{}: tensor {} is also in {}", shards_[tensors_[i].shard].path(), tensors_[i].name,
                             shards_[tensors_[entry->second].shard].path())};
  }
  return {};
}

}  // namespace bolide::formats
