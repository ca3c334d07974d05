#include "text/turns.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace bolide::text {
namespace {

void add_blocks(Turn& turn, const Message& message, std::size_t index) {
  static const ContentBlock kNothing;  // a message without content still is a (blank) block of its turn
  if (message.role == Role::kTool) {
    turn.blocks.push_back({.call_id = message.tool_call_id, .result = &message.content, .message = index});
    return;
  }
  for (const ContentBlock& block : message.content) {
    if (block.kind == ContentBlock::Kind::kToolResult) {
      turn.blocks.push_back({.call_id = block.call_id, .result = &block.parts, .message = index});
    } else {
      turn.blocks.push_back({.block = &block, .message = index});
    }
  }
  if (message.content.empty()) turn.blocks.push_back({.block = &kNothing, .message = index});
}

bool is_of_user(Role role) {
  return role == Role::kUser || role == Role::kTool;
}

// Rule 5.
std::vector<Turn> join_user_messages(const std::vector<Message>& messages) {
  std::vector<Turn> turns;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    const bool joins =
        is_of_user(message.role) && !turns.empty() && turns.back().role == Role::kUser && turns.back().task.empty();
    if (!joins) turns.push_back({.role = is_of_user(message.role) ? Role::kUser : message.role, .message = &message});
    Turn& turn = turns.back();
    add_blocks(turn, message, i);
    turn.task = message.task;
    if (!message.tools.empty()) turn.tools = &message.tools;
    if (message.response_format) turn.response_format = &*message.response_format;
  }
  return turns;
}

// Rule 6: among their own places; results of unknown calls go with those of the first.
void order_results(Turn& turn, const std::vector<ToolCall>& calls) {
  std::unordered_map<std::string_view, std::size_t> place_of_call;
  for (std::size_t i = 0; i < calls.size(); ++i) place_of_call[calls[i].id] = i;
  const auto rank = [&](const TurnBlock& result) {
    const auto call = place_of_call.find(result.call_id);
    return call == place_of_call.end() ? std::size_t{0} : call->second;
  };
  std::vector<std::size_t> places;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // the rank of a result, its place
  for (std::size_t i = 0; i < turn.blocks.size(); ++i) {
    if (turn.blocks[i].result == nullptr) continue;
    places.push_back(i);
    order.emplace_back(rank(turn.blocks[i]), i);
  }
  std::ranges::sort(order);
  const std::vector<TurnBlock> blocks = turn.blocks;
  for (std::size_t i = 0; i < places.size(); ++i) turn.blocks[places[i]] = blocks[order[i].second];
}

}  // namespace

std::vector<Turn> turns_of(const Conversation& conversation) {
  std::vector<Turn> turns = join_user_messages(conversation.messages);
  const std::vector<ToolCall>* calls = nullptr;  // of the assistant's last message that has any
  for (Turn& turn : turns) {
    if (turn.role == Role::kAssistant && !turn.message->calls.empty()) calls = &turn.message->calls;
    if (turn.role == Role::kUser && calls != nullptr) order_results(turn, *calls);
  }
  if (conversation.tools.empty() && !conversation.response_format) return turns;
  if (turns.empty() || turns.front().role != Role::kSystem) turns.insert(turns.begin(), {.role = Role::kSystem});
  if (!conversation.tools.empty()) turns.front().tools = &conversation.tools;
  if (conversation.response_format) turns.front().response_format = &*conversation.response_format;
  return turns;
}

}  // namespace bolide::text
