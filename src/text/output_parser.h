// Parses what the model writes into reasoning, answer and tool calls, while it comes (prompt-format.md section 8).
//
// Whatever the pieces in which the output arrives, the events joined are the same. What may belong to a tag, a stop
// string or a half character is held back, everything else is told at once. Where a tool call begins is decided on
// trial: what follows an opener is parsed as a call and held until it is certain, and becomes text again, whole, if it
// was only quoted. In an answer that takes the opening tags; in reasoning that was never closed, the whole first call,
// of a declared tool.
//
// Arguments are always one JSON object, a string value told piece by piece. An incomplete call has no kCallEnd; a
// client that is not streamed to must not see it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/types.h"
#include "text/dsml_tag.h"
#include "text/output_event.h"
#include "text/stop_strings.h"
#include "text/stream_decoder.h"
#include "text/tool_declarations.h"

namespace bolide::text {

struct OutputParserOptions {
  bool thinking = true;         // the prompt ended in <think>: the output begins with reasoning
  bool calls_allowed = true;    // false (tool_choice none): the tags of calls are text
  ToolDeclarations tools = {};  // a name not among them is a call only inside a proper block, and only of an answer
  std::vector<std::string> stop = {};  // ends the answer, not the reasoning, before the first of these; none is empty
  // Whether control tokens come through push_control(). If so their names in the text are text.
  bool control_tokens_apart = false;
};

// The control tokens that mean something in an output.
enum class ControlToken { kThink, kEndThink, kEnd };

// How an output came to its end, where it did not end itself.
enum class OutputEnd { kEndToken, kLimit };

// How often the model was off the format, for metrics.
struct OutputOddities {
  u32 bare_calls = 0;   // calls without the block around them
  u32 near_misses = 0;  // blocks whose tags are spelled otherwise
  u32 calls_in_reasoning = 0;
  u32 invalid_values = 0;    // values said to be JSON that are none
  u32 incomplete_calls = 0;  // begun and not finished
};

// The parser of one output. For one thread.
class OutputParser {
 public:
  explicit OutputParser(OutputParserOptions options);

  // Takes the next bytes, returns what they tell.
  std::vector<OutputEvent> push(std::string_view bytes);
  std::vector<OutputEvent> push_control(ControlToken token);
  // No more will come; tells what was held back.
  std::vector<OutputEvent> finish(OutputEnd end);

  // The output has ended itself, by its end token, a closed block of calls or a stop string: nothing that follows is
  // told, generation should stop.
  bool ended() const { return state_ == State::kEnded; }
  bool in_reasoning() const { return state_ == State::kReasoning || (trial_ && trial_->in_reasoning); }
  // Once it has ended or finish() was called.
  FinishReason finish_reason() const;
  const OutputOddities& oddities() const { return oddities_; }

 private:
  enum class State { kReasoning, kAnswer, kCalls, kInvoke, kValue, kBody, kEnded };

  // A block of calls that may still turn out to be text.
  struct Trial {
    bool in_reasoning = false;
    bool bare = false;   // an invoke tag without the block around it
    bool exact = false;  // the block's tag is the format's own
    std::string raw;     // all that was consumed
    std::vector<OutputEvent> events;
  };

  // The call being read.
  struct Call {
    std::string name;       // qualified
    bool delivered = true;  // false: of an undeclared tool where none may be
    std::unordered_set<std::string> keys;
  };

  // The parameter being read.
  struct Value {
    enum class Type { kString, kJson, kJsonOrString };
    Type type = Type::kString;
    bool repeated = false;  // an earlier one of the same name counts
    std::string spelling;   // of its opening tag
    std::string raw;        // of all but kString
  };

  void parse();
  void settle();
  bool step();
  bool text_step();
  bool calls_step();
  bool invoke_step();
  bool value_step();
  bool body_step();

  // What the rest of the output begins with, at a "<".
  struct Marker {
    enum class Kind { kNone, kPartial, kThink, kEndThink, kEnd, kTag };
    Kind kind = Kind::kNone;
    std::size_t length = 0;
    DsmlTag tag = {};
  };
  Marker marker_at(std::string_view rest) const;

  std::string_view rest() const { return std::string_view(pending_).substr(position_); }
  void consume(std::size_t n);
  void skip_blanks();
  void skip_garbage();
  bool ends_arguments(const Marker& marker);

  void show(std::string_view text);
  void show_content(std::string_view text);
  void show_newlines();
  void emit(OutputEvent event);
  void emit_text(OutputEvent::Kind kind, std::string_view text);
  void emit_arguments(std::string_view json);

  void end_think();
  void begin_trial(const DsmlTag& tag);
  void commit();
  void abandon();
  void give_up_trial();
  void begin_call(const DsmlTag& tag);
  void end_call(std::string_view json);
  void begin_value(const DsmlTag& tag);
  void end_value();
  void end_body();
  Match closes_value(std::string_view rest, const DsmlTag& tag) const;
  void end(OutputEnd how);
  void end_trial(OutputEnd how);

  OutputParserOptions options_;
  State state_;
  Utf8Stream utf8_;
  std::string pending_;  // arrived, and from position_ on not consumed
  std::size_t position_ = 0;
  bool more_may_come_ = true;  // false: what is held back is decided as if nothing followed
  std::vector<OutputEvent> events_;
  std::optional<Trial> trial_;
  bool undeclared_allowed_ = false;  // in the block that is read
  StopStrings stop_;
  std::size_t newlines_ = 0;  // held back: a tag after them takes them away
  bool reasoning_begun_ = false;
  Call call_;
  bool any_parameter_ = false;
  Value value_;
  u32 n_calls_ = 0;  // complete and delivered
  bool cut_ = false;
  OutputOddities oddities_;
};

// An output as a whole.
struct ParsedCall {
  std::string name;
  std::string name_space;
  std::string arguments;  // one JSON object
};
struct ParsedOutput {
  std::string reasoning;
  std::string content;
  std::vector<ParsedCall> calls;  // the complete ones

  void add(const std::vector<OutputEvent>& events);

 private:
  std::optional<ParsedCall> open_;
};

}  // namespace bolide::text
