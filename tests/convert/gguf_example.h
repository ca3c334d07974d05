// A synthetic GGUF of nano's configuration with wider experts, in the types that ds4 publishes or others, for tests.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/philox.h"
#include "convert/checkpoint_folder.h"
#include "formats/gguf_writer.h"
#include "model/gguf_config.h"
#include "model/gguf_engram.h"
#include "model/gguf_names.h"
#include "model/gguf_tokenizer.h"
#include "support/nano.h"

namespace bolide::test {

// Nano's folder (opened once), and its configuration with experts of width 256, so that Q4_K fits.
inline const convert::CheckpointFolder& nano_folder() {
  static const Result<convert::CheckpointFolder> folder = convert::open_checkpoint_folder(kNanoFolder);
  check(folder.ok(), "the nano model is in the repository");
  return *folder;
}

inline std::string wide_config_json(bool has_vision = false) {
  boost::json::value config = read_json(kNanoFolder + "/config.json");
  config.as_object()["moe_inter_dim"] = 256;
  config.as_object()["vision_n_layers"] = has_vision ? 1 : 0;
  return boost::json::serialize(config);
}

inline model::Config wide_config(bool has_vision = false) {
  return model::parse_config(wide_config_json(has_vision), "config.json").value();
}

// Random numbers that every type can hold: bytes with the exponents of scales and floats in a middle range.
inline std::vector<std::byte> random_weights(formats::GgufType type, u64 bytes, u32 seed) {
  using formats::GgufType;
  std::vector<std::byte> data(bytes);
  for (u64 at = 0; at < bytes; at += 16) {
    const auto words = philox4x32(seed, {static_cast<u32>(at / 16), 0, 0, 0});
    std::memcpy(data.data() + at, words.data(), std::min<u64>(16, bytes - at));
  }
  const auto f16 = [&](u64 at) { data[at + 1] = (data[at + 1] & std::byte{0x83}) | std::byte{0x2c}; };
  const auto each = [&](u64 step, auto change) {
    for (u64 at = 0; at < bytes; at += step) change(at);
  };
  switch (type) {
    case GgufType::kF16:
      each(2, f16);
      break;
    case GgufType::kBF16:
      each(2, [&](u64 at) { data[at + 1] = (data[at + 1] & std::byte{0x80}) | std::byte{0x3d}; });
      break;
    case GgufType::kF32:
      each(4, [&](u64 at) { data[at + 3] = (data[at + 3] & std::byte{0x80}) | std::byte{0x3d}; });
      break;
    case GgufType::kQ8_0:
      each(34, f16);
      break;
    case GgufType::kQ4_K:
      each(144, [&](u64 at) { f16(at), f16(at + 2); });
      break;
    case GgufType::kMXFP4:
      each(17, [&](u64 at) { data[at] = std::byte{120} | (data[at] & std::byte{7}); });
      break;
    case GgufType::kI8:  // Engram rows: no NaN codes
      each(1, [&](u64 at) { data[at] &= std::byte{0x7e}; });
      break;
  }
  return data;
}

// What a test wants otherwise than the example has it.
struct ExampleChanges {
  // The type of a tensor; ds4's of the Q4 recipe where it is not set.
  std::function<formats::GgufType(const model::TensorSpec&)> type;
  // The name of a tensor; none where the text is empty.
  std::function<std::string(const model::TensorSpec&)> name;
  // Called with the metadata of the target and of the drafter.
  std::function<void(formats::GgufMetadata&)> target;
  std::function<void(formats::GgufMetadata&)> draft;
  // Float values that are all BF16 numbers.
  bool bf16_values = false;
  bool with_config_key = true;  // the text deepseek41.config
  bool has_vision = false;
};

inline formats::GgufType q4_type(const model::TensorSpec& spec) {
  return spec.stacked() ? formats::GgufType::kQ4_K : model::gguf_mxfp4_type(spec);
}

inline formats::GgufTensorSpec example_tensor(const model::TensorSpec& spec, const ExampleChanges& changes) {
  formats::GgufTensorSpec tensor{.name = changes.name ? changes.name(spec) : model::gguf_name(spec),
                                 .type = changes.type ? changes.type(spec) : q4_type(spec),
                                 .dimensions = {spec.packed.columns}};
  if (spec.dimensions > 1) tensor.dimensions.push_back(spec.packed.rows);
  if (spec.stacked()) tensor.dimensions.push_back(spec.packed.experts);
  return tensor;
}

inline void write_gguf(const std::string& path, formats::GgufMetadata metadata,
                       const std::vector<formats::GgufTensorSpec>& tensors, bool bf16_values) {
  auto writer = formats::GgufWriter::create(path, std::move(metadata), tensors);
  check(writer.ok(), "a test can write its file");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::vector<std::byte> data = random_weights(tensors[i].type, writer->tensor_bytes(i), static_cast<u32>(i));
    const bool wide = tensors[i].type == formats::GgufType::kF32;
    for (u64 at = 0; bf16_values && wide && at < data.size(); at += 4) data[at] = data[at + 1] = std::byte{0};
    for (u64 at = 0; bf16_values && tensors[i].type == formats::GgufType::kF16 && at < data.size(); at += 2) {
      data[at] &= std::byte{0xf8};
    }
    check(writer->append(i, data).ok(), "a test can write its file");
  }
  check(writer->finish().ok(), "a test can write its file");
}

// Writes `target` and, where a path is given, `draft`.
inline void write_gguf_example(const std::string& target, const std::string& draft,
                               const ExampleChanges& changes = {}) {
  const model::Config config = wide_config(changes.has_vision);
  std::vector<formats::GgufTensorSpec> of_target, of_draft;
  for (const model::TensorSpec& spec : model::in_gguf_order(model::tensor_specs(config))) {
    formats::GgufTensorSpec tensor = example_tensor(spec, changes);
    if (!tensor.name.empty()) (spec.draft ? of_draft : of_target).push_back(std::move(tensor));
  }
  for (std::size_t i = 0; i < config.engram.layer_ids.size(); ++i) {
    of_target.push_back({.name = model::gguf_engram_name(config.engram.layer_ids[i]),
                         .type = formats::GgufType::kI8,
                         .dimensions = {config.engram.head_dim / 32 * 33, config.engram.rows[i]}});
  }
  formats::GgufMetadata metadata;
  metadata.add_text("general.architecture", "deepseek41");
  if (changes.with_config_key) metadata.add_text("deepseek41.config", wide_config_json(changes.has_vision));
  model::add_config_keys(config, metadata);
  model::add_engram_keys(config.engram, nano_folder().engram, metadata);
  check(model::add_tokenizer_keys(config, nano_folder().documents.tokenizer, metadata).ok(),
        "nano's tokenizer is good");
  if (changes.target) changes.target(metadata);
  write_gguf(target, std::move(metadata), of_target, changes.bf16_values);
  if (draft.empty()) return;
  formats::GgufMetadata draft_metadata;
  if (changes.draft) {
    changes.draft(draft_metadata);
  } else {
    draft_metadata.add_text("general.architecture", "deepseek41-dspark");
    model::add_draft_keys(config, draft_metadata);
  }
  write_gguf(draft, std::move(draft_metadata), of_draft, changes.bf16_values);
}

}  // namespace bolide::test
