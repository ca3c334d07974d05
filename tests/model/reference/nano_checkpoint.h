// The nano checkpoint and its golden prompts, for tests of the reference forwards.
#pragma once
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engram/table_sources.h"
#include "formats/checkpoint.h"
#include "model/checkpoint_weights.h"
#include "model/engram_shape.h"
#include "model/forward.h"
#include "model/tensors.h"
#include "support/sanitized.h"

namespace bolide::model {

// Tokens of a golden prompt that are fed; the greedy continuation follows only a whole prompt.
inline constexpr u64 kGoldenTokens = test::kSanitized ? 48 : ~u64{0};
// Long enough that every selecting layer of nano has to choose (64 of 70 pairs, 16 of 18 candidate blocks) and that the
// window of 128 has moved on.
inline constexpr u64 kChunkedTokens = test::kSanitized ? 140 : 300;

inline Model open_nano_checkpoint() {
  const std::string folder = BOLIDE_SOURCE_DIR "/models/nano";
  const auto text = [&](const char* name) { return *read_text_file(folder + name, u64{1} << 24); };
  const Config config = *parse_config(text("/config.json"), "config.json");
  const auto checkpoint = std::make_shared<const formats::Checkpoint>(*formats::Checkpoint::open_folder(folder));
  std::vector<engram::TableSource> tables;
  for (std::size_t i = 0; i < config.engram.layer_ids.size(); ++i) {
    const u32 layer = config.engram.layer_ids[i];
    tables.push_back(*engram::table_source(*checkpoint, engram_codes_name(layer), engram_scales_name(layer),
                                           config.engram.rows[i], config.engram.head_dim));
  }
  return {config, *load_checkpoint_weights(config, checkpoint),
          *engram::parse_engram_constants(text("/engram.json"), "engram.json", engram_shape(config)),
          *engram::FileRows::open(tables, config.engram.head_dim)};
}

// Opened once.
inline const Model& nano_checkpoint() {
  static const Model model = open_nano_checkpoint();
  return model;
}

// The golden file NAME.safetensors of nano.
class Golden {
 public:
  explicit Golden(const std::string& name)
      : file_(*formats::Checkpoint::open_file(BOLIDE_SOURCE_DIR "/tests/goldens/nano/" + name + ".safetensors")) {}

  std::vector<float> floats(std::string_view key) const { return values<float>(key, formats::DType::kF32); }
  std::vector<u32> ids(std::string_view key) const { return values<u32>(key, formats::DType::kI32); }

 private:
  template <class T>
  std::vector<T> values(std::string_view key, formats::DType dtype) const {
    const formats::Tensor* tensor = file_.find(key);
    check(tensor != nullptr && tensor->dtype == dtype, "golden files hold what their README lists");
    std::vector<T> values(tensor->data.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = load<T>(&tensor->data[i * sizeof(T)]);
    return values;
  }

  formats::Checkpoint file_;
};

}  // namespace bolide::model
