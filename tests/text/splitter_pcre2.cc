// The splitter against the three regular expressions themselves, run by PCRE2. Built only where PCRE2 is found.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <memory>
#include <pcre2.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "text/splitter.h"
#include "text/utf8.h"

namespace bolide::text {
namespace {

using Pieces = std::vector<std::string_view>;

// One split, "isolated": matches and the text between them become pieces.
class RegexSplit {
 public:
  explicit RegexSplit(const char* pattern) {
    int error = 0;
    std::size_t at = 0;
    const auto* code_units = reinterpret_cast<PCRE2_SPTR>(pattern);
    code_.reset(pcre2_compile(code_units, PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr));
    EXPECT_NE(code_, nullptr) << "error " << error << " at " << at;
    match_.reset(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
  }

  void apply(std::string_view text, Pieces& pieces) const {
    std::size_t done = 0;
    while (done < text.size() && pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), done,
                                             0, match_.get(), nullptr) > 0) {
      const std::size_t* ends = pcre2_get_ovector_pointer(match_.get());
      if (ends[0] > done) pieces.push_back(text.substr(done, ends[0] - done));
      pieces.push_back(text.substr(ends[0], ends[1] - ends[0]));
      done = ends[1];
    }
    if (done < text.size()) pieces.push_back(text.substr(done));
  }

 private:
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  };
  std::unique_ptr<pcre2_code, Free> code_;
  std::unique_ptr<pcre2_match_data, Free> match_;
};

Pieces pieces_of_regexes(std::string_view text) {
  static const RegexSplit splits[] = {
      RegexSplit(R"(\p{N}{1,3})"),
      RegexSplit("[一-龥぀-ゟ゠-ヿ]+"),
      RegexSplit(R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
                 R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"),
  };
  Pieces pieces = {text};
  for (const RegexSplit& split : splits) {
    Pieces parts;
    for (const std::string_view piece : pieces) split.apply(piece, parts);
    pieces = std::move(parts);
  }
  return pieces;
}

Pieces pieces_of_splitter(std::string_view text) {
  Pieces pieces;
  Splitter splitter(text);
  for (std::string_view piece = splitter.next(); !piece.empty(); piece = splitter.next()) pieces.push_back(piece);
  return pieces;
}

// Characters of every class. Left out: U+180E, which PCRE2 counts as white space, and what Unicode 15.0 added to the
// 14.0 of PCRE2 10.42. With U+0085 and U+FEFF, which the independent tokenizer under node treats in its own way.
constexpr u32 kSamples[] = {
    'a',    'Z',    0xE9,    0x416,   0x5D0,  0x905,  0xAC00, 0x1E900,                   // letters
    0x301,  0x94D,  0xFE0F,  0x20DD,                                                     // marks
    '1',    '9',    0x663,   0x2167,  0xBD,   0x3007,                                    // numbers
    0x4E00, 0x9FA5, 0x9FA6,  0x3042,  0x30A2, 0x3400,                                    // around the CJK ranges
    0x3040, 0x3099, 0x309B,  0x30A0,  0x30FB, 0x30FC, 0x3097,                            // odd ones inside them
    '!',    '\'',   '#',     '~',     '_',    '$',    0x2014, 0x3002,                    // punctuation
    0x20AC, 0x2192, 0x1F600, 0x1F3FD, '+',    '`',                                       // symbols
    ' ',    ' ',    '\t',    '\n',    '\r',   0x0B,   0x85,   0xA0,     0x2028, 0x3000,  // white space
    0x01,   0x7F,   0xAD,    0x200D,  0xFEFF, 0xE000, 0x0378, 0x10FFFF,                  // none of these
};

TEST(SplitterAgainstPcre2, RandomTextsGiveTheSamePieces) {
  std::mt19937 random(5);
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    // Few different characters a text, so that runs and repetitions are common.
    u32 alphabet[4];
    for (u32& c : alphabet) c = kSamples[random() % std::size(kSamples)];
    for (u32 n = 1 + random() % 12; n > 0; --n) append_utf8(text, alphabet[random() % 4]);
    ASSERT_EQ(pieces_of_splitter(text), pieces_of_regexes(text)) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace bolide::text
