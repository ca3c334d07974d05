#include "text/sampled_turns.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace bolide::text {
namespace {

constexpr std::size_t kBytesPerTurn = 256;  // of its places in the list and the index, about

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Keys of the index. A call's id, and the two forms of texts, cannot be taken for each other by their first characters.
std::string key_of_call(std::string_view id) {
  return "call " + std::string(id);
}
std::string key_of_texts(std::string_view reasoning, std::string_view content) {
  return "both " + std::string(trimmed(reasoning)) + '\0' + std::string(trimmed(content));
}
std::string key_of_answer(std::string_view content) {
  return "text " + std::string(trimmed(content));
}

// The keys that only one turn may have.
std::vector<std::string> own_keys_of(const SampledTurn& turn) {
  std::vector<std::string> keys;
  for (const ToolCall& call : turn.calls) keys.push_back(key_of_call(call.id));
  if (keys.empty()) keys.push_back(key_of_texts(turn.reasoning, turn.content));
  return keys;
}

// And the one that leads to the last of several turns.
std::vector<std::string> keys_of(const SampledTurn& turn) {
  std::vector<std::string> keys = own_keys_of(turn);
  if (turn.calls.empty()) keys.push_back(key_of_answer(turn.content));
  return keys;
}

std::size_t bytes_of_keys(const SampledTurn& turn) {
  std::size_t bytes = 0;
  for (const std::string& key : keys_of(turn)) bytes += key.size();
  return bytes;
}

std::size_t bytes_of(const Json& value) {
  std::size_t bytes = sizeof(Json) + value.text.size();
  for (const Json& item : value.items) bytes += bytes_of(item);
  for (const JsonMember& member : value.members) bytes += member.key.size() + bytes_of(member.value);
  return bytes;
}

bool same_calls(const std::vector<ToolCall>& a, const std::vector<ToolCall>& b) {
  return std::ranges::equal(a, b, [](const ToolCall& left, const ToolCall& right) {
    return left.id == right.id && left.name == right.name && json_equal(left.arguments, right.arguments);
  });
}

}  // namespace

std::size_t SampledTurn::size_bytes() const {
  std::size_t bytes = kBytesPerTurn + ids.size() * sizeof(u32) + reasoning.size() + content.size();
  for (const ToolCall& call : calls) bytes += call.id.size() + call.name.size() + bytes_of(call.arguments);
  return bytes + bytes_of_keys(*this);
}

void SampledTurns::remember(SampledTurn turn) {
  const std::size_t size = turn.size_bytes();
  if (size > limits_.bytes || limits_.turns == 0) return;
  for (const std::string& key : own_keys_of(turn)) {
    if (const auto known = by_key_.find(key); known != by_key_.end()) forget(known->second);
  }
  while (!turns_.empty() && (turns_.size() >= limits_.turns || bytes_ + size > limits_.bytes)) {
    forget(std::prev(turns_.end()));
  }
  turns_.push_front(std::move(turn));
  bytes_ += size;
  for (std::string& key : keys_of(turns_.front())) by_key_[std::move(key)] = turns_.begin();
}

const SampledTurn* SampledTurns::find(const Message& message, Reasoning reasoning) const {
  const std::optional<std::string> content = plain_content(message);
  if (!content) return nullptr;
  if (message.calls.empty()) {
    return look_up(reasoning == Reasoning::kShown ? key_of_texts(message.reasoning, *content)
                                                  : key_of_answer(*content));
  }
  const SampledTurn* turn = look_up(key_of_call(message.calls.front().id));
  if (turn == nullptr || !same_calls(turn->calls, message.calls)) return nullptr;
  if (trimmed(turn->content) != trimmed(*content)) return nullptr;
  const bool compared = reasoning == Reasoning::kShown && !message.reasoning.empty();
  if (compared && trimmed(turn->reasoning) != trimmed(message.reasoning)) return nullptr;
  return turn;
}

const SampledTurn* SampledTurns::look_up(const std::string& key) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  turns_.splice(turns_.begin(), turns_, found->second);
  return &*found->second;
}

void SampledTurns::forget(Turns::iterator turn) {
  for (const std::string& key : keys_of(*turn)) {
    if (const auto place = by_key_.find(key); place != by_key_.end() && place->second == turn) by_key_.erase(place);
  }
  bytes_ -= turn->size_bytes();
  turns_.erase(turn);
}

std::optional<std::string> plain_content(const Message& message) {
  std::string joined;
  for (const ContentBlock& block : message.content) {
    if (block.kind != ContentBlock::Kind::kText) return std::nullopt;
    if (&block != &message.content.front()) joined += "\n\n";
    joined += block.text;
  }
  return joined;
}

}  // namespace bolide::text
