// A conversation with the model: what was said, how to answer, and the request for the next answer. Another front end
// would keep the same.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "text/chat.h"
#include "text/token_parser.h"

namespace bolide::app {

// How answers are made (docs/decisions/0030-run-defaults.md).
struct AnswerSettings {
  int effort = text::kDefaultEffort;  // 0: no thinking
  float temperature = 1.0f;
  float top_p = 0.95f;
  std::optional<u64> seed;  // none: a new one is drawn for each answer
  u64 max_tokens = 32'768;  // of an answer, thinking included
};

// The temperature where the person names none: 1, as DeepSeek recommends, but 0 for a model as small as nano, whose
// distributions are so flat that drawing from them spoils even what it knows.
float default_temperature(const model::Config& config);

// A request to continue a prompt that is no dialogue: only the end token ends it.
engine::Request raw_request(std::vector<u32> prompt, const text::Tokenizer& tokenizer, const AnswerSettings& settings);

class Dialogue {
 public:
  // An empty system text: none.
  void set_system(std::string text) { system_ = std::move(text); }
  const std::string& system() const { return system_; }

  void ask(std::string question);
  // Closes the last question. Without an answer the question is taken back, so that the next one does not follow an
  // empty turn.
  void answer(std::string reasoning, std::string text);
  void take_back();
  // Forgets what was said; the system text stays.
  void clear() { turns_.clear(); }
  bool empty() const { return turns_.empty(); }

  // The request for an answer to the last question.
  Result<engine::Request> request(const text::Tokenizer& tokenizer, const AnswerSettings& settings) const;

 private:
  std::string system_;
  std::vector<text::Message> turns_;
};

// Gathers an answer from its tokens.
class AnswerText {
 public:
  AnswerText(const text::Tokenizer& tokenizer, const AnswerSettings& settings)
      : parser_(tokenizer, {.thinking = settings.effort > 0, .calls_allowed = false}) {}

  // What the token adds to reasoning or answer; nothing for an end token.
  std::vector<text::OutputEvent> push(u32 id) { return keep(parser_.push(id)); }
  // What is left at the end.
  std::vector<text::OutputEvent> finish() { return keep(parser_.finish(text::OutputEnd::kLimit)); }

  const std::string& reasoning() const { return said_.reasoning; }
  const std::string& answer() const { return said_.content; }

 private:
  std::vector<text::OutputEvent> keep(std::vector<text::OutputEvent> events);

  text::TokenParser parser_;
  text::ParsedOutput said_;
};

}  // namespace bolide::app
