// The input is a model.safetensors.index.json. An accepted shard name must stay in the folder.
#include "formats/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bolide;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<formats::ShardEntry>> index = formats::parse_safetensors_index(json, "fuzz");
  if (!index) return 0;
  for (const formats::ShardEntry& entry : *index) {
    check(!entry.tensor.empty(), "tensors have names");
    check(entry.shard.find('/') == std::string::npos && entry.shard.ends_with(".safetensors"),
          "shards are plain names");
  }
  return 0;
}
