// What the model wrote, token for token, by what a client sends back of it. Clients re-serialise arguments and texts;
// rendered from these, a history would no longer begin with the tokens that the session has computed
// (prompt-format.md section 10, pitfalls B23).
#pragma once
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "text/message.h"

namespace bolide::text {

// One answer, as it was sampled and as it was shown.
struct SampledTurn {
  std::vector<u32> ids;  // from the first token after the header to the last before the end token
  // Where in `ids` the answer begins, after the token </think>; 0: there was no reasoning. None: the reasoning was
  // never closed, so that no part of the tokens is the answer.
  std::optional<std::size_t> answer_begin = 0;
  std::string reasoning;
  std::string content;
  std::vector<ToolCall> calls;

  std::size_t size_bytes() const;
};

// The turns last used, within bounds. For one thread at a time.
class SampledTurns {
 public:
  struct Limits {
    std::size_t turns = 100'000;
    std::size_t bytes = std::size_t{256} << 20;
  };

  SampledTurns() = default;
  explicit SampledTurns(Limits limits) : limits_(limits) {}
  SampledTurns(const SampledTurns&) = delete;
  SampledTurns& operator=(const SampledTurns&) = delete;

  // A turn with the id of a call, or with both texts, of an earlier one takes its place. One that alone is beyond the
  // bounds is not remembered.
  void remember(SampledTurn turn);

  enum class Reasoning { kShown, kLeftOut };

  // The turn that this assistant message is: its calls have the remembered ids, names and (as JSON) arguments, and its
  // texts are the remembered ones but for blanks around them. The reasoning counts only where the prompt shows it; even
  // then a turn with calls, whose ids nobody can guess, may come back without. Null: unknown, or the client edited it.
  const SampledTurn* find(const Message& message, Reasoning reasoning) const;

  std::size_t size() const { return turns_.size(); }
  std::size_t size_bytes() const { return bytes_; }

 private:
  using Turns = std::list<SampledTurn>;  // the last used first
  using Index = std::unordered_map<std::string, Turns::iterator>;

  const SampledTurn* look_up(const std::string& key) const;
  void forget(Turns::iterator turn);

  Limits limits_;
  // find() moves what it finds to the front.
  mutable Turns turns_;
  Index by_key_;
  std::size_t bytes_ = 0;
};

// The texts of a message's content, joined as the prompt joins them. None if it holds anything but text.
std::optional<std::string> plain_content(const Message& message);

}  // namespace bolide::text
