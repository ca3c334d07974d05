#include "formats/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

#include "formats/safetensors_bytes.h"
#include "support/allocation_meter.h"
#include "support/temp_folder.h"

namespace bolide::formats {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNano = BOLIDE_SOURCE_DIR "/models/nano";

// A shard with one U8 tensor of 4 bytes for each name.
std::string shard_of(const std::vector<std::string>& names) {
  std::string header = "{";
  u64 offset = 0;
  for (const std::string& name : names) {
    header += fmt::format(R"({}"{}":{{"dtype":"U8","shape":[4],"data_offsets":[{},{}]}})", offset == 0 ? "" : ",", name,
                          offset, offset + 4);
    offset += 4;
  }
  return safetensors_bytes(header + "}", std::string(offset, 'd'));
}

std::string refusal(const test::TempFolder& folder) {
  const Result<Checkpoint> checkpoint = Checkpoint::open_folder(folder.path());
  return checkpoint.ok() ? "was opened" : checkpoint.error().message;
}

TEST(Checkpoint, OpensNanoWithAllShardsAndFindsTensorsByName) {
  const Result<Checkpoint> nano = Checkpoint::open_folder(kNano);
  ASSERT_TRUE(nano.ok()) << nano.error().message;
  EXPECT_EQ(nano->shards().size(), 3u);
  EXPECT_EQ(nano->tensors().size(), 1271u);
  u64 bytes = 0;
  for (const Tensor& tensor : nano->tensors()) {
    bytes += tensor.data.size();
    EXPECT_EQ(nano->find(tensor.name), &tensor);
    const Bytes shard = nano->shards()[tensor.shard].bytes();
    EXPECT_EQ(shard.data() + tensor.file_offset, tensor.data.data());
  }
  EXPECT_EQ(bytes, 37'015'584u);  // models/nano/README.md
  EXPECT_EQ(describe(*nano->find("layers.0.attn.wq_a.weight")), "F8_E4M3 [128, 256]");
  EXPECT_EQ(nano->find("layers.0.attn.wq_a"), nullptr);
}

TEST(Checkpoint, MovesWithItsTensors) {
  Result<Checkpoint> opened = Checkpoint::open_folder(kNano);
  ASSERT_TRUE(opened.ok());
  const Checkpoint moved = *std::move(opened);
  ASSERT_NE(moved.find("norm.weight"), nullptr);
  EXPECT_EQ(moved.find("norm.weight")->name, "norm.weight");
}

TEST(Checkpoint, OpensASingleFile) {
  const test::TempFolder folder;
  folder.write("model.safetensors", shard_of({"a", "b"}));
  const Result<Checkpoint> by_folder = Checkpoint::open_folder(folder.path());
  ASSERT_TRUE(by_folder.ok());
  EXPECT_NE(by_folder->find("b"), nullptr);
  const Result<Checkpoint> by_file = Checkpoint::open_file(folder.file("model.safetensors"));
  ASSERT_TRUE(by_file.ok());
  EXPECT_EQ(by_file->tensors().size(), 2u);
}

TEST(Checkpoint, SaysWhatWasLookedForInAnEmptyFolder) {
  const test::TempFolder folder;
  EXPECT_THAT(refusal(folder), HasSubstr("neither model.safetensors.index.json nor model.safetensors"));
}

TEST(Checkpoint, NamesMissingShards) {
  const test::TempFolder folder;
  folder.write("one.safetensors", shard_of({"a"}));
  folder.write("model.safetensors.index.json",
               R"({"weight_map":{"a":"one.safetensors","b":"two.safetensors","c":"three.safetensors"}})");
  EXPECT_THAT(refusal(folder), HasSubstr("2 of 3 shards"));
  EXPECT_THAT(refusal(folder), HasSubstr("three.safetensors; download"));
}

TEST(Checkpoint, NamesATensorOfTheIndexThatNoShardHas) {
  const test::TempFolder folder;
  folder.write("one.safetensors", shard_of({"a"}));
  folder.write("model.safetensors.index.json", R"({"weight_map":{"a":"one.safetensors","b":"one.safetensors"}})");
  EXPECT_THAT(refusal(folder), HasSubstr("tensor b should be in one.safetensors, but is in no shard"));
}

TEST(Checkpoint, NamesATensorInAnotherShardThanTheIndexSays) {
  const test::TempFolder folder;
  folder.write("one.safetensors", shard_of({"a"}));
  folder.write("two.safetensors", shard_of({"b"}));
  folder.write("model.safetensors.index.json", R"({"weight_map":{"a":"two.safetensors","b":"one.safetensors"}})");
  EXPECT_THAT(refusal(folder), HasSubstr("tensor a should be in two.safetensors, but is in one.safetensors"));
}

TEST(Checkpoint, NamesATensorThatTheIndexLacks) {
  const test::TempFolder folder;
  folder.write("one.safetensors", shard_of({"a", "extra"}));
  folder.write("model.safetensors.index.json", R"({"weight_map":{"a":"one.safetensors"}})");
  EXPECT_THAT(refusal(folder), HasSubstr("tensor extra of one.safetensors is not in the index"));
}

TEST(Checkpoint, NamesATensorThatTwoShardsHave) {
  const test::TempFolder folder;
  folder.write("one.safetensors", shard_of({"a"}));
  folder.write("two.safetensors", shard_of({"a", "b"}));
  folder.write("model.safetensors.index.json", R"({"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  EXPECT_THAT(refusal(folder), HasSubstr("two.safetensors: tensor a is also in"));
}

TEST(Checkpoint, NamesTheBrokenShard) {
  const test::TempFolder folder;
  folder.write("one.safetensors", shard_of({"a"}));
  folder.write("two.safetensors", shard_of({"b"}).substr(0, 30));
  folder.write("model.safetensors.index.json", R"({"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  EXPECT_THAT(refusal(folder), HasSubstr("two.safetensors: the header should have"));
}

TEST(CheckpointIndex, PassesOverWhatIsNotTheWeightMap) {
  const auto index = parse_safetensors_index(
      R"({"metadata":{"total_size":1.5,"x":[null,{"y":true}]},"weight_map":{"a":"s.safetensors"},"n":-1})", "i");
  ASSERT_TRUE(index.ok()) << index.error().message;
  ASSERT_EQ(index->size(), 1u);
  EXPECT_EQ(index->at(0).tensor, "a");
  EXPECT_EQ(index->at(0).shard, "s.safetensors");
}

TEST(CheckpointIndex, RefusesWhatIsBrokenOrLeadsOutOfTheFolder) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({})", "weight_map"},
      {R"([])", "outermost"},
      {R"({"weight_map":[]})", "array"},
      {R"({"weight_map":{"a":1}})", "number at \"weight_map\" > \"a\""},
      {R"({"weight_map":{"a":null}})", "null"},
      {R"({"weight_map":{"a":{}}})", "object"},
      {R"({"weight_map":{"a":"s.safetensors","a":"s.safetensors"}})", "\"a\" is there twice"},
      {R"({"weight_map":{"":"s.safetensors"}})", "name"},
      {R"({"weight_map":{"a":"../s.safetensors"}})", "tensor a: \"../s.safetensors\""},
      {R"({"weight_map":{"a":"..\\s.safetensors"}})", "plain file name"},
      {R"({"weight_map":{"a":"/etc/s.safetensors"}})", "plain file name"},
      {R"({"weight_map":{"a":"f/s.safetensors"}})", "plain file name"},
      {R"({"weight_map":{"a":".safetensors"}})", "plain file name"},
      {R"({"weight_map":{"a":"passwd"}})", "plain file name"},
      {R"({"weight_map":{"a":"s\u0000.safetensors"}})", "plain file name"},
      {R"({"weight_map":{"a":""}})", "plain file name"},
      {R"({"weight_map":)" + std::string(1'000'000, '['), "array"},
      {R"({"x":)" + std::string(1'000'000, '['), "JSON"},
  };
  for (const auto& [text, named] : cases) {
    const test::AllocationMeter meter;
    const auto index = parse_safetensors_index(text, "the index");
    EXPECT_LT(meter.bytes(), 64'000u);
    ASSERT_FALSE(index.ok()) << text.substr(0, 80);
    EXPECT_THAT(index.error().message, HasSubstr("the index: "));
    EXPECT_THAT(index.error().message, HasSubstr(named));
  }
}

// A checkpoint with the big model's number of shards and tensors and 64-bit offsets: headers over sparse files.
class HugeCheckpoint : public ::testing::Test {
 protected:
  static constexpr u64 kExpertRows = 2304, kExpertBytes = 2560, kScaleBytes = 160;
  static constexpr u64 kTableRows = 384'000'000, kTableRowBytes = 256;  // 98 GB

  // Adds a tensor to the header that is being built.
  void add(const std::string& name, std::string_view dtype, u64 rows, u64 columns) {
    header_ +=
        fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{},{}],"data_offsets":[{},{}]}})", header_.size() == 1 ? "" : ",",
                    name, dtype, rows, columns, offset_, offset_ + rows * columns);
    offset_ += rows * columns;
    ++tensors_;
    index_ += fmt::format("{}\"{}\":\"{}\"", index_.back() == '{' ? "" : ",", name, shard_name());
  }

  std::string shard_name() const { return fmt::format("model-{:05}-of-00048.safetensors", shards_ + 1); }

  // Writes the header and makes the file as large as its tensors are; false where the file system cannot.
  bool close_shard() {
    const std::string start = safetensors_bytes(header_ + "}", "");
    folder_.write(shard_name(), start);
    payload_offset_ = start.size();
    const bool made = ::truncate(folder_.file(shard_name()).c_str(), static_cast<off_t>(start.size() + offset_)) == 0;
    header_ = "{";
    offset_ = 0;
    ++shards_;
    return made;
  }

  void write_index() { folder_.write("model.safetensors.index.json", index_ + "}}"); }

  test::TempFolder folder_;
  std::string header_ = "{", index_ = R"({"weight_map":{)";
  u64 offset_ = 0, payload_offset_ = 0;
  int shards_ = 0, tensors_ = 0;
};

TEST_F(HugeCheckpoint, OpensWithAllShardsAndReadsBeyond64GB) {
  while (shards_ < 47) {
    for (int i = 0; i < 1'022; ++i) {
      const std::string expert = fmt::format("layers.{}.ffn.experts.{}.w1", shards_, i);
      add(expert + ".weight", "I8", kExpertRows, kExpertBytes);
      add(expert + ".scale", "F8_E8M0", kExpertRows, kScaleBytes);
    }
    if (!close_shard()) GTEST_SKIP() << "the file system has no sparse files of this size";
  }
  for (int i = 0; i < 16; ++i) add(fmt::format("small.{}", i), "U8", 1, 1);
  add("layers.14.engram.embed.weight", "F8_E4M3", kTableRows, kTableRowBytes);
  const std::string last = folder_.file(shard_name());
  if (!close_shard()) GTEST_SKIP() << "the file system has no sparse files of this size";
  const u64 row = kTableRows - 1;
  const int fd = ::open(last.c_str(), O_WRONLY);
  const auto at = static_cast<off_t>(payload_offset_ + 16 + row * kTableRowBytes);
  ASSERT_EQ(::pwrite(fd, "the last row", 12, at), 12);
  ::close(fd);
  write_index();

  const Result<Checkpoint> checkpoint = Checkpoint::open_folder(folder_.path());
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->shards().size(), 48u);
  EXPECT_EQ(checkpoint->tensors().size(), 96'085u);
  const Tensor* table = checkpoint->find("layers.14.engram.embed.weight");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->data.size(), 98'304'000'000u);
  EXPECT_EQ(as_text(table->data.subspan(row * kTableRowBytes, 12)), "the last row");
  EXPECT_EQ(checkpoint->find("layers.46.ffn.experts.1021.w1.scale")->data.size(), kExpertRows * kScaleBytes);
}

}  // namespace
}  // namespace bolide::formats
