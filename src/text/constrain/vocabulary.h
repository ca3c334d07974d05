// The tokens of a vocabulary by their bytes, as a tree: what all tokens that begin alike have in common is looked at
// once.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "text/constrain/matcher.h"
#include "text/tokenizer.h"

namespace bolide::text {

// Immutable; made once per tokenizer. Control tokens are not in it but for ｜DSML｜, which is the byte kDsmlByte.
class Vocabulary {
 public:
  explicit Vocabulary(const Tokenizer& tokenizer);

  std::size_t size() const { return size_; }
  u32 longest_token() const { return longest_token_; }
  // The bytes of a token as grammars see them; empty for one that no grammar knows.
  std::string_view bytes(u32 id) const { return bytes_[id]; }

  // Sets the bits of all tokens whose bytes the matcher can take in this state.
  void allow(Matcher& matcher, MatcherState state, std::span<u64> allowed) const;

 private:
  // Nodes in the order of a walk from the root: the children of a node follow it.
  // Small, because a walk may touch all of them.
  struct Node {
    u32 subtree_end;  // one past its last descendant
    u32 first_token;  // tokens that end here: tokens_ from this to the next node's
    u16 depth;
    u8 byte;
  };

  std::size_t size_;
  u32 longest_token_ = 0;
  std::vector<std::string> bytes_;
  std::vector<Node> nodes_;
  std::vector<u32> tokens_;
};

}  // namespace bolide::text
