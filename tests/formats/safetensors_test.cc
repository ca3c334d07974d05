#include "formats/safetensors.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <vector>

#include "formats/safetensors_bytes.h"
#include "support/allocation_meter.h"

namespace bolide::formats {
namespace {

using ::testing::HasSubstr;

TEST(Safetensors, ReadsTensorsInTheOrderOfThePayload) {
  const std::string file = safetensors_bytes(R"({"__metadata__":{"format":"pt"},)"
                                             R"("b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]},)"
                                             R"("a":{"shape":[2,2],"data_offsets":[0,8],"dtype":"BF16"}}   )",
                                             "01234567abc");
  const Result<std::vector<Tensor>> tensors = parse_safetensors(as_bytes(file), "f");
  ASSERT_TRUE(tensors.ok()) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 2u);
  const Tensor& a = (*tensors)[0];
  const Tensor& b = (*tensors)[1];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(describe(a), "BF16 [2, 2]");
  EXPECT_EQ(as_text(a.data), "01234567");
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(as_text(b.data), "abc");
  EXPECT_EQ(file.substr(b.file_offset, 3), "abc");
}

TEST(Safetensors, KnowsEveryDtypeAndItsSize) {
  const std::vector<std::pair<std::string_view, u64>> dtypes{
      {"BOOL", 1}, {"U8", 1},   {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1}, {"U16", 2}, {"I16", 2},
      {"F16", 2},  {"BF16", 2}, {"U32", 4}, {"I32", 4},     {"F32", 4},     {"U64", 8},     {"I64", 8}, {"F64", 8}};
  for (const auto& [dtype, bytes] : dtypes) {
    const std::string header =
        fmt::format(R"({{"t":{{"dtype":"{}","shape":[3],"data_offsets":[0,{}]}}}})", dtype, 3 * bytes);
    const std::string file = safetensors_bytes(header, std::string(3 * bytes, 'x'));
    const Result<std::vector<Tensor>> tensors = parse_safetensors(as_bytes(file), "f");
    ASSERT_TRUE(tensors.ok()) << tensors.error().message;
    EXPECT_EQ(name(tensors->at(0).dtype), dtype);
    EXPECT_EQ(element_bytes(tensors->at(0).dtype), bytes);
  }
}

TEST(Safetensors, ReadsAFileWithoutTensors) {
  const Result<std::vector<Tensor>> tensors = parse_safetensors(as_bytes(safetensors_bytes("{}", "")), "f");
  ASSERT_TRUE(tensors.ok());
  EXPECT_TRUE(tensors->empty());
}

// A header that must be refused (pitfalls B48) over 8 bytes of payload, and what the refusal must name.
struct Broken {
  std::string what;
  std::string header;
  std::vector<std::string> named;
};

std::string tensor_header(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return fmt::format(R"({{"bad.weight":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype, shape, offsets);
}

// "[1,1,...,1]"
std::string ones(std::size_t count) {
  std::string list = "[";
  for (std::size_t i = 0; i < count; ++i) list += "1,";
  list.back() = ']';
  return list;
}

std::vector<Broken> broken_shapes() {
  return {
      {"product of dims wraps", tensor_header("BF16", "[9223372036854775807,2]", "[0,8]"), {"bad.weight", "2^64"}},
      {"product of dims is huge",
       tensor_header("U8", "[9223372036854775807,2]", "[0,8]"),
       {"bad.weight", "18446744073709551614"}},
      {"product wraps to 8", tensor_header("U8", "[4611686018427387905,8]", "[0,8]"), {"bad.weight", "2^64"}},
      {"2^42+1", tensor_header("F32", "[4398046511105]", "[0,8]"), {"bad.weight", "4398046511105"}},
      {"2^42+1 squared", tensor_header("F32", "[4398046511105,4398046511105]", "[0,8]"), {"bad.weight", "2^64"}},
      {"5 dims", tensor_header("U8", "[8,1,1,1,1]", "[0,8]"), {"bad.weight", "more than 4"}},
      {"1,000,000 dims", tensor_header("U8", ones(1'000'000), "[0,8]"), {"bad.weight", "more than 4"}},
      {"no dims", tensor_header("F64", "[]", "[0,8]"), {"bad.weight", "no dimension"}},
      {"a dim of 0", tensor_header("U8", "[8,0]", "[0,0]"), {"bad.weight", "is 0"}},
      {"dim 2^64", tensor_header("U8", "[18446744073709551616]", "[0,8]"), {"bad.weight", "shape", "2^64"}},
      {"negative dim", tensor_header("U8", "[-8]", "[0,8]"), {"bad.weight", "negative"}},
      {"fraction", tensor_header("U8", "[8.0]", "[0,8]"), {"bad.weight", "not whole"}},
      {"text as dim", tensor_header("U8", R"(["8"])", "[0,8]"), {"bad.weight", "string"}},
      {"nested dims", tensor_header("U8", "[[8]]", "[0,8]"), {"bad.weight", "array"}},
      {"number as shape", tensor_header("U8", "8", "[0,8]"), {"bad.weight", "number"}},
      {"object as shape", tensor_header("U8", "{}", "[0,8]"), {"bad.weight", "object"}},
      {"unknown dtype",
       tensor_header("F4\\u001b[31m", "[8]", "[0,8]"),
       {"bad.weight", "unknown dtype \"F4?[31m\"", "F8_E8M0"}},
  };
}

std::vector<Broken> broken_offsets() {
  return {
      {"end beyond the file", tensor_header("U8", "[9]", "[0,9]"), {"bad.weight", "byte 9", "8 bytes"}},
      {"both beyond the file",
       tensor_header("U8", "[8]", "[18446744073709551600,18446744073709551608]"),
       {"bad.weight"}},
      {"reversed", tensor_header("U8", "[8]", "[8,0]"), {"bad.weight", "[8, 0]"}},
      {"one offset", tensor_header("U8", "[8]", "[8]"), {"bad.weight", "data_offsets"}},
      {"three offsets", tensor_header("U8", "[8]", "[0,8,8]"), {"bad.weight", "data_offsets"}},
      {"size differs", tensor_header("U16", "[8]", "[0,8]"), {"bad.weight", "needs 16 bytes"}},
      {"hole in front", tensor_header("U8", "[7]", "[1,8]"), {"bad.weight", "byte 1"}},
      {"bytes left over", tensor_header("U8", "[7]", "[0,7]"), {"fill 7 bytes"}},
      {"overlap",
       R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       {"tensor b", "byte 4", "ends at 5"}},
      {"same place twice",
       R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
       {"byte 0", "ends at 8"}},
      {"hole between",
       R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       {"tensor b", "byte 4", "ends at 3"}},
      {"nothing describes the payload", "{}", {"fill 0 bytes"}},
  };
}

std::vector<Broken> broken_structure() {
  const std::string good = R"({"dtype":"U8","shape":[8],"data_offsets":[0,8]})";
  return {
      {"empty header", "", {"JSON"}},
      {"not JSON", "{\"a\":", {"JSON"}},
      {"text after the document", R"({"a":)" + good + "} x", {"JSON"}},
      {"array outside", "[]", {"outermost"}},
      {"number outside", "1", {"outermost"}},
      {"number as tensor", R"({"a":1})", {"number", "\"a\""}},
      {"duplicate name", R"({"a":)" + good + R"(,"a":)" + good + "}", {"\"a\" is there twice"}},
      {"duplicate name, escaped", R"({"a":)" + good + R"(,"\u0061":)" + good + "}", {"\"a\" is there twice"}},
      {"duplicate dtype",
       R"({"a":{"dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
       {"\"dtype\" is there twice"}},
      {"unknown key", R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8],"x":1}})", {"\"a\" > \"x\""}},
      {"no dtype", R"({"a":{"shape":[8],"data_offsets":[0,8]}})", {"tensor a", "\"dtype\" is missing"}},
      {"no shape", R"({"a":{"dtype":"U8","data_offsets":[0,8]}})", {"tensor a", "\"shape\" is missing"}},
      {"no offsets", R"({"a":{"dtype":"U8","shape":[8]}})", {"tensor a", "\"data_offsets\" is missing"}},
      {"empty tensor", R"({"a":{}})", {"tensor a"}},
      {"empty name", R"({"":)" + good + "}", {"name"}},
      {"long name", R"({")" + std::string(128, 'n') + R"(":)" + good + "}", {"nnnn", "128 bytes"}},
      {"very long name", R"({")" + std::string(1'000'000, 'n') + R"(":)" + good + "}", {"JSON"}},
      {"control character in a name", R"({"a\u001b[2J":)" + good + "}", {"a?[2J"}},
      {"invalid UTF-8 in a name", "{\"a\xff\":" + good + "}", {"JSON"}},
      {"lone surrogate in a name", R"({"a\ud800":)" + good + "}", {"JSON"}},
      {"metadata is no object", R"({"__metadata__":1})", {"__metadata__"}},
      {"nested metadata", R"({"__metadata__":{"a":{}}})", {"__metadata__"}},
      {"deep nesting", R"({"__metadata__":)" + std::string(1'000'000, '['), {"array"}},
      {"deep nesting outside", std::string(1'000'000, '['), {"array"}},
  };
}

class BrokenSafetensors : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenSafetensors, IsRefusedNamingThePlaceWithoutLargeAllocations) {
  const Broken& broken = GetParam();
  const std::string file = safetensors_bytes(broken.header, "12345678");
  const test::AllocationMeter meter;
  const Result<std::vector<Tensor>> tensors = parse_safetensors(as_bytes(file), "folder/file");
  EXPECT_LT(meter.bytes(), 64'000u);
  ASSERT_FALSE(tensors.ok());
  EXPECT_THAT(tensors.error().message, HasSubstr("folder/file: "));
  for (const std::string& named : broken.named) EXPECT_THAT(tensors.error().message, HasSubstr(named));
  EXPECT_LT(tensors.error().message.size(), 1000u);
}

std::string test_name(const ::testing::TestParamInfo<Broken>& info) {
  std::string text = info.param.what;
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}
INSTANTIATE_TEST_SUITE_P(Shapes, BrokenSafetensors, ::testing::ValuesIn(broken_shapes()), test_name);
INSTANTIATE_TEST_SUITE_P(Offsets, BrokenSafetensors, ::testing::ValuesIn(broken_offsets()), test_name);
INSTANTIATE_TEST_SUITE_P(Structure, BrokenSafetensors, ::testing::ValuesIn(broken_structure()), test_name);

TEST(Safetensors, RefusesAbsurdHeaderLengths) {
  const std::string good = safetensors_bytes("{}", "");
  for (const u64 length : {u64{3}, u64{100'000'000}, u64{100'000'001}, u64{1} << 63, ~u64{0}, ~u64{0} - 7}) {
    std::string file = good;
    std::memcpy(file.data(), &length, sizeof length);
    const test::AllocationMeter meter;
    const Result<std::vector<Tensor>> tensors = parse_safetensors(as_bytes(file), "f");
    EXPECT_LT(meter.bytes(), 4'000u);
    ASSERT_FALSE(tensors.ok());
    EXPECT_THAT(tensors.error().message, HasSubstr(std::to_string(length)));
  }
}

TEST(Safetensors, SaysThatAGitLfsPointerIsNotTheFile) {
  const Result<std::vector<Tensor>> tensors =
      parse_safetensors(as_bytes("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"), "f");
  ASSERT_FALSE(tensors.ok());
  EXPECT_THAT(tensors.error().message, HasSubstr("git lfs pull"));
}

std::string three_tensors() {
  return safetensors_bytes(R"({"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                           R"("b":{"dtype":"F8_E8M0","shape":[4],"data_offsets":[8,12]},)"
                           R"("c":{"dtype":"I8","shape":[2,2],"data_offsets":[12,16]}})",
                           "0123456789abcdef");
}

TEST(Safetensors, RefusesTheFileCutAtAnyByte) {
  const std::string file = three_tensors();
  ASSERT_TRUE(parse_safetensors(as_bytes(file), "f").ok());
  for (std::size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(parse_safetensors(as_bytes(file).first(length), "f").ok()) << length;
  }
}

// A changed header is refused, or describes other tensors that still tile the payload.
TEST(Safetensors, StaysInsideTheFileWhateverHeaderByteIsChanged) {
  const std::string good = three_tensors();
  const std::size_t header_end = good.size() - 16;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < header_end; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string file = good;
      file[i] = static_cast<char>(file[i] ^ (1 << bit));
      const Result<std::vector<Tensor>> tensors = parse_safetensors(as_bytes(file), "f");
      if (!tensors.ok()) {
        ++refused;
        continue;
      }
      u64 bytes = 0;
      for (const Tensor& tensor : *tensors) bytes += tensor.data.size();
      EXPECT_EQ(bytes, 16u);
    }
  }
  EXPECT_GT(refused, header_end * 6);
}

}  // namespace
}  // namespace bolide::formats
