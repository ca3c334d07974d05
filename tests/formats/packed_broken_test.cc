// Packed files that are damaged or lie (pitfalls B48): refused with a name, without large allocations.
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>

#include "formats/packed_example.h"
#include "formats/packed_header.h"
#include "support/allocation_meter.h"
#include "support/reseal_packed.h"

namespace bolide::formats {
namespace {

using ::testing::HasSubstr;
using File = std::vector<std::byte>;

const File& good_file() {
  static const File file = [] {
    const PackedFile packed = example_in_memory().value();
    return File(packed.bytes().begin(), packed.bytes().end());
  }();
  return file;
}

Result<PackedFile> open(const File& file) {
  return PackedFile::from_memory("folder/file", file, nullptr);
}

// Every span of an open file lies inside its bytes, whatever the file says.
void expect_inside(const PackedFile& file) {
  const auto inside = [&](Bytes span) {
    return span.data() >= file.bytes().data() && span.data() + span.size() <= file.bytes().data() + file.bytes().size();
  };
  for (const PackedTensor& tensor : file.tensors()) {
    const u64 last = tensor.spec.shape.experts - 1;
    EXPECT_TRUE(inside(tensor.all_codes) && inside(tensor.all_scales));
    EXPECT_TRUE(inside(tensor.codes(last)) && inside(tensor.scales(last)));
  }
  EXPECT_TRUE(inside(as_bytes(file.config_json())) && inside(as_bytes(file.tokenizer_json())) &&
              inside(as_bytes(file.engram_json())));
}

TEST(BrokenPackedFile, IsRefusedWhenAnyHeaderByteIsChanged) {
  for (std::size_t i = 0; i < kPackedHeaderBytes; ++i) {
    File file = good_file();
    file[i] ^= std::byte{0x40};
    EXPECT_FALSE(open(file).ok()) << i;
  }
}

TEST(BrokenPackedFile, IsRefusedWhenAnyTableOrDocumentByteIsChanged) {
  const std::size_t end = kPackedHeaderBytes + example_specs().size() * kPackedRecordBytes +
                          example_documents().config.size() + example_documents().tokenizer.size() +
                          example_documents().engram.size();
  for (std::size_t i = kPackedHeaderBytes; i < end; ++i) {
    File file = good_file();
    file[i] ^= std::byte{1};
    EXPECT_FALSE(open(file).ok()) << i;
  }
}

TEST(BrokenPackedFile, IsRefusedWhenCutAnywhere) {
  for (std::size_t length = 0; length < good_file().size(); length += length < 8192 ? 1 : 509) {
    const File file(good_file().begin(), good_file().begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(open(file).ok()) << length;
  }
  File longer = good_file();
  longer.push_back(std::byte{0});
  EXPECT_FALSE(open(longer).ok());
}

// Behind the hashes: each changed byte is refused, or is one that may differ (a name, a digest, a document).
TEST(BrokenPackedFile, StaysInsideTheFileWhateverResealedByteIsChanged) {
  const std::size_t end = kPackedHeaderBytes + example_specs().size() * kPackedRecordBytes;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (i >= 216 && i < kHeaderDigestAt) continue;  // reserved
    for (const u8 flip : {u8{1}, u8{0x80}}) {
      File file = good_file();
      file[i] ^= std::byte{flip};
      test::reseal_packed(file);
      const test::AllocationMeter meter;
      const Result<PackedFile> packed = open(file);
      EXPECT_LT(meter.bytes(), 64'000u) << i;
      if (packed.ok()) expect_inside(*packed);
      if (!packed.ok()) ++refused;
    }
  }
  EXPECT_GT(refused, 500u);
}

// One field of the header or of the third record (layers.0.ffn.experts.w1) set to a bad value, hashes made to fit.
struct BadField {
  std::string what;
  std::function<void(File&)> spoil;
  std::vector<std::string> named;
};

constexpr u64 kRecord = kPackedHeaderBytes + 2 * kPackedRecordBytes;

template <class T>
std::function<void(File&)> set(u64 at, T value) {
  return [=](File& file) { store(&file[at], value); };
}

std::vector<BadField> bad_header_fields() {
  return {
      {"newer version", set<u32>(8, 2), {"version 2", "version 1", "convert"}},
      {"other arithmetic", set<u32>(12, 7), {"arithmetic version 7", "convert"}},
      {"file size", set<u64>(16, u64{1} << 63), {"9223372036854775808", "incomplete or damaged"}},
      {"table offset beyond the file", set<u64>(24, u64{1} << 40), {"table", "outside"}},
      {"table offset wraps", set<u64>(24, ~u64{0} - 255), {"table", "outside"}},
      {"table offset in the header", set<u64>(24, 0), {"table", "outside"}},
      {"table moved", set<u64>(24, 4352), {"record 5", "class"}},
      {"table count 2^63", set<u64>(32, u64{1} << 63), {"table of 9223372036854775808 tensors", "outside"}},
      {"table count wraps", set<u64>(32, (u64{1} << 56) + 6), {"outside"}},
      {"table count too small", set<u64>(32, 5), {"document 0"}},
      {"document beyond the file", set<u64>(72, u64{1} << 50), {"config document", "outside"}},
      {"document length 2^63", set<u64>(128, u64{1} << 63), {"tokenizer document", "outside"}},
      {"document length wraps", set<u64>(176, ~u64{0}), {"Engram constants document", "outside"}},
      {"document in the header", set<u64>(72, 0), {"config document", "outside"}},
      {"document moved", set<u64>(72, 8192), {"document 0 is at byte 8192"}},
  };
}

std::vector<BadField> bad_record_fields() {
  const std::string name = "tensor layers.0.ffn.experts.w1";
  return {
      {"name is empty", set<u8>(kRecord, 0), {"record 2", "name"}},
      {"name has no end", [](File& file) { std::memset(&file[kRecord], 'x', 128); }, {"record 2", "name"}},
      {"name has bytes behind its end", set<u8>(kRecord + 100, 'x'), {"record 2", "name"}},
      {"name has a control character", set<u8>(kRecord + 3, 27), {"record 2", "name"}},
      {"name is there twice",
       [](File& file) { std::memcpy(&file[kRecord], "norm.weight\0\0\0\0\0\0\0\0\0\0\0\0\0", 24); },
       {"tensor norm.weight", "twice"}},
      {"class has no end", [](File& file) { std::memset(&file[kRecord + 128], 'x', 32); }, {name, "class"}},
      {"type unknown", set<u32>(kRecord + 160, 16), {name, "unknown type 16"}},
      {"form unknown", set<u32>(kRecord + 164, 2), {name, "unknown form 2"}},
      {"plain form of a quantized type", set<u32>(kRecord + 164, 0), {name, "tiles only"}},
      {"type with other sizes", set<u32>(kRecord + 160, 8), {name, "wanted"}},
      {"no experts", set<u64>(kRecord + 168, 0), {name, "none may be 0"}},
      {"2^63 experts", set<u64>(kRecord + 168, u64{1} << 63), {name, "more than a file can hold"}},
      {"2^20 experts", set<u64>(kRecord + 168, u64{1} << 20), {name, "wanted"}},
      {"rows 2^63-1", set<u64>(kRecord + 176, (u64{1} << 63) - 1), {name, "more than a file can hold"}},
      {"rows 2^42+1", set<u64>(kRecord + 176, (u64{1} << 42) + 1), {name, "wanted"}},
      {"rows 0", set<u64>(kRecord + 176, 0), {name, "none may be 0"}},
      {"columns 2^63", set<u64>(kRecord + 184, u64{1} << 63), {name, "more than a file can hold"}},
      {"columns no multiple of 32", set<u64>(kRecord + 184, 95), {name, "a multiple of 32"}},
      {"codes offset beyond the file", set<u64>(kRecord + 192, u64{1} << 62), {name, "4611686018427387904"}},
      {"codes offset not aligned", set<u64>(kRecord + 192, 16'385), {name, "16385"}},
      {"codes length", set<u64>(kRecord + 200, ~u64{0}), {name, "wanted"}},
      {"scales offset in the codes", set<u64>(kRecord + 208, 16'384), {name, "wanted"}},
      {"scales length", set<u64>(kRecord + 216, 0), {name, "wanted"}},
  };
}

class BadPackedField : public ::testing::TestWithParam<BadField> {};

TEST_P(BadPackedField, IsRefusedNamingThePlaceWithoutLargeAllocations) {
  File file = good_file();
  GetParam().spoil(file);
  test::reseal_packed(file);
  const test::AllocationMeter meter;
  const Result<PackedFile> packed = open(file);
  EXPECT_LT(meter.bytes(), 64'000u);
  ASSERT_FALSE(packed.ok());
  EXPECT_THAT(packed.error().message, HasSubstr("folder/file: "));
  for (const std::string& named : GetParam().named) EXPECT_THAT(packed.error().message, HasSubstr(named));
}

std::string test_name(const ::testing::TestParamInfo<BadField>& info) {
  std::string text = info.param.what;
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}
INSTANTIATE_TEST_SUITE_P(Header, BadPackedField, ::testing::ValuesIn(bad_header_fields()), test_name);
INSTANTIATE_TEST_SUITE_P(Record, BadPackedField, ::testing::ValuesIn(bad_record_fields()), test_name);

// A consistent table of weights that the file does not have.
TEST(BrokenPackedFile, IsRefusedWhenItsTensorsDoNotFitIntoIt) {
  File file = good_file();
  const u64 last = kPackedHeaderBytes + 5 * kPackedRecordBytes;  // the last tensor: F16, 5 x 8
  const auto rows = u64{32} * 1'000'000;
  store(&file[last + 176], rows);
  store(&file[last + 200], rows * 16);
  store(&file[last + 208], load<u64>(&file[last + 192]) + rows * 16);
  test::reseal_packed(file);
  const Result<PackedFile> packed = open(file);
  ASSERT_FALSE(packed.ok());
  EXPECT_THAT(packed.error().message, HasSubstr("tensor layers.0.ffn.gate.weight: it ends at byte"));
}

TEST(BrokenPackedFile, OtherFilesAreNotPackedFiles) {
  File text(8192, std::byte{'x'});
  const Result<PackedFile> packed = open(text);
  ASSERT_FALSE(packed.ok());
  EXPECT_THAT(packed.error().message, HasSubstr("it begins with \"xxxxxxxx\", not \"BOLIDEPK\""));
}

TEST(BrokenPackedFile, VerificationNamesTheDamagedTensor) {
  for (const bool in_scales : {false, true}) {
    File file = good_file();
    const Result<PackedFile> before = open(file);
    ASSERT_TRUE(before.ok());
    const Placement place = before->find("layers.0.ffn.experts.w2")->placement;
    file[in_scales ? place.scales_offset + place.scales_bytes - 1 : place.codes_offset] ^= std::byte{4};
    const Result<PackedFile> packed = open(file);
    ASSERT_TRUE(packed.ok());  // opening does not touch the weights
    const Status verified = packed->verify_contents();
    ASSERT_FALSE(verified.ok());
    EXPECT_THAT(verified.error().message, HasSubstr("tensor layers.0.ffn.experts.w2 does not have the hash"));
  }
}

}  // namespace
}  // namespace bolide::formats
