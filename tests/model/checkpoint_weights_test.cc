#include "model/checkpoint_weights.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>

#include "arith/bf16.h"
#include "formats/names.h"
#include "model/tensors.h"
#include "support/temp_folder.h"

namespace bolide::model {
namespace {

using formats::Checkpoint;
using formats::DType;
using ::testing::HasSubstr;

constexpr const char* kNano = BOLIDE_SOURCE_DIR "/models/nano";

Config config_of(const std::string& folder) {
  const auto text = read_text_file(folder + "/config.json", 1 << 20);
  return *parse_config(*text, "config.json");
}

// One tensor of a file that a test writes; a changed shape needs new data.
struct FileTensor {
  std::string name;
  DType dtype;
  std::vector<u64> shape;
  std::vector<std::byte> data;
};

// Nano's tensors in memory, to be damaged and written as one file.
class NanoCopy {
 public:
  NanoCopy() {
    const auto nano = Checkpoint::open_folder(kNano);
    for (const formats::Tensor& tensor : nano->tensors()) {
      tensors_.push_back({tensor.name, tensor.dtype, tensor.shape, {tensor.data.begin(), tensor.data.end()}});
    }
  }

  FileTensor& operator[](std::string_view name) {
    const auto found = std::ranges::find(tensors_, name, &FileTensor::name);
    check(found != tensors_.end(), "tests name tensors of nano");
    return *found;
  }
  void remove(std::string_view name) {
    std::erase_if(tensors_, [&](const FileTensor& tensor) { return tensor.name == name; });
  }
  void add(FileTensor tensor) { tensors_.push_back(std::move(tensor)); }

  Result<Checkpoint> written() const {
    std::string header;
    u64 offset = 0;
    for (const FileTensor& tensor : tensors_) {
      header += header.empty() ? "{" : ",";
      header += fmt::format(R"("{}":{{"dtype":"{}","shape":[{}],)", tensor.name, formats::name(tensor.dtype),
                            formats::listed(tensor.shape));
      header += fmt::format(R"("data_offsets":[{},{}]}})", offset, offset + tensor.data.size());
      offset += tensor.data.size();
    }
    header += "}";
    std::ofstream file(path_, std::ios::binary);
    const u64 length = header.size();
    file.write(reinterpret_cast<const char*>(&length), sizeof length);
    file << header;
    for (const FileTensor& tensor : tensors_) {
      file.write(reinterpret_cast<const char*>(tensor.data.data()), static_cast<std::streamsize>(tensor.data.size()));
    }
    file.close();
    return Checkpoint::open_file(path_);
  }

 private:
  test::TempFolder folder_;
  std::string path_ = folder_.file("nano.safetensors");
  std::vector<FileTensor> tensors_;
};

// The message with which the copy is refused.
std::string refusal(const NanoCopy& copy) {
  Result<Checkpoint> checkpoint = copy.written();
  if (!checkpoint) return "not even opened: " + checkpoint.error().message;
  const auto weights =
      load_checkpoint_weights(config_of(kNano), std::make_shared<const Checkpoint>(*std::move(checkpoint)));
  return weights ? "" : weights.error().message;
}

TEST(CheckpointWeights, NanoIsCompleteAndHasTheShapesOfItsConfig) {
  const Config config = config_of(kNano);
  auto checkpoint = std::make_shared<const Checkpoint>(*Checkpoint::open_folder(kNano));
  const auto skipped = account_for_tensors(config, *checkpoint);
  ASSERT_TRUE(skipped) << skipped.error().message;
  EXPECT_EQ(skipped->count, 0);
  const auto weights = load_checkpoint_weights(config, checkpoint);
  ASSERT_TRUE(weights) << weights.error().message;
  ASSERT_EQ(weights->layers.size(), 8);
  EXPECT_EQ(weights->layers[5].mixture.experts.size(), 16);
  EXPECT_EQ(weights->layers[5].mixture.experts[3].w2.k, 128);
  EXPECT_FALSE(weights->layers[0].compressor);
  EXPECT_EQ(weights->layers[2].compressor->wgate.rows, 512);
  EXPECT_EQ(weights->layers[4].compressor->wgate.rows, 0);
  EXPECT_TRUE(weights->layers[6].indexer);
  EXPECT_TRUE(weights->layers[3].engram);
  EXPECT_EQ(weights->draft->stages.size(), 3);
  EXPECT_EQ(weights->draft->main_proj.k, 768);
  EXPECT_EQ(weights->draft->confidence.k, 320);
}

TEST(CheckpointWeights, ValuesAreThoseOfTheFile) {
  auto checkpoint = std::make_shared<const Checkpoint>(*Checkpoint::open_folder(kNano));
  const auto weights = load_checkpoint_weights(config_of(kNano), checkpoint);
  ASSERT_TRUE(weights) << weights.error().message;
  const formats::Tensor& norm = *checkpoint->find("layers.7.ffn_norm.weight");
  EXPECT_EQ(weights->layers[7].mixture_norm[255], arith::bf16_value(load<u16>(&norm.data[510])));
  const formats::Tensor& fn = *checkpoint->find("mtp.1.hc_ffn_fn");
  EXPECT_EQ(weights->draft->stages[1].mixture_mix.fn.row(23)[1023], load<float>(&fn.data[fn.data.size() - 4]));
  const formats::Tensor& w3 = *checkpoint->find("layers.0.ffn.experts.9.w3.weight");
  EXPECT_EQ(weights->layers[0].mixture.experts[9].w3.codes.data(), w3.data.data());
}

TEST(CheckpointWeights, VisionTensorsAreSkippedAndCounted) {
  NanoCopy copy;
  copy.add({"vision.blocks.0.weight", DType::kBF16, {4, 8}, std::vector<std::byte>(64)});
  copy.add({"image_newline", DType::kBF16, {16}, std::vector<std::byte>(32)});
  const auto checkpoint = copy.written();
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto skipped = account_for_tensors(config_of(kNano), *checkpoint);
  ASSERT_TRUE(skipped) << skipped.error().message;
  EXPECT_EQ(skipped->count, 2);
  EXPECT_EQ(skipped->bytes, 96);
}

TEST(CheckpointWeights, AMissingTensorIsNamed) {
  for (const std::string name : {"layers.4.attn.compressor.wkv.weight", "mtp.2.ffn.experts.7.w1.scale",
                                 "layers.3.engram.embed.scale", "norm.weight"}) {
    NanoCopy copy;
    copy.remove(name);
    EXPECT_THAT(refusal(copy), HasSubstr("tensor " + name + " (")) << name;
  }
}

TEST(CheckpointWeights, AnUnknownTensorIsNamed) {
  NanoCopy copy;
  copy.add({"layers.8.attn_norm.weight", DType::kBF16, {256}, std::vector<std::byte>(512)});
  EXPECT_THAT(refusal(copy), HasSubstr("tensor layers.8.attn_norm.weight (BF16 [256]) is unknown"));
}

TEST(CheckpointWeights, AWrongShapeIsNamed) {
  NanoCopy transposed;
  std::swap(transposed["layers.0.attn.wkv.weight"].shape[0], transposed["layers.0.attn.wkv.weight"].shape[1]);
  EXPECT_THAT(refusal(transposed), HasSubstr("layers.0.attn.wkv.weight is F8_E4M3 [256, 512], but config.json makes it "
                                             "F8_E4M3 [512, 256]"));

  NanoCopy coarse_scales;  // as if blocks were 128 x 128
  coarse_scales["layers.0.attn.wkv.scale"].shape = {4, 2};
  coarse_scales["layers.0.attn.wkv.scale"].data.resize(8);
  EXPECT_THAT(refusal(coarse_scales), HasSubstr("layers.0.attn.wkv.scale is F8_E8M0 [4, 2]"));

  NanoCopy unpacked;  // FP4 has two codes a byte
  unpacked["layers.0.ffn.experts.1.w1.weight"].shape = {128, 256};
  unpacked["layers.0.ffn.experts.1.w1.weight"].data.resize(128 * 256);
  EXPECT_THAT(refusal(unpacked), HasSubstr("I8 [128, 256], but config.json makes it I8 [128, 128]"));
}

TEST(CheckpointWeights, AWrongTypeIsNamed) {
  NanoCopy copy;
  copy["head.weight"].dtype = DType::kF16;
  EXPECT_THAT(refusal(copy), HasSubstr("tensor head.weight is F16"));
}

TEST(CheckpointWeights, NaNCodesAreRefusedWithTheirPlace) {
  const auto damaged = [](std::string_view name, std::size_t byte, u8 value) {
    NanoCopy copy;
    copy[name].data[byte] = std::byte{value};
    return refusal(copy);
  };
  EXPECT_THAT(damaged("layers.6.attn.wq_b.weight", 9000, 0xff), HasSubstr("layers.6.attn.wq_b.weight"));
  EXPECT_THAT(damaged("layers.6.attn.wq_b.weight", 9000, 0x7f), HasSubstr("element 9000 is not a finite number"));
  EXPECT_THAT(damaged("mtp.0.ffn.experts.2.w2.scale", 5, 0xff), HasSubstr("mtp.0.ffn.experts.2.w2.scale"));
  EXPECT_EQ(damaged("mtp.0.ffn.experts.2.w2.weight", 5, 0xff), "");  // two FP4 codes: -6 and -6
}

TEST(CheckpointWeights, FloatsThatAreNotFiniteAreRefused) {
  NanoCopy copy;
  store(&copy["layers.2.attn.attn_sink"].data[8], HUGE_VALF);
  EXPECT_THAT(refusal(copy), HasSubstr("layers.2.attn.attn_sink (F32 [4]): element 2 is not a finite number"));
  NanoCopy other;
  store(&other["embed.weight"].data[100], u16{0xffc0});
  EXPECT_THAT(refusal(other), HasSubstr("embed.weight (BF16 [8192, 256]): element 50 is not a finite number"));
}

}  // namespace
}  // namespace bolide::model
