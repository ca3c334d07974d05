#include "engram/text_fold.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>

namespace bolide::engram {
namespace {

constexpr const char* kUnicodeData = "/usr/share/unicode/UnicodeData.txt";

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  std::array<char, 4096> block;
  while (const std::size_t n = fread(block.data(), 1, block.size(), pipe.get())) output.append(block.data(), n);
  return output;
}

TEST(TextFold, CommittedTableIsWhatTheGeneratorMakesOfUnicode15) {
  if (!std::filesystem::exists(kUnicodeData)) GTEST_SKIP() << "package unicode-data is not installed";
  const std::string folder = BOLIDE_SOURCE_DIR "/src/engram/";
  std::ifstream file(folder + "fold_table.inc");
  const std::string committed(std::istreambuf_iterator<char>(file), {});
  const std::string made = output_of("awk -f " + folder + "fold_table.awk " + kUnicodeData);
  EXPECT_FALSE(made.empty());
  EXPECT_TRUE(made == committed) << "run the command on top of fold_table.awk with Unicode 15.0.0";
}

TEST(TextFold, LettersLoseCaseAndMarks) {
  EXPECT_EQ(folded_text("Ångström"), "angstrom");
  EXPECT_EQ(folded_text("ÀÇÉ"), "ace");
  EXPECT_EQ(folded_text("e\u0301"), "e");
  EXPECT_EQ(folded_text("ŠĐž"), "sđz");
  EXPECT_EQ(folded_text("И́й"), "ии");
  EXPECT_EQ(folded_text("İ"), "i");
}

TEST(TextFold, SigmaAtTheEndOfAWordIsAnOrdinarySigma) {
  EXPECT_EQ(folded_text("ΣΟΦΟΣ"), "σοφοσ");
}

TEST(TextFold, SpacingAndEnclosingMarksGoToo) {
  EXPECT_EQ(folded_text("\u0915\u093E"), "\u0915");  // Devanagari KA, vowel sign AA (category Mc)
  EXPECT_EQ(folded_text("a\u20DD"), "a");            // enclosing circle (Me)
}

TEST(TextFold, CompatibilityFormsBecomeTheirPlainCharacters) {
  EXPECT_EQ(folded_text("ﬃ"), "ffi");
  EXPECT_EQ(folded_text("Ａ１"), "a1");
  EXPECT_EQ(folded_text("𝐀𝕫"), "az");
  EXPECT_EQ(folded_text("½"), "1\u20442");
  EXPECT_EQ(folded_text("㎏"), "kg");
  EXPECT_EQ(folded_text("\u212A"), "k");         // Kelvin sign
  EXPECT_EQ(folded_text("\uF900"), "\u8C48");    // CJK compatibility ideograph
  EXPECT_EQ(folded_text("\u3000x\u00A0"), "x");  // ideographic and no-break space are spaces
  EXPECT_EQ(folded_text("ㄱ"), "\u1100");        // compatibility letter of Hangul
}

TEST(TextFold, HangulSyllablesDecompose) {
  EXPECT_EQ(folded_text("가"), "\u1100\u1161");
  EXPECT_EQ(folded_text("힣"), "\u1112\u1175\u11C2");
}

TEST(TextFold, WhiteSpaceIsJoinedAndTrimmedUnlessItIsAll) {
  EXPECT_EQ(folded_text(" \t a \r\n\n b  "), "a b");
  EXPECT_EQ(folded_text("   "), " ");
  EXPECT_EQ(folded_text("\r\n"), " ");
  EXPECT_EQ(folded_text("\v"), "");
  EXPECT_EQ(folded_text(" \v"), "");
  EXPECT_EQ(folded_text("\u2028x\u0085"), "x");
  EXPECT_EQ(folded_text(""), "");
}

TEST(TextFold, OtherTextStays) {
  EXPECT_EQ(folded_text("x_1 + 中文 ß <think>"), "x_1 + 中文 ß <think>");
}

}  // namespace
}  // namespace bolide::engram
