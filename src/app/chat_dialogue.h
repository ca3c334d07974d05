// A conversation with the model: what was said, how to answer, and the request for the next answer. Another front end
// would keep the same.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "text/chat.h"
#include "text/thinking.h"

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
      : splitter_(tokenizer, settings.effort > 0), end_tokens_(text::end_tokens(tokenizer)) {}

  // What the token adds; nothing for an end token.
  text::OutputPiece push(u32 id);
  // What is left at the end.
  text::OutputPiece finish();

  const std::string& reasoning() const { return reasoning_; }
  const std::string& answer() const { return answer_; }

 private:
  text::OutputPiece keep(text::OutputPiece piece);

  text::ThinkingSplitter splitter_;
  std::vector<u32> end_tokens_;
  std::string reasoning_;
  std::string answer_;
};

}  // namespace bolide::app
