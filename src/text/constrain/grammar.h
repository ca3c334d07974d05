// Grammars over bytes: what an output may be, as a network of nodes with rules that call each other (so that JSON may
// nest). Built once per request from the end to the front: every function takes the node that follows and gives the
// node that begins.
#pragma once
#include <array>
#include <bitset>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace bolide::text {

using ByteSet = std::bitset<256>;
using GrammarNode = u32;
using GrammarRule = u32;

constexpr u32 kUnlimited = std::numeric_limits<u32>::max();

// Stands in a grammar for the token ｜DSML｜: a byte that no text has.
constexpr char kDsmlByte = '\xff';

class Grammar {
 public:
  struct Node {
    enum class Kind : u8 { kBytes, kSplit, kCall, kRepeat, kReturn };
    Kind kind = Kind::kReturn;
    u32 a = 0;             // kBytes: index of the set; kCall, kRepeat: the rule; kSplit: first of its alternatives
    u32 b = 0;             // kSplit: one past its last
    GrammarNode next = 0;  // of all but kSplit and kReturn
    u32 min = 0;           // kRepeat
    u32 max = 0;
  };

  // Nodes that a grammar may have; above it, too_large() is true and what is built is of no use.
  static constexpr std::size_t kMostNodes = 400'000;

  Grammar();

  GrammarNode bytes(const ByteSet& set, GrammarNode next);
  GrammarNode literal(std::string_view text, GrammarNode next);
  // Any of them; duplicates do no harm.
  GrammarNode either(std::span<const GrammarNode> alternatives);
  GrammarNode either(std::initializer_list<GrammarNode> alternatives) {
    return either(std::span(alternatives.begin(), alternatives.size()));
  }
  GrammarNode optional(GrammarNode present, GrammarNode next) { return either({present, next}); }
  GrammarNode call(GrammarRule rule, GrammarNode next);
  // The rule `min` to `max` times.
  GrammarNode repeat(GrammarRule rule, u32 min, u32 max, GrammarNode next);
  // The end of a rule, or of the whole output.
  GrammarNode end() const { return 0; }

  // A rule whose beginning is named later, so that rules may call themselves.
  GrammarRule declare_rule();
  void define_rule(GrammarRule rule, GrammarNode begin) { rules_[rule] = begin; }
  GrammarRule add_rule(GrammarNode begin);

  bool too_large() const { return nodes_.size() > kMostNodes; }
  std::size_t size() const { return nodes_.size(); }

  const Node& node(GrammarNode node) const { return nodes_[node]; }
  const ByteSet& set(u32 index) const { return sets_[index]; }
  GrammarNode alternative(u32 index) const { return alternatives_[index]; }
  GrammarNode rule(GrammarRule rule) const { return rules_[rule]; }

 private:
  GrammarNode add(const Node& node);

  std::vector<Node> nodes_;
  std::vector<ByteSet> sets_;
  std::vector<GrammarNode> alternatives_;
  std::vector<GrammarNode> rules_;
};

// The bytes from `first` to `last`, and some bytes.
ByteSet byte_range(u8 first, u8 last);
ByteSet byte_set(std::string_view bytes);

}  // namespace bolide::text
