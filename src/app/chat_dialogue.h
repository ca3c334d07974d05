// A conversation with the model: what was said, how to answer, and the request for the next answer. Another front end
// would keep the same.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/saved_chat.h"
#include "engine/engine.h"
#include "text/chat.h"
#include "text/constrain/output_constraint.h"
#include "text/token_parser.h"

namespace bolide::app {

// How answers are made (docs/decisions/0030-run-defaults.md).
struct AnswerSettings {
  int effort = text::kDefaultEffort;  // 0: no thinking
  float temperature = 1.0f;
  float top_p = 0.95f;
  std::optional<u64> seed;          // none: a new one is drawn for each answer
  u64 max_tokens = 32'768;          // of an answer, thinking included
  std::optional<u64> think_budget;  // tokens of thinking at most; less where the answer would not have room
  // What every answer is; none: text. `vocabulary` is needed with it.
  std::optional<text::Json> response_schema;  // `true`: any JSON object
  std::shared_ptr<const text::Vocabulary> vocabulary;
};

// The temperature where the person names none: 1, as DeepSeek recommends, but 0 for a model as small as nano, whose
// distributions are so flat that drawing from them spoils even what it knows.
float default_temperature(const model::Config& config);

// A request to continue a prompt that is no dialogue: only the end token ends it.
engine::Request raw_request(std::vector<u32> prompt, const text::Tokenizer& tokenizer, const AnswerSettings& settings);

class AnswerText;

class Dialogue {
 public:
  // An empty system text: none.
  void set_system(std::string text) { said_.system = std::move(text); }
  const std::string& system() const { return said_.system; }

  void ask(std::string question) { question_ = std::move(question); }
  // Closes the last question. Its tokens are kept, so that the next prompt begins with what the model has seen.
  void answer(const AnswerText& text);
  // Forgets the last question, which has no answer: the next one must not follow an empty turn.
  void take_back() { question_.reset(); }
  // Forgets the last `count` questions and answers, or all that there are.
  void rewind(std::size_t count);
  // Forgets what was said; the system text stays.
  void clear() { rewind(exchanges().size()); }
  bool empty() const { return exchanges().empty(); }
  const std::vector<Exchange>& exchanges() const { return said_.exchanges; }

  // The conversation as it can be saved; the last question has its answer.
  const SavedChat& said() const { return said_; }
  // Takes a saved conversation in place of this one. Tokens that are not those of the text beside them, because another
  // model wrote them or somebody changed them, are left out: then the text counts. Gives how many answers that
  // concerned.
  std::size_t restore(SavedChat chat, const text::Tokenizer& tokenizer);

  // The request for an answer to the last question.
  Result<engine::Request> request(const text::Tokenizer& tokenizer, const AnswerSettings& settings) const;

 private:
  SavedChat said_;
  std::optional<std::string> question_;  // without an answer yet
};

// Gathers an answer from its tokens.
class AnswerText {
 public:
  AnswerText(const text::Tokenizer& tokenizer, bool thinking)
      : thinking_(thinking), parser_(tokenizer, {.thinking = thinking, .calls_allowed = false}) {}

  // What the token adds to reasoning or answer; nothing for an end token.
  std::vector<text::OutputEvent> push(u32 id);
  // What is left at the end.
  std::vector<text::OutputEvent> finish() { return keep(parser_.finish(text::OutputEnd::kLimit)); }

  const std::string& reasoning() const { return said_.reasoning; }
  const std::string& answer() const { return said_.content; }
  bool thinking() const { return thinking_; }
  // Without an end token.
  const std::vector<u32>& ids() const { return ids_; }

 private:
  std::vector<text::OutputEvent> keep(std::vector<text::OutputEvent> events);

  bool thinking_;
  text::TokenParser parser_;
  text::ParsedOutput said_;
  std::vector<u32> ids_;
};

}  // namespace bolide::app
