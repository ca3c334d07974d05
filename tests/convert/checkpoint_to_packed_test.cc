#include "convert/checkpoint_to_packed.h"

#include <cmath>
#include <gmock/gmock.h>
#include <map>

#include "convert/file_names.h"
#include "engram/table_sources.h"
#include "formats/engram_file.h"
#include "model/engram_shape.h"
#include "model/packed_weights.h"
#include "model/tensors.h"
#include "support/temp_folder.h"

namespace bolide::convert {
namespace {

constexpr const char* kNano = BOLIDE_SOURCE_DIR "/models/nano";

const CheckpointFolder& nano() {
  static const Result<CheckpointFolder> folder = open_checkpoint_folder(kNano);
  check(folder.ok(), "the nano model is in the repository");
  return *folder;
}

const PackedModel& packed_nano() {
  static const Result<PackedModel> model = convert_to_memory(nano(), {});
  check(model.ok(), "the nano model can be packed");
  return *model;
}

// ---- What the packed bytes must say, worked out from the number formats' definitions, element by element.

double e4m3(u8 code) {
  const int exponent = (code >> 3) & 15;
  const int mantissa = code & 7;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

double bf16(Bytes data, u64 i) {
  const auto code = load<u16>(data.data() + 2 * i);
  const int exponent = (code >> 7) & 255;
  const double magnitude =
      exponent == 0 ? std::ldexp(code & 127, -133) : std::ldexp(128 + (code & 127), exponent - 134);
  return (code & 0x8000) != 0 ? -magnitude : magnitude;
}

double f16(u16 code) {
  const int exponent = code >> 10;
  return exponent == 0 ? std::ldexp(code, -24) : std::ldexp(1024 + (code & 1023), exponent - 25);
}

// The positive F16 code nearest to x, ties to the even code, by looking at all of them.
u16 nearest_f16(double x) {
  static const std::vector<double> all_values = [] {
    std::vector<double> values;
    for (u16 code = 0; code <= 0x7bff; ++code) values.push_back(f16(code));
    return values;
  }();
  const auto above =
      static_cast<std::size_t>(std::lower_bound(all_values.begin(), all_values.end(), x) - all_values.begin());
  if (above == 0 || all_values.at(above) == x) return static_cast<u16>(above);
  const double low = x - all_values[above - 1];
  const double high = all_values[above] - x;
  if (low == high) return static_cast<u16>(above % 2 == 0 ? above : above - 1);
  return static_cast<u16>(low < high ? above - 1 : above);
}

// A matrix of the checkpoint by its spec.
class OfficialMatrix {
 public:
  OfficialMatrix(const model::TensorSpec& spec, u64 expert) : spec_(spec) {
    const formats::Checkpoint& checkpoint = *nano().checkpoint;
    data_ = checkpoint.find(spec.expert_name(expert))->data;
    const formats::Tensor* scales = checkpoint.find(spec.expert_scale_name(expert));
    if (scales != nullptr) scales_ = scales->data;
  }

  double weight(u64 row, u64 k) const {
    const u64 i = row * spec_.packed.columns + k;
    if (spec_.checkpoint != model::CheckpointFormat::kFp8) return bf16(data_, i);
    const u8 scale = byte_at(scales_, row / 32 * ((spec_.packed.columns + 31) / 32) + k / 32);
    return std::ldexp(e4m3(byte_at(data_, i)), scale - 127);
  }
  Bytes data() const { return data_; }
  Bytes scales() const { return scales_; }

 private:
  const model::TensorSpec& spec_;
  Bytes data_;
  Bytes scales_;
};

// Number of the unit (of `width` columns) in [tile][unit][row].
u64 tiled(u64 row, u64 k, u64 columns, u64 width) {
  return (row / 32 * (columns / width) + k / width) * 32 + row % 32;
}

// Rows a tile adds beyond the matrix.
u64 padded(u64 rows) {
  return (rows + 31) / 32 * 32;
}

// The blocks that are compared: [row][block], the last rows are padding.
void expect_q8_0(const model::TensorSpec& spec, const formats::PackedTensor& packed) {
  const OfficialMatrix official(spec, 0);
  const u64 columns = spec.packed.columns;
  for (u64 row = 0; row < padded(spec.packed.rows); ++row) {
    for (u64 k = 0; k < columns; k += 32) {
      std::array<double, 32> w{};
      double largest = 0;
      for (u64 i = 0; i < 32 && row < spec.packed.rows; ++i) {
        w[i] = official.weight(row, k + i);
        largest = std::max(largest, std::fabs(w[i]));
      }
      const u64 block = tiled(row, k, columns, 32);
      const auto d = load<u16>(packed.scales().data() + 2 * block);
      ASSERT_EQ(d, nearest_f16(static_cast<float>(largest) / 127.0f)) << spec.name << " row " << row << " k " << k;
      for (u64 i = 0; i < 32; ++i) {
        const float q = d == 0 ? 0.0f : std::rint(static_cast<float>(w[i]) / static_cast<float>(f16(d)));
        const int wanted = static_cast<int>(std::min(127.0f, std::max(-127.0f, q)));
        ASSERT_EQ(static_cast<i8>(packed.codes()[32 * block + i]), wanted) << spec.name << " row " << row << " k " << k;
      }
    }
  }
}

void expect_mxfp4(const model::TensorSpec& spec, const formats::PackedTensor& packed) {
  const u64 columns = spec.packed.columns;
  ASSERT_EQ(spec.packed.rows % 32, 0);
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    const OfficialMatrix official(spec, expert);
    for (u64 row = 0; row < spec.packed.rows; ++row) {
      for (u64 k = 0; k < columns; ++k) {
        const u64 block = tiled(row, k, columns, 32);
        const u8 wanted = byte_at(official.data(), (row * columns + k) / 2) >> (k % 2 * 4) & 15;
        const u8 found = byte_at(packed.codes(expert), 16 * block + k % 32 / 2) >> (k % 2 * 4) & 15;
        ASSERT_EQ(found, wanted) << spec.name << " expert " << expert << " row " << row << " k " << k;
        ASSERT_EQ(packed.scales(expert)[block], official.scales()[(row * columns + k) / 32]);
      }
    }
  }
}

void expect_floats(const model::TensorSpec& spec, const formats::PackedTensor& packed) {
  const Bytes official = OfficialMatrix(spec, 0).data();
  const u64 columns = spec.packed.columns;
  const u64 bytes = formats::float_bytes(spec.packed.type);
  const bool in_tiles = spec.packed.form == formats::Form::kTiled;
  for (u64 row = 0; row < (in_tiles ? padded(spec.packed.rows) : spec.packed.rows); ++row) {
    for (u64 k = 0; k < columns; ++k) {
      const u64 at = in_tiles ? 4 * tiled(row, k, columns, 4) + k % 4 : row * columns + k;
      for (u64 byte = 0; byte < bytes; ++byte) {
        const std::byte wanted = row < spec.packed.rows ? official[(row * columns + k) * bytes + byte] : std::byte{0};
        ASSERT_EQ(packed.codes()[at * bytes + byte], wanted) << spec.name << " row " << row << " k " << k;
      }
    }
  }
}

TEST(PackedNano, HoldsWhatTheRuleMakesOfEveryElement) {
  const std::vector<model::TensorSpec> specs = model::tensor_specs(nano().config);
  ASSERT_EQ(packed_nano().weights.tensors().size(), specs.size());
  for (const model::TensorSpec& spec : specs) {
    const formats::PackedTensor* packed = packed_nano().weights.find(spec.name);
    ASSERT_NE(packed, nullptr) << spec.name;
    ASSERT_EQ(packed->spec.shape.type, spec.packed.type);
    switch (spec.packed.type) {
      case formats::WeightType::kQ8_0:
        expect_q8_0(spec, *packed);
        break;
      case formats::WeightType::kMXFP4:
        expect_mxfp4(spec, *packed);
        break;
      default:
        expect_floats(spec, *packed);
    }
  }
}

TEST(PackedNano, HasTheDocumentsOfTheFolderAndGoodHashes) {
  const formats::PackedFile& file = packed_nano().weights;
  EXPECT_EQ(file.config_json(), nano().documents.config);
  EXPECT_EQ(file.tokenizer_json(), nano().documents.tokenizer);
  EXPECT_EQ(file.engram_json(), nano().documents.engram);
  EXPECT_TRUE(file.verify_contents());
}

TEST(PackedNano, IsTheSameInMemoryAndInAFileWhateverTheThreads) {
  for (const u32 n_threads : {1U, 5U}) {
    const test::TempFolder folder;
    const Result<PackedModel> written =
        convert_to_files(nano(), folder.file("nano.bolide"), {.n_threads = n_threads, .progress = {}});
    ASSERT_TRUE(written) << written.error().message;
    const Bytes on_disk = written->weights.bytes();
    const Bytes in_memory = packed_nano().weights.bytes();
    ASSERT_EQ(on_disk.size(), in_memory.size());
    EXPECT_EQ(std::memcmp(on_disk.data(), in_memory.data(), on_disk.size()), 0);
    EXPECT_FALSE(folder.has("nano.bolide.partial"));
    EXPECT_FALSE(folder.has("nano.engram.partial"));
  }
}

TEST(PackedNano, TheEngramFileHoldsTheRowsOfTheShards) {
  const test::TempFolder folder;
  const std::string path = folder.file("nano.bolide");
  ASSERT_TRUE(convert_to_files(nano(), path, {}));
  const auto file = formats::open_engram_file(engram_path(path));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(formats::verify_contents(*file));
  const auto sources = engram::table_sources(*file, model::engram_shape(nano().config));
  ASSERT_TRUE(sources) << sources.error().message;
  const u32 head_dim = nano().config.engram.head_dim;
  const auto converted = engram::FileRows::open(*sources, head_dim);
  const auto official = engram::FileRows::open(nano().engram_tables, head_dim);
  ASSERT_TRUE(converted && official);
  for (u32 table = 0; table < 2; ++table) {
    std::vector<u64> rows(nano().config.engram.rows[table]);
    for (u64 i = 0; i < rows.size(); ++i) rows[i] = i;
    std::vector<std::byte> a(rows.size() * (*converted)->row_bytes());
    std::vector<std::byte> b(a.size());
    ASSERT_TRUE((*converted)->read(table, rows, a));
    ASSERT_TRUE((*official)->read(table, rows, b));
    EXPECT_EQ(a, b);
  }
}

TEST(PackedNano, LoadsAsWeights) {
  const auto weights = model::load_packed_weights(nano().config, packed_nano().weights);
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_TRUE(weights->draft.has_value());
  EXPECT_EQ(weights->layers[2].mixture.experts.size(), 16);
}

TEST(PackedNano, WithoutDrafterHasNoneOfItsTensors) {
  const auto packed = convert_to_memory(nano(), {.with_draft = false, .n_threads = 1, .progress = {}});
  ASSERT_TRUE(packed) << packed.error().message;
  for (const formats::PackedTensor& tensor : packed->weights.tensors()) {
    EXPECT_FALSE(tensor.spec.name.starts_with("mtp.")) << tensor.spec.name;
  }
  u64 count = 0;
  u64 bytes = 0;
  for (const formats::Tensor& tensor : nano().checkpoint->tensors()) {
    if (!tensor.name.starts_with("mtp.")) continue;
    ++count;
    bytes += tensor.data.size();
  }
  EXPECT_EQ(packed->report.omitted_draft.count, count);
  EXPECT_EQ(packed->report.omitted_draft.bytes, bytes);
  const auto weights = model::load_packed_weights(nano().config, packed->weights);
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_FALSE(weights->draft.has_value());
}

TEST(ConvertReport, CountsEveryByteOnce) {
  const test::TempFolder folder;
  const auto written = convert_to_files(nano(), folder.file("nano.bolide"), {});
  ASSERT_TRUE(written);
  u64 bytes_in = 0;
  u64 weight_bytes_out = 0;
  u64 experts = 0;
  for (const ClassReport& line : written->report.classes) {
    bytes_in += line.bytes_in;
    if (line.tensor_class != "Engram rows") weight_bytes_out += line.bytes_out;
    if (line.tensor_class == "routed experts") {
      EXPECT_EQ(line.from + " -> " + line.to, "FP4 -> MXFP4");
      EXPECT_EQ(line.bytes_in, line.bytes_out);
      experts += line.tensors;
    }
  }
  EXPECT_EQ(bytes_in, 37'015'584);  // the model's README
  EXPECT_EQ(bytes_in, nano().payload_bytes);
  EXPECT_EQ(experts, 3 * (8 * 16 + 3 * 8));
  u64 packed = 0;
  for (const formats::PackedTensor& tensor : written->weights.tensors()) {
    packed += tensor.spec.shape.experts * (tensor.placement.expert.codes + tensor.placement.expert.scales);
  }
  EXPECT_EQ(weight_bytes_out, packed);
  EXPECT_EQ(written->report.vision.count, 0);
}

TEST(ConvertReport, ProgressRisesToTheTotalUnderOneThreadAtATime) {
  u64 last = 0;
  u64 total = 0;
  const auto packed = convert_to_memory(nano(), {.n_threads = 4, .progress = [&](u64 done, u64 of) {
                                                   EXPECT_GT(done, last);
                                                   last = done;
                                                   total = of;
                                                 }});
  ASSERT_TRUE(packed);
  EXPECT_EQ(last, total);
  EXPECT_GT(total, 30'000'000);
}

TEST(FileNames, TheEngramFileStandsBesideThePackedFile) {
  EXPECT_EQ(engram_path("models/nano.bolide"), "models/nano.engram");
  EXPECT_EQ(engram_path("nano"), "nano.engram");
  EXPECT_EQ(engram_path("nano.v2"), "nano.v2.engram");
}

}  // namespace
}  // namespace bolide::convert
