#include "app/chat_dialogue.h"

#include <random>
#include <utility>

#include "base/check.h"

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

void Dialogue::ask(std::string question) {
  check(turns_.empty() || turns_.back().role == text::Role::kAssistant, "a question follows an answer");
  turns_.push_back(text::Message::of(text::Role::kUser, std::move(question)));
}

void Dialogue::answer(std::string reasoning, std::string text) {
  turns_.push_back(text::Message::of(text::Role::kAssistant, std::move(text)));
  turns_.back().reasoning = std::move(reasoning);
}

void Dialogue::take_back() {
  check(!turns_.empty() && turns_.back().role == text::Role::kUser, "only an open question is taken back");
  turns_.pop_back();
}

Result<engine::Request> Dialogue::request(const text::Tokenizer& tokenizer, const AnswerSettings& settings) const {
  text::Conversation conversation;
  if (!system_.empty()) conversation.messages.push_back(text::Message::of(text::Role::kSystem, system_));
  conversation.messages.insert(conversation.messages.end(), turns_.begin(), turns_.end());
  const Result<text::Prompt> prompt = text::render_chat(conversation, {.effort = settings.effort});
  if (!prompt) return prompt.error();
  return make_request(text::encode_prompt(tokenizer, *prompt), settings, text::end_tokens(tokenizer));
}

std::vector<text::OutputEvent> AnswerText::keep(std::vector<text::OutputEvent> events) {
  said_.add(events);
  return events;
}

}  // namespace bolide::app
