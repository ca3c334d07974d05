// Integers between bounds, as a part of a grammar.
#pragma once
#include <optional>

#include "text/constrain/grammar.h"

namespace bolide::text {

// Decimal integers without needless zeros, from `least` to `most`; a missing bound is none. `least` is not above
// `most`.
GrammarNode integer_range(Grammar& grammar, std::optional<i64> least, std::optional<i64> most, GrammarNode next);

}  // namespace bolide::text
