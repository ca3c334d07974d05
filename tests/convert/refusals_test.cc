// Checkpoints that are wrong, and disks that are full: an error that names the place, and no file that looks finished.
#include <csignal>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/mapped_file.h"
#include "convert/checkpoint_to_packed.h"
#include "support/temp_folder.h"

namespace bolide::convert {
namespace {

using testing::HasSubstr;

constexpr const char* kNano = BOLIDE_SOURCE_DIR "/models/nano";

// A copy of the nano model that a test may break, and a folder for what the conversion writes.
class BrokenNano : public testing::Test {
 protected:
  BrokenNano() {
    std::filesystem::copy(kNano, model_.path(), std::filesystem::copy_options::recursive);
    for (const auto& file : std::filesystem::directory_iterator(model_.path())) {
      std::filesystem::permissions(file.path(), std::filesystem::perms::owner_write,
                                   std::filesystem::perm_options::add);
    }
  }

  std::string text(std::string_view name) const { return *read_text_file(model_.file(name), u64{64} << 20); }

  // Replaces one text, which must be there, wherever it stands in a file.
  void replace(std::string_view name, std::string_view old_text, std::string_view new_text) const {
    std::string content = text(name);
    const std::size_t at = content.find(old_text);
    ASSERT_NE(at, std::string::npos) << old_text;
    for (std::size_t i = at; i != std::string::npos; i = content.find(old_text, i + new_text.size())) {
      content.replace(i, old_text.size(), new_text);
    }
    model_.write(name, content);
  }

  // Sets one byte of a tensor's data.
  void set_byte(const std::string& tensor_name, u64 at, u8 value) const {
    const auto checkpoint = formats::Checkpoint::open_folder(model_.path());
    ASSERT_TRUE(checkpoint);
    const formats::Tensor* tensor = checkpoint->find(tensor_name);
    ASSERT_NE(tensor, nullptr);
    std::fstream file(checkpoint->shards()[tensor->shard].path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(tensor->file_offset + at));
    file.put(static_cast<char>(value));
    ASSERT_TRUE(file.good());
  }

  // What opening and converting says; afterwards nothing looks finished that is not.
  std::string refusal() const {
    const Result<CheckpointFolder> folder = open_checkpoint_folder(model_.path());
    if (!folder) return folder.error().message;
    const Result<PackedModel> packed = convert_to_files(*folder, output_.file("out.bolide"), {});
    EXPECT_FALSE(output_.has("out.bolide"));
    for (const char* file : {"out.bolide.partial", "out.engram.partial", "out.bolide.partial.journal", "out.engram"}) {
      std::filesystem::remove(output_.file(file));
    }
    return packed ? "converted" : packed.error().message;
  }

  const test::TempFolder model_;
  const test::TempFolder output_;
};

TEST_F(BrokenNano, AMissingTensorIsNamed) {
  for (const char* file : {"model-00001-of-00003.safetensors", "model.safetensors.index.json"}) {
    replace(file, "layers.0.attn.wq_a.weight", "vision.0.attn.wq_a.weight");
  }
  EXPECT_THAT(refusal(), HasSubstr("tensor layers.0.attn.wq_a.weight (F8_E4M3 [128, 256]) is missing"));
}

TEST_F(BrokenNano, AnUnknownTensorIsNamed) {
  replace("config.json", "4,\n  6\n ],\n \"original_seq_len\"",
          "4\n ],\n \"original_seq_len\"");  // layer 6: no indexer
  EXPECT_THAT(refusal(), HasSubstr("tensor layers.6.attn.indexer."));
  EXPECT_THAT(refusal(), HasSubstr("is unknown"));
}

TEST_F(BrokenNano, ATensorOfAnotherShapeIsNamed) {
  replace("config.json", "\"q_lora_rank\": 128", "\"q_lora_rank\": 160");
  EXPECT_THAT(refusal(), HasSubstr("tensor layers.0.attn.wq_a.weight is F8_E4M3 [128, 256], but config.json makes it "
                                   "F8_E4M3 [160, 256]"));
}

TEST_F(BrokenNano, CodesThatAreNoNumbersAreNamed) {
  set_byte("layers.4.attn.wo_b.weight", 1000, 0x7f);
  EXPECT_THAT(refusal(), HasSubstr("tensor layers.4.attn.wo_b.weight (F8_E4M3 [256, 256]): element 1000"));
}

TEST_F(BrokenNano, ScalesThatAreNoNumbersAreNamed) {
  set_byte("layers.2.ffn.experts.15.w2.scale", 7, 255);
  EXPECT_THAT(refusal(), HasSubstr("layers.2.ffn.experts.15.w2.scale"));
}

TEST_F(BrokenNano, AWeightTooLargeForQ8_0IsNamed) {
  set_byte("layers.1.attn.wkv.scale", 3, 200);
  EXPECT_THAT(refusal(),
              HasSubstr("tensor layers.1.attn.wkv.weight: row 0, columns 96 to 127 hold a weight too large"));
}

TEST_F(BrokenNano, AnEngramRowThatIsNoNumberIsNamed) {
  set_byte("layers.3.engram.embed.weight", u64{25'000} * 64 + 5, 0xff);
  EXPECT_THAT(refusal(), HasSubstr("Engram table of layer 3: row 25000 holds a NaN code"));
}

TEST_F(BrokenNano, ATruncatedShardIsNamed) {
  std::filesystem::resize_file(model_.file("model-00002-of-00003.safetensors"), 15'000'000);
  EXPECT_THAT(refusal(), HasSubstr("model-00002-of-00003.safetensors"));
}

TEST_F(BrokenNano, AMissingDocumentIsNamed) {
  for (const char* file : {"tokenizer.json", "config.json"}) {
    std::filesystem::remove(model_.file(file));
    EXPECT_THAT(refusal(), HasSubstr(file));
  }
}

TEST_F(BrokenNano, WithoutEngramJsonItsConstantsAreMadeByTheirRules) {
  const auto stored = open_checkpoint_folder(model_.path());
  ASSERT_TRUE(stored);
  std::filesystem::remove(model_.file("engram.json"));
  const auto made = open_checkpoint_folder(model_.path());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->engram.token_map, stored->engram.token_map);
  EXPECT_EQ(made->engram.compressed_pad_id, stored->engram.compressed_pad_id);
  ASSERT_EQ(made->engram.tables.size(), stored->engram.tables.size());
  for (std::size_t i = 0; i < made->engram.tables.size(); ++i) {
    EXPECT_EQ(made->engram.tables[i].multipliers, stored->engram.tables[i].multipliers);
    EXPECT_EQ(made->engram.tables[i].primes, stored->engram.tables[i].primes);
  }
}

TEST_F(BrokenNano, EngramConstantsThatCannotBeMadeAreAskedFor) {
  std::filesystem::remove(model_.file("engram.json"));
  replace("config.json", "\"engram_compressed_vocab_size\": 5615", "\"engram_compressed_vocab_size\": 5616");
  EXPECT_THAT(refusal(), HasSubstr("copy the model's engram.json into the folder"));
}

TEST_F(BrokenNano, ABlockThatBecomesZeroIsReported) {
  set_byte("layers.1.attn.wkv.scale", 3, 90);  // weights of at most 448 * 2^-37
  const auto folder = open_checkpoint_folder(model_.path());
  ASSERT_TRUE(folder);
  const auto packed = convert_to_memory(*folder, {});
  ASSERT_TRUE(packed);
  const auto& small = packed->report.small_blocks;
  const auto wkv = std::ranges::find(small, std::string("layers.1.attn.wkv.weight"), &SmallBlockReport::tensor);
  ASSERT_NE(wkv, small.end());
  EXPECT_EQ(wkv->small.zeroed, 32);
  EXPECT_GE(wkv->small.blocks, 32);
  EXPECT_GT(wkv->small.total_loss, 0);
}

// The limit on file sizes stands in for a full disk: writing fails in the middle.
TEST_F(BrokenNano, AFullDiskLeavesNothingBehind) {
  const auto folder = open_checkpoint_folder(model_.path());
  ASSERT_TRUE(folder);
  struct rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t limit : {rlim_t{1'000'000}, rlim_t{10'000'000}}) {  // neither file fits; the rows fit
    const rlimit small{.rlim_cur = limit, .rlim_max = old.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto packed = convert_to_files(*folder, output_.file("out.bolide"), {});
    setrlimit(RLIMIT_FSIZE, &old);
    ASSERT_FALSE(packed);
    EXPECT_THAT(packed.error().message, HasSubstr(output_.path()));
    EXPECT_TRUE(std::filesystem::is_empty(output_.path()));
  }
  std::signal(SIGXFSZ, old_handler);
}

TEST_F(BrokenNano, AFolderThatCannotBeWrittenToIsNamed) {
  const auto folder = open_checkpoint_folder(model_.path());
  ASSERT_TRUE(folder);
  const auto packed = convert_to_files(*folder, output_.file("nowhere/out.bolide"), {});
  ASSERT_FALSE(packed);
  EXPECT_THAT(packed.error().message, HasSubstr("nowhere/out.bolide"));
}

}  // namespace
}  // namespace bolide::convert
