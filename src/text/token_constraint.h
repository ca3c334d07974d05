// What may come next in an answer: the sampler asks before each token and tells which one it was. JSON mode, JSON
// Schema, tool calls and the reasoning budget are such constraints.
#pragma once
#include <memory>
#include <span>

#include "base/types.h"

namespace bolide::text {

class TokenConstraint {
 public:
  virtual ~TokenConstraint() = default;

  // Whether the next token is restricted at all; where it is not, allowed() need not be asked.
  virtual bool restricts() const = 0;
  // Clears the bit of every id that may not come next (id i is bit i % 64 of word i / 64). Leaves at least one of the
  // vocabulary's ids; of several constraints on one answer each clears its own.
  virtual void exclude(std::span<u64> allowed) const = 0;
  // The token that came next.
  virtual void accept(u32 id) = 0;
  // A copy in the same state, for rows of a draft that may be rejected.
  virtual std::unique_ptr<TokenConstraint> clone() const = 0;
};

}  // namespace bolide::text
