// Finds added tokens (turn markers, thinking tags, ...) in raw text, before anything else looks at it.
#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace bolide::text {

struct AddedTokenMatch {
  std::size_t begin;
  std::size_t length;
  u32 id;
};

// Built once by one thread, then read by any.
class AddedTokenMatcher {
 public:
  // Adds a token by its literal text, which is not empty and was not added before.
  void add(std::string_view content, u32 id);

  // The first match at or after `from`; of several that begin there the longest.
  std::optional<AddedTokenMatch> find(std::string_view text, std::size_t from) const;

  // The token with exactly this text.
  std::optional<u32> find_exact(std::string_view content) const;

 private:
  static constexpr u32 kNone = ~u32{0};

  // A node of the tree of all token texts: a byte, where the text up to it ends a token its id, and links to the first
  // byte that may follow and to the next alternative of this byte.
  struct Node {
    char byte;
    u32 id = kNone;
    u32 child = kNone;
    u32 sibling = kNone;
  };

  u32 child(u32 node, char byte) const;
  std::optional<AddedTokenMatch> longest_at(std::string_view text, std::size_t begin) const;

  std::vector<Node> nodes_ = {{.byte = 0}};  // the first is the root
  std::array<bool, 256> begins_ = {};        // the bytes that begin a token
};

}  // namespace bolide::text
