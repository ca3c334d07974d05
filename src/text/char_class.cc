#include "text/char_class.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace bolide::text {
namespace {

struct Range {
  u32 first;
  CharClass char_class;
};

constexpr CharClass O = CharClass::kOther;
constexpr CharClass L = CharClass::kLetter;
constexpr CharClass M = CharClass::kMark;
constexpr CharClass N = CharClass::kNumber;
constexpr CharClass P = CharClass::kPunctuation;
constexpr CharClass S = CharClass::kSymbol;
constexpr CharClass W = CharClass::kSpace;
constexpr Range kRanges[] = {
#include "text/char_class_ranges.inc"
};

std::vector<CharClass> expand_ranges() {
  std::vector<CharClass> classes(kCodePoints);
  for (std::size_t i = 0; i < std::size(kRanges); ++i) {
    const u32 end = i + 1 < std::size(kRanges) ? kRanges[i + 1].first : kCodePoints;
    std::fill(classes.begin() + kRanges[i].first, classes.begin() + end, kRanges[i].char_class);
  }
  classes['\r'] = classes['\n'] = CharClass::kLineEnd;
  return classes;
}

}  // namespace

const CharClass* char_classes() {
  static const std::vector<CharClass> classes = expand_ranges();
  return classes.data();
}

}  // namespace bolide::text
