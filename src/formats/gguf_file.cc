#include "formats/gguf_file.h"

#include <fmt/format.h>
#include <optional>

namespace bolide::formats {
namespace {

constexpr u64 kMaxParts = 99'999;  // five digits in a part's name

std::string part_ending(u64 index, u64 count) {
  return fmt::format("-{:05}-of-{:05}.gguf", index + 1, count);
}

// The number of parts and this part's place among them; 1 and 0 where the file is whole.
struct Split {
  u64 index = 0;
  u64 count = 1;
};

Result<Split> split_of(const GgufHeader& header) {
  const GgufValue* count = header.find("split.count");
  if (count == nullptr || count->whole() == 0 || count->whole() == 1) return Split();
  const GgufValue* index = header.find("split.no");
  const Split split{.index = index == nullptr ? kMaxParts : index->whole().value_or(kMaxParts),
                    .count = count->whole().value_or(0)};
  if (split.count <= kMaxParts && split.index < split.count) return split;
  return Error{"metadata keys split.no and split.count do not tell which part of how many this is"};
}

// The path without "-00001-of-0000N.gguf".
Result<std::string> split_base(const std::string& path, const Split& split) {
  const std::string ending = part_ending(split.index, split.count);
  if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return Error{fmt::format("{}: this is part {} of {}, so its name should end in {}; give all parts their names back",
                           path, split.index + 1, split.count, ending)};
}

}  // namespace

Result<GgufFile> GgufFile::open(const std::string& path) {
  GgufFile gguf;
  gguf.path_ = path;
  Split split;
  {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    const Result<GgufHeader> header = parse_gguf(file->bytes(), path);
    if (!header) return header.error();
    const Result<Split> found = split_of(*header);
    if (!found) return Error{fmt::format("{}: {}", path, found.error().message)};
    split = *found;
  }
  if (split.count == 1) {
    if (Status added = gguf.open_part(path, 0, 1); !added) return added.error();
  } else {
    const Result<std::string> base = split_base(path, split);
    if (!base) return base.error();
    for (u64 i = 0; i < split.count; ++i) {
      if (Status added = gguf.open_part(*base + part_ending(i, split.count), i, split.count); !added) {
        return added.error();
      }
    }
  }
  const GgufValue* total = gguf.value("split.tensors.count");
  if (split.count > 1 && total != nullptr && total->whole() != gguf.tensors_.size()) {
    return Error{fmt::format("{}: the parts hold {} tensors, but split.tensors.count says {}", path,
                             gguf.tensors_.size(), total->whole().value_or(0))};
  }
  return gguf;
}

Result<GgufFile> GgufFile::from_memory(std::string path, Bytes bytes) {
  GgufFile gguf;
  gguf.path_ = std::move(path);
  if (Status added = gguf.add_part(gguf.path_, bytes, 0, 1); !added) return added.error();
  return gguf;
}

Status GgufFile::open_part(const std::string& path, u64 index, u64 count) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  if (Status added = add_part(path, file->bytes(), index, count); !added) return added;
  files_.push_back(*std::move(file));
  return {};
}

Status GgufFile::add_part(const std::string& path, Bytes bytes, u64 index, u64 count) {
  Result<GgufHeader> header = parse_gguf(bytes, path);
  if (!header) return header.error();
  const Result<Split> split = split_of(*header);
  if (!split) return Error{fmt::format("{}: {}", path, split.error().message)};
  if (split->index != index || split->count != count) {
    return Error{fmt::format("{}: its metadata says part {} of {}, its name says part {} of {}", path, split->index + 1,
                             split->count, index + 1, count)};
  }
  for (GgufTensor& tensor : header->tensors) {
    if (!by_name_.emplace(tensor.name, tensors_.size()).second) {
      return Error{fmt::format("{}: tensor {} is also in an earlier part", path, tensor.name)};
    }
    tensor.part = index;
    tensors_.push_back(std::move(tensor));
  }
  if (index == 0) {
    values_ = std::move(header->values);
    for (std::size_t i = 0; i < values_.size(); ++i) by_key_.emplace(values_[i].key, i);
  }
  return {};
}

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

const GgufValue* GgufFile::value(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &values_[found->second].value;
}

}  // namespace bolide::formats
