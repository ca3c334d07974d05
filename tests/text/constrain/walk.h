// Answers drawn at random from what a constraint allows.
#pragma once
#include <bit>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "text/constrain/output_constraint.h"
#include "text/nano_tokenizer.h"

namespace bolide::text {

inline std::shared_ptr<const Vocabulary> nano_vocabulary() {
  static const auto vocabulary = std::make_shared<const Vocabulary>(nano_tokenizer());
  return vocabulary;
}

inline TokenIds nano_tokens() {
  return constraint_tokens(nano_tokenizer()).value();
}

inline std::vector<u32> allowed_ids(const TokenConstraint& constraint) {
  std::vector<u64> allowed((nano_tokenizer().vocab_size() + 63) / 64, ~u64{0});
  constraint.exclude(allowed);
  std::vector<u32> ids;
  for (std::size_t word = 0; word < allowed.size(); ++word) {
    for (u64 bits = allowed[word]; bits != 0; bits &= bits - 1) {
      const auto id = static_cast<u32>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (id < nano_tokenizer().vocab_size()) ids.push_back(id);
    }
  }
  return ids;
}

struct Walk {
  std::string text;  // control tokens as their text, the end token left out
  bool ended = false;
  std::size_t tokens = 0;
};

// Draws tokens until the end token. Long tokens and an early end are likelier than by chance, or no walk would ever
// close what it opens.
inline Walk random_walk(TokenConstraint& constraint, std::mt19937& random, std::size_t most = 400) {
  Walk walk;
  const TokenIds tokens = nano_tokens();
  while (walk.tokens < most) {
    const std::vector<u32> ids = allowed_ids(constraint);
    if (ids.empty()) return walk;
    u32 id = ids[random() % ids.size()];
    for (const u32 closing : ids) {
      const std::string bytes = nano_tokenizer().decode(std::vector<u32>{closing});
      const bool closes = bytes == "\"" || bytes == "}" || bytes == "]" || bytes == "</" || bytes == "\n";
      if ((closes && random() % 4 == 0) || (closing == tokens.end && random() % 2 == 0)) id = closing;
    }
    constraint.accept(id);
    ++walk.tokens;
    if (id == tokens.end) {
      walk.ended = true;
      return walk;
    }
    walk.text += nano_tokenizer().decode(std::vector<u32>{id});
  }
  return walk;
}

}  // namespace bolide::text
