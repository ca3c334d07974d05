// What the splitter asks of a character: its Unicode general category by first letter, white space, line ends.
// The table is Unicode 15.0's, everywhere (docs/decisions/0010-tokenizer.md).
#pragma once
#include "base/types.h"

namespace bolide::text {

enum class CharClass : u8 {
  kOther,        // controls, format characters, private use, unassigned
  kLetter,       // \p{L}
  kMark,         // \p{M}
  kNumber,       // \p{N}
  kPunctuation,  // \p{P}
  kSymbol,       // \p{S}
  kSpace,        // \s: the property White_Space (with U+0085, without U+FEFF), but for the two below
  kLineEnd,      // \r and \n
};

constexpr u32 kCodePoints = 0x110000;

// The class of every code point, indexed by it: kCodePoints entries. Made at the first call; any thread.
const CharClass* char_classes();

}  // namespace bolide::text
