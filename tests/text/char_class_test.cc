#include "text/char_class.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

namespace bolide::text {
namespace {

constexpr const char* kUnicodeData = "/usr/share/unicode/UnicodeData.txt";
constexpr const char* kPropList = "/usr/share/unicode/PropList.txt";

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  std::array<char, 4096> block;
  while (const std::size_t n = fread(block.data(), 1, block.size(), pipe.get())) output.append(block.data(), n);
  return output;
}

TEST(CharClass, CommittedRangesAreWhatTheGeneratorMakesOfUnicode15) {
  if (!std::filesystem::exists(kUnicodeData)) GTEST_SKIP() << "package unicode-data is not installed";
  const std::string folder = BOLIDE_SOURCE_DIR "/src/text/";
  std::ifstream file(folder + "char_class_ranges.inc");
  const std::string committed(std::istreambuf_iterator<char>(file), {});
  const std::string made = output_of("awk -f " + folder + "char_class_ranges.awk " + kUnicodeData + " " + kPropList);
  EXPECT_FALSE(made.empty());
  EXPECT_TRUE(made == committed) << "run the command on top of char_class_ranges.awk with Unicode 15.0.0";
}

// The same data read another way, so that a mistake of the generator shows.
TEST(CharClass, ClassesAreTheFirstLettersOfTheGeneralCategories) {
  if (!std::filesystem::exists(kUnicodeData)) GTEST_SKIP() << "package unicode-data is not installed";
  const std::set<u32> spaces = {0x09,   0x0B,   0x0C,   0x20,   0x85,   0xA0,   0x1680, 0x2000,
                                0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  std::string expected(kCodePoints, 'C');
  std::ifstream file(kUnicodeData);
  u32 block_begin = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t name = line.find(';') + 1;
    const std::size_t category = line.find(';', name) + 1;
    const u32 code_point = static_cast<u32>(std::stoul(line, nullptr, 16));
    if (line.find(", First>;") == category - 9) block_begin = code_point;
    const bool block_end = line.find(", Last>;") == category - 8;
    for (u32 c = block_end ? block_begin : code_point; c <= code_point; ++c) expected[c] = line[category];
  }
  for (u32 c = 0; c < kCodePoints; ++c) {
    const CharClass found = char_classes()[c];
    CharClass wanted = CharClass::kOther;
    if (c == '\r' || c == '\n') {
      wanted = CharClass::kLineEnd;
    } else if (spaces.contains(c)) {
      wanted = CharClass::kSpace;
    } else {
      const std::size_t index = std::string_view("LMNPS").find(expected[c]);
      if (index != std::string_view::npos) wanted = static_cast<CharClass>(index + 1);
    }
    ASSERT_EQ(found, wanted) << "code point " << c;
  }
}

// Holds without unicode-data too.
TEST(CharClass, WhiteSpaceHasNextLineButNoByteOrderMarkAndNoMongolianVowelSeparator) {
  EXPECT_EQ(char_classes()[0x85], CharClass::kSpace);
  EXPECT_EQ(char_classes()[0xFEFF], CharClass::kOther);
  EXPECT_EQ(char_classes()[0x180E], CharClass::kOther);
}

TEST(CharClass, CodePointsOfUnicode15AreKnownAndLaterOnesAreNot) {
  EXPECT_EQ(char_classes()[0x1E4D0], CharClass::kLetter);  // Nag Mundari, 15.0
  EXPECT_EQ(char_classes()[0x31350], CharClass::kLetter);  // CJK extension H, 15.0
  EXPECT_EQ(char_classes()[0x2EBF0], CharClass::kOther);   // CJK extension I, 15.1
  EXPECT_EQ(char_classes()[0x105C0], CharClass::kOther);   // Todhri, 16.0
}

}  // namespace
}  // namespace bolide::text
