#include "app/chat_dialogue.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/check.h"
#include "text/markers.h"
#include "text/reasoning_budget.h"
#include "text/sampled_turns.h"

namespace bolide::app {

namespace {

engine::Request make_request(std::vector<u32> prompt, const AnswerSettings& settings, std::vector<u32> end_tokens) {
  engine::Request request;
  request.prompt = std::move(prompt);
  request.max_tokens = settings.max_tokens;
  request.sampling.temperature = settings.temperature;
  request.sampling.top_p = settings.top_p;
  request.sampling.seed = settings.seed ? *settings.seed : std::random_device()();
  request.end_tokens = std::move(end_tokens);
  return request;
}

// Ends the thinking in time (pitfalls B33).
void limit_thinking(engine::Request& request, const AnswerSettings& settings, const text::Tokenizer& tokenizer) {
  const std::optional<u32> end_think = tokenizer.find_added_token(text::kEndThink);
  if (!settings.think_budget || settings.effort == 0 || !end_think) return;
  const u64 budget = text::reasoning_budget(*settings.think_budget, settings.max_tokens);
  request.constraints.push_back(std::make_unique<text::ReasoningBudget>(budget, true, *end_think));
}

Status constrain_answer(engine::Request& request, const AnswerSettings& settings, const text::Tokenizer& tokenizer) {
  if (!settings.response_schema) return {};
  const std::optional<text::TokenIds> tokens = text::constraint_tokens(tokenizer);
  if (!tokens)
    return Error{"this model's tokenizer lacks the control tokens of dialogues, which --json and --schema need"};
  const text::OutputFormat format{.schema = settings.response_schema, .tools = {}};
  Result<text::CompiledConstraint> compiled =
      text::constrain_output(format, settings.effort > 0, *tokens, settings.vocabulary);
  if (!compiled) return compiled.error();
  request.constraints.push_back(std::move(compiled->constraint));
  return {};
}

// The hint that the prompt gives (prompt-format.md 3.8).
text::Json response_format(const text::Json& schema) {
  if (schema.is_object()) return schema;
  text::Json any_object{.kind = text::Json::Kind::kObject};
  any_object.members.push_back({"type", text::Json::string("json_object")});
  return any_object;
}

// Whether the answer's tokens say what stands beside them, and nothing that ends an answer is among them.
bool ids_are_text(const Exchange& exchange, const text::Tokenizer& tokenizer) {
  AnswerText text(tokenizer, exchange.thinking);
  for (const u32 id : exchange.ids) {
    if (id >= tokenizer.vocab_size()) return false;
    text.push(id);
  }
  text.finish();
  return text.ids() == exchange.ids && text.reasoning() == exchange.reasoning && text.answer() == exchange.answer;
}

text::SampledTurn sampled_turn(const Exchange& exchange, const text::Tokenizer& tokenizer) {
  text::SampledTurn turn{.ids = exchange.ids, .reasoning = exchange.reasoning, .content = exchange.answer, .calls = {}};
  if (!exchange.thinking) return turn;
  const auto end = std::ranges::find(exchange.ids, tokenizer.find_added_token(text::kEndThink));
  turn.answer_begin = end == exchange.ids.end() ? std::nullopt : std::optional(end + 1 - exchange.ids.begin());
  return turn;
}

}  // namespace

float default_temperature(const model::Config& config) {
  constexpr u32 kSmallDim = 1024;
  return config.dim < kSmallDim ? 0.0f : 1.0f;
}

engine::Request raw_request(std::vector<u32> prompt, const text::Tokenizer& tokenizer, const AnswerSettings& settings) {
  std::vector<u32> end_tokens;
  if (const std::optional<u32> end = text::end_token(tokenizer)) end_tokens.push_back(*end);
  return make_request(std::move(prompt), settings, std::move(end_tokens));
}

void Dialogue::answer(const AnswerText& text) {
  check(question_.has_value(), "an answer follows a question");
  said_.exchanges.push_back(
      {*std::exchange(question_, {}), text.thinking(), text.reasoning(), text.answer(), text.ids()});
}

void Dialogue::rewind(std::size_t count) {
  said_.exchanges.resize(said_.exchanges.size() - std::min(count, said_.exchanges.size()));
}

std::size_t Dialogue::restore(SavedChat chat, const text::Tokenizer& tokenizer) {
  std::size_t left_out = 0;
  for (Exchange& exchange : chat.exchanges) {
    if (exchange.ids.empty() || ids_are_text(exchange, tokenizer)) continue;
    exchange.ids.clear();
    ++left_out;
  }
  said_ = std::move(chat);
  question_.reset();
  return left_out;
}

Result<engine::Request> Dialogue::request(const text::Tokenizer& tokenizer, const AnswerSettings& settings) const {
  check(question_.has_value(), "there is a question to answer");
  text::Conversation conversation;
  text::SampledTurns sampled;
  const auto add = [&](text::Role role, const std::string& text) -> text::Message& {
    return conversation.messages.emplace_back(text::Message::of(role, text));
  };
  if (!system().empty()) add(text::Role::kSystem, system());
  for (const Exchange& exchange : exchanges()) {
    add(text::Role::kUser, exchange.question);
    add(text::Role::kAssistant, exchange.answer).reasoning = exchange.reasoning;
    if (!exchange.ids.empty()) sampled.remember(sampled_turn(exchange, tokenizer));
  }
  add(text::Role::kUser, *question_);
  if (settings.response_schema) conversation.response_format = response_format(*settings.response_schema);
  const Result<text::Prompt> prompt = text::render_chat(conversation, {.effort = settings.effort}, &sampled);
  if (!prompt) return prompt.error();
  engine::Request request =
      make_request(text::encode_prompt(tokenizer, *prompt), settings, text::end_tokens(tokenizer));
  limit_thinking(request, settings, tokenizer);
  if (Status status = constrain_answer(request, settings, tokenizer); !status) return status.error();
  return request;
}

std::vector<text::OutputEvent> AnswerText::push(u32 id) {
  std::vector<text::OutputEvent> events = parser_.push(id);
  if (!parser_.output().ended()) ids_.push_back(id);
  return keep(std::move(events));
}

std::vector<text::OutputEvent> AnswerText::keep(std::vector<text::OutputEvent> events) {
  said_.add(events);
  return events;
}

}  // namespace bolide::app
