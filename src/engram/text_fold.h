// The text under which tokens are the same to the Engram (spec model.md 3.2, the normaliser; Unicode 15.0).
#pragma once
#include <string>
#include <string_view>

namespace bolide::engram {

// `text`, which is UTF-8, in compatibility decomposition (NFKC, then NFD, which is NFKD), without marks (the general
// categories Mn, Mc and Me: with them the official vocabulary has its 99,092 compressed ids, with Mn alone it has not),
// in lower case character by character; runs of space, tab, CR and LF are one space; white space at both ends goes,
// unless the whole is one space.
std::string folded_text(std::string_view text);

}  // namespace bolide::engram
