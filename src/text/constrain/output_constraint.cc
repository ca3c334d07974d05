#include "text/constrain/output_constraint.h"

#include <algorithm>
#include <utility>

#include "text/chat.h"
#include "text/constrain/call_grammar.h"
#include "text/constrain/token_masks.h"
#include "text/markers.h"

namespace bolide::text {
namespace {

struct Compiled {
  std::shared_ptr<const Grammar> grammar;
  // Where the answer begins; nothing if it is free until a call.
  std::optional<GrammarNode> answer;
  // What follows the opener of a call in a free answer.
  std::optional<GrammarNode> call;
};

class AnswerConstraint : public TokenConstraint {
 public:
  AnswerConstraint(Compiled compiled, bool calls_allowed, bool thinking, TokenIds tokens,
                   std::shared_ptr<const Vocabulary> vocabulary)
      : compiled_(std::move(compiled)),
        calls_allowed_(calls_allowed),
        tokens_(std::move(tokens)),
        vocabulary_(std::move(vocabulary)) {
    if (!thinking) begin_answer();
  }

  bool restricts() const override {
    return phase_ == Phase::kGrammar || (phase_ == Phase::kFree && !calls_allowed_ && tokens_.dsml.has_value());
  }

  void exclude(std::span<u64> allowed) const override {
    if (phase_ == Phase::kFree && !calls_allowed_ && tokens_.dsml) clear(allowed, *tokens_.dsml);
    if (phase_ != Phase::kGrammar) return;
    const std::span<const u64> possible = position_->allowed();
    const bool end_was_allowed = (allowed[tokens_.end / 64] >> (tokens_.end % 64) & 1) != 0;
    for (std::size_t word = 0; word < allowed.size(); ++word) allowed[word] &= possible[word];
    if (position_->may_end() && end_was_allowed) allowed[tokens_.end / 64] |= u64{1} << (tokens_.end % 64);
  }

  void accept(u32 id) override {
    if (id == tokens_.end) {
      phase_ = Phase::kEnded;
    } else if (phase_ == Phase::kReasoning) {
      if (id == tokens_.end_think) begin_answer();
    } else if (phase_ == Phase::kFree) {
      look_for_call(vocabulary_->bytes(id));
    } else if (phase_ == Phase::kGrammar && !position_->accept(id)) {
      phase_ = Phase::kEnded;  // somebody chose a token that was excluded
    }
  }

  std::unique_ptr<TokenConstraint> clone() const override { return std::make_unique<AnswerConstraint>(*this); }

 private:
  enum class Phase : u8 { kReasoning, kFree, kGrammar, kEnded };

  static void clear(std::span<u64> allowed, u32 id) { allowed[id / 64] &= ~(u64{1} << (id % 64)); }

  void begin_answer() {
    if (compiled_.answer) {
      enter(*compiled_.answer);
    } else {
      phase_ = Phase::kFree;
    }
  }
  void enter(GrammarNode node) {
    position_.emplace(compiled_.grammar, node, vocabulary_);
    phase_ = Phase::kGrammar;
  }

  // The opener may end inside a token; what follows it there must fit, else it was no call but a mention of one.
  void look_for_call(std::string_view bytes) {
    if (!compiled_.call) return;
    static const std::string opener = calls_opener();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      tail_ += bytes[i];
      if (tail_.size() > opener.size()) tail_.erase(0, 1);
      if (tail_ != opener) continue;
      enter(*compiled_.call);
      if (position_->accept(bytes.substr(i + 1))) return;
      phase_ = Phase::kFree;
    }
  }

  Compiled compiled_;
  bool calls_allowed_;
  TokenIds tokens_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  Phase phase_ = Phase::kReasoning;
  std::string tail_;                                 // of a free answer: its last bytes
  mutable std::optional<GrammarPosition> position_;  // remembers masks
};

// The answer's document; JSON mode means an object.
Result<GrammarRule> compile_document(Grammar& grammar, const JsonRules& json, const Json& schema) {
  if (schema.kind == Json::Kind::kTrue) return json.object;
  return SchemaCompiler(grammar, json, UnsupportedSchema::kRefused, nullptr).compile(schema, "the response schema");
}

}  // namespace

std::optional<TokenIds> constraint_tokens(const Tokenizer& tokenizer) {
  const std::optional<u32> end_think = tokenizer.find_added_token(kEndThink);
  const std::optional<u32> end = end_token(tokenizer);
  if (!end_think || !end) return std::nullopt;
  return TokenIds{*end_think, tokenizer.find_added_token("｜DSML｜"), *end};
}

Result<CompiledConstraint> constrain_output(const OutputFormat& format, bool thinking, const TokenIds& tokens,
                                            std::shared_ptr<const Vocabulary> vocabulary) {
  CompiledConstraint result;
  auto grammar = std::make_shared<Grammar>();
  const JsonRules json(*grammar);
  Compiled compiled;
  std::optional<GrammarNode> call;
  const bool may_call = format.calls != CallChoice::kNone && !format.tools.empty();
  if (may_call) {
    const Result<GrammarRule> block =
        compile_calls(*grammar, json, format.tools, !format.parallel_calls, UnsupportedSchema::kFree, &result.free);
    if (!block) return block.error();
    call = grammar->call(*block, grammar->end());
  }
  std::vector<GrammarNode> answers;
  if (format.schema && format.calls != CallChoice::kRequired) {
    const Result<GrammarRule> document = compile_document(*grammar, json, *format.schema);
    if (!document) return document.error();
    answers.push_back(grammar->call(*document, grammar->end()));
  }
  if (call && (format.schema || format.calls == CallChoice::kRequired)) {
    // Before the block two line ends stand, as in every prompt.
    const GrammarNode opener = grammar->literal(calls_opener(), *call);
    answers.push_back(opener);
    answers.push_back(grammar->literal("\n\n", opener));
  }
  if (!answers.empty()) compiled.answer = grammar->either(answers);
  compiled.call = call;
  compiled.grammar = std::move(grammar);
  if (!compiled.answer && !call && format.tools.empty()) return result;
  result.constraint =
      std::make_unique<AnswerConstraint>(std::move(compiled), may_call, thinking, tokens, std::move(vocabulary));
  return result;
}

}  // namespace bolide::text
