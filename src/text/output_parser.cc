#include "text/output_parser.h"

#include <algorithm>
#include <utility>

#include "text/json.h"
#include "text/markers.h"
#include "text/message.h"

namespace bolide::text {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
// Between the end of a value and the next tag; a few line ends at most.
constexpr std::size_t kMostBlanksAfterValue = 64;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace

OutputParser::OutputParser(OutputParserOptions options)
    : options_(std::move(options)),
      state_(options_.thinking ? State::kReasoning : State::kAnswer),
      stop_(options_.stop) {}

std::vector<OutputEvent> OutputParser::push(std::string_view bytes) {
  if (!ended()) {
    pending_ += utf8_.push(bytes);
    parse();
  }
  return std::exchange(events_, {});
}

std::vector<OutputEvent> OutputParser::push_control(ControlToken token) {
  if (ended()) return {};
  if (token == ControlToken::kEnd) return finish(OutputEnd::kEndToken);
  pending_ += utf8_.finish();
  settle();
  const bool in_arguments = state_ == State::kValue || state_ == State::kBody;
  if (token == ControlToken::kThink) {
    if (in_arguments || state_ != State::kReasoning || reasoning_begun_) pending_ += kThink;
  } else if (in_arguments && !(trial_ && trial_->in_reasoning)) {
    pending_ += kEndThink;
  } else {
    give_up_trial();
    end_think();
  }
  parse();
  return std::exchange(events_, {});
}

std::vector<OutputEvent> OutputParser::finish(OutputEnd how) {
  if (!ended()) {
    settle();
    // Before half a character is replaced: it may belong to a tag that was cut.
    if (trial_) end_trial(how);
    pending_ += utf8_.finish();
    settle();
    if (!ended()) end(how);
  }
  return std::exchange(events_, {});
}

// Decides what was held back as if nothing followed. The beginning of a tag among calls is left.
void OutputParser::settle() {
  more_may_come_ = false;
  parse();
  more_may_come_ = true;
}

FinishReason OutputParser::finish_reason() const {
  if (cut_) return FinishReason::kLength;
  return n_calls_ > 0 ? FinishReason::kToolCalls : FinishReason::kStop;
}

// --- the machine ---

void OutputParser::parse() {
  while (!ended() && !rest().empty() && step()) {
  }
  pending_.erase(0, position_);
  position_ = 0;
}

// One step; false: it needs more of the output.
bool OutputParser::step() {
  switch (state_) {
    case State::kReasoning:
    case State::kAnswer:
      return text_step();
    case State::kCalls:
      return calls_step();
    case State::kInvoke:
      return invoke_step();
    case State::kValue:
      return value_step();
    case State::kBody:
      return body_step();
    case State::kEnded:
      return false;
  }
  return false;
}

OutputParser::Marker OutputParser::marker_at(std::string_view rest) const {
  // Most "<" of a text begin nothing: after it comes "/", or the first letter of "think" or "DSML", or a bar.
  constexpr std::string_view kSecondBytes = "/tD\xEF";
  if (rest.size() > 1 && kSecondBytes.find(rest[1]) == std::string_view::npos) return {};
  bool partial = false;
  const auto begins_with = [&](std::string_view words) {
    const Match match = match_words(rest, words);
    partial |= match == Match::kPartial;
    return match == Match::kYes;
  };
  if (!options_.control_tokens_apart) {
    if (begins_with(kEndThink)) return {Marker::Kind::kEndThink, kEndThink.size()};
    if (begins_with(kThink)) return {Marker::Kind::kThink, kThink.size()};
    if (begins_with(kEndOfAnswer)) return {Marker::Kind::kEnd, kEndOfAnswer.size()};
  }
  if (options_.calls_allowed) {
    const DsmlTagMatch match = match_dsml_tag(rest);
    if (match.match == Match::kYes) return {Marker::Kind::kTag, match.tag.length, match.tag};
    partial |= match.match == Match::kPartial;
  }
  return {partial ? Marker::Kind::kPartial : Marker::Kind::kNone};
}

// Reasoning and answer.
bool OutputParser::text_step() {
  const std::size_t plain = std::min(rest().find('<'), rest().size());
  if (plain > 0) {
    show(rest().substr(0, plain));
    consume(plain);
    return true;
  }
  const Marker marker = marker_at(rest());
  switch (marker.kind) {
    case Marker::Kind::kPartial:
      if (more_may_come_) return false;
      break;
    case Marker::Kind::kEnd:
      end(OutputEnd::kEndToken);
      return true;
    case Marker::Kind::kEndThink:
      consume(marker.length);
      end_think();
      return true;
    case Marker::Kind::kThink:
      if (state_ != State::kReasoning || reasoning_begun_) show(kThink);
      consume(marker.length);
      return true;
    case Marker::Kind::kTag: {
      const DsmlTag& tag = marker.tag;
      const bool block = tag.kind == DsmlTag::Kind::kCalls && !tag.closing;
      const bool bare = tag.kind == DsmlTag::Kind::kInvoke && !tag.closing && options_.tools.contains(tag.name);
      if (!block && !bare) break;
      begin_trial(tag);
      return true;
    }
    case Marker::Kind::kNone:
      break;
  }
  show("<");
  consume(1);
  return true;
}

// Between invokes.
bool OutputParser::calls_step() {
  skip_blanks();
  if (rest().empty()) return false;
  const Marker marker = rest().front() == '<' ? marker_at(rest()) : Marker{};
  switch (marker.kind) {
    case Marker::Kind::kPartial:
      return false;
    case Marker::Kind::kEnd:
      end(OutputEnd::kEndToken);
      return true;
    case Marker::Kind::kTag:
      if (marker.tag.kind == DsmlTag::Kind::kInvoke && !marker.tag.closing) {
        begin_call(marker.tag);
        return true;
      }
      if (marker.tag.kind == DsmlTag::Kind::kCalls && marker.tag.closing && (!trial_ || trial_->bare)) {
        if (trial_) commit();
        state_ = State::kEnded;
        return true;
      }
      break;
    case Marker::Kind::kThink:
    case Marker::Kind::kEndThink:
    case Marker::Kind::kNone:
      break;
  }
  skip_garbage();
  return true;
}

// Between the parameters of an invoke.
bool OutputParser::invoke_step() {
  skip_blanks();
  if (rest().empty()) return false;
  const bool certain = trial_ && !trial_->in_reasoning;
  if (rest().front() == '{' && !any_parameter_) {
    if (certain) commit();
    value_ = {};
    state_ = State::kBody;
    return true;
  }
  const Marker marker = rest().front() == '<' ? marker_at(rest()) : Marker{};
  switch (marker.kind) {
    case Marker::Kind::kPartial:
      return false;
    case Marker::Kind::kEnd:
      end(OutputEnd::kEndToken);
      return true;
    case Marker::Kind::kTag: {
      const DsmlTag& tag = marker.tag;
      const bool parameter = tag.kind == DsmlTag::Kind::kParameter && !tag.closing;
      const bool closes = tag.kind == DsmlTag::Kind::kInvoke && tag.closing;
      // The next invoke or the end of the block closes an invoke whose parameters are all closed.
      const bool implies_close = any_parameter_ && ((tag.kind == DsmlTag::Kind::kInvoke && !tag.closing) ||
                                                    (tag.kind == DsmlTag::Kind::kCalls && tag.closing));
      if (!parameter && !closes && !implies_close) break;
      if (certain) commit();
      if (parameter) {
        begin_value(tag);
      } else {
        if (closes) consume(marker.length);
        end_call(any_parameter_ ? "}" : "{}");
      }
      return true;
    }
    case Marker::Kind::kThink:
    case Marker::Kind::kEndThink:
    case Marker::Kind::kNone:
      break;
  }
  skip_garbage();
  return true;
}

// The text of a parameter.
bool OutputParser::value_step() {
  const auto add = [&](std::string_view text) {
    if (value_.type == Value::Type::kString) {
      std::string escaped;
      append_json_escaped(escaped, text);
      if (!value_.repeated) emit_arguments(escaped);
    } else {
      value_.raw += text;
    }
  };
  const std::string_view text = rest();
  const auto special = std::ranges::find_if(text, [](char c) { return c == '<' || c == '&'; });
  if (const auto plain = static_cast<std::size_t>(special - text.begin()); plain > 0) {
    add(text.substr(0, plain));
    consume(plain);
    return true;
  }
  if (rest().front() == '&') {
    const bool string = value_.type == Value::Type::kString;
    const Match match = string ? match_words(rest(), kEscapedEndParameter) : Match::kNo;
    if (match == Match::kPartial && more_may_come_) return false;
    add(match == Match::kYes ? kEndParameter : "&");
    consume(match == Match::kYes ? kEscapedEndParameter.size() : 1);
    return true;
  }
  const Marker marker = marker_at(rest());
  if (marker.kind == Marker::Kind::kPartial && more_may_come_) return false;
  if (ends_arguments(marker)) return true;
  if (marker.kind == Marker::Kind::kTag) {
    const Match closes = closes_value(rest(), marker.tag);
    if (closes == Match::kPartial && more_may_come_) return false;
    if (closes == Match::kYes) {
      consume(marker.length);
      end_value();
      return true;
    }
  }
  add("<");
  consume(1);
  return true;
}

// Arguments that are written as one JSON object instead of parameters.
bool OutputParser::body_step() {
  const std::size_t plain = std::min(rest().find('<'), rest().size());
  if (plain > 0) {
    value_.raw += rest().substr(0, plain);
    consume(plain);
    return true;
  }
  const Marker marker = marker_at(rest());
  if (marker.kind == Marker::Kind::kPartial && more_may_come_) return false;
  if (ends_arguments(marker)) return true;
  if (marker.kind == Marker::Kind::kTag && marker.tag.kind == DsmlTag::Kind::kInvoke && marker.tag.closing) {
    consume(marker.length);
    end_body();
  } else {
    value_.raw += '<';
    consume(1);
  }
  return true;
}

// Whether a marker ends arguments that are not complete. The tag </think> does in reasoning only: there the call would
// be a quotation; in an answer it is part of a value.
bool OutputParser::ends_arguments(const Marker& marker) {
  if (marker.kind == Marker::Kind::kEnd) {
    end(OutputEnd::kEndToken);
    return true;
  }
  if (marker.kind == Marker::Kind::kEndThink && trial_ && trial_->in_reasoning) {
    abandon();
    return true;
  }
  return false;
}

// --- input ---

void OutputParser::consume(std::size_t n) {
  if (trial_) trial_->raw += rest().substr(0, n);
  position_ += n;
}

// What belongs to no call: what is on trial is none, else it is dropped.
void OutputParser::skip_garbage() {
  if (trial_) return abandon();
  consume(std::min(rest().find('<', 1), rest().size()));
}

void OutputParser::skip_blanks() {
  consume(std::min(rest().find_first_not_of(kBlanks), rest().size()));
}

// --- output ---

// Text of the reasoning or the answer. Newlines at its end are held back: a tag may follow.
void OutputParser::show(std::string_view text) {
  if (state_ == State::kReasoning && !reasoning_begun_) {  // newlines that lead in the reasoning
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
    reasoning_begun_ = !text.empty();
  }
  const std::size_t end = text.find_last_not_of('\n') + 1;  // 0 if there are only newlines
  if (end > 0) {
    show_newlines();
    show_content(text.substr(0, end));
  }
  newlines_ += text.size() - end;
}

void OutputParser::show_newlines() {
  if (newlines_ > 0) show_content(std::string(std::exchange(newlines_, 0), '\n'));
}

void OutputParser::show_content(std::string_view text) {
  if (ended()) return;
  if (state_ == State::kReasoning) return emit_text(OutputEvent::Kind::kReasoning, text);
  emit_text(OutputEvent::Kind::kContent, stop_.push(text));
  if (stop_.matched()) state_ = State::kEnded;
}

void OutputParser::emit(OutputEvent event) {
  (trial_ ? trial_->events : events_).push_back(std::move(event));
}

// Neighbouring pieces are joined.
void OutputParser::emit_text(OutputEvent::Kind kind, std::string_view text) {
  if (text.empty()) return;
  std::vector<OutputEvent>& events = trial_ ? trial_->events : events_;
  if (!events.empty() && events.back().kind == kind) {
    events.back().text += text;
  } else {
    events.push_back({kind, std::string(text)});
  }
}

void OutputParser::emit_arguments(std::string_view json) {
  if (call_.delivered) emit_text(OutputEvent::Kind::kArguments, json);
}

// --- transitions ---

// After the tag </think>. In an answer it is skipped.
void OutputParser::end_think() {
  if (state_ != State::kReasoning) return;
  newlines_ = 0;
  state_ = State::kAnswer;
}

void OutputParser::begin_trial(const DsmlTag& tag) {
  trial_ = Trial{
      .in_reasoning = state_ == State::kReasoning, .bare = tag.kind == DsmlTag::Kind::kInvoke, .exact = tag.exact};
  if (trial_->bare) {
    begin_call(tag);
  } else {
    consume(tag.length);
    state_ = State::kCalls;
  }
}

// It is a call.
void OutputParser::commit() {
  Trial trial = *std::exchange(trial_, std::nullopt);
  newlines_ = 0;
  if (!trial.in_reasoning) emit_text(OutputEvent::Kind::kContent, stop_.finish());
  undeclared_allowed_ = trial.exact && !trial.bare && !trial.in_reasoning;
  events_.insert(events_.end(), std::make_move_iterator(trial.events.begin()),
                 std::make_move_iterator(trial.events.end()));
  oddities_.calls_in_reasoning += trial.in_reasoning;
  oddities_.bare_calls += trial.bare;
  oddities_.near_misses += !trial.exact;
}

// It was text.
void OutputParser::abandon() {
  const Trial trial = *std::exchange(trial_, std::nullopt);
  state_ = trial.in_reasoning ? State::kReasoning : State::kAnswer;
  n_calls_ = 0;
  show(trial.raw);
}

// With a beginning of a tag that is left after settle().
void OutputParser::give_up_trial() {
  if (!trial_) return;
  abandon();
  settle();
}

// At an invoke tag; it is not consumed if what is on trial is no call.
void OutputParser::begin_call(const DsmlTag& tag) {
  const bool declared = options_.tools.contains(tag.name);
  if (trial_ && !declared && (trial_->in_reasoning || trial_->bare || !trial_->exact)) {
    return abandon();
  }
  call_ = {.name = std::string(tag.name), .delivered = declared || trial_ || undeclared_allowed_};
  any_parameter_ = false;
  if (call_.delivered) {
    ToolName name = split_name(call_.name);
    emit({OutputEvent::Kind::kCallStart, std::move(name.name), std::move(name.name_space), declared});
  }
  consume(tag.length);
  state_ = State::kInvoke;
}

// `json`: the end of its arguments.
void OutputParser::end_call(std::string_view json) {
  emit_arguments(json);
  if (call_.delivered) {
    emit({OutputEvent::Kind::kCallEnd});
    ++n_calls_;
  }
  state_ = State::kCalls;
  // A bare call in reasoning may still be a quotation: what follows it decides.
  if (trial_ && !trial_->bare) commit();
}

void OutputParser::begin_value(const DsmlTag& tag) {
  value_ = {.repeated = !call_.keys.insert(std::string(tag.name)).second, .spelling = std::string(tag.spelling)};
  switch (tag.string_flag) {
    case DsmlTag::StringFlag::kTrue:
      value_.type = Value::Type::kString;
      break;
    case DsmlTag::StringFlag::kFalse:
      value_.type = Value::Type::kJson;
      break;
    case DsmlTag::StringFlag::kMissing:
      value_.type = options_.tools.is_string(call_.name, tag.name) ? Value::Type::kString : Value::Type::kJsonOrString;
      break;
  }
  if (!value_.repeated) {
    emit_arguments(std::exchange(any_parameter_, true) ? ", " : "{");
    emit_arguments(json_quoted(tag.name) + ": ");
    if (value_.type == Value::Type::kString) emit_arguments("\"");
  }
  consume(tag.length);
  state_ = State::kValue;
}

void OutputParser::end_value() {
  state_ = State::kInvoke;
  if (value_.repeated) return;
  if (value_.type == Value::Type::kString) return emit_arguments("\"");
  const std::string_view json = trimmed(value_.raw);
  if (parse_json_text(json, "")) return emit_arguments(json);
  // The client's check of the arguments tells the model what is wrong (pitfalls B11).
  oddities_.invalid_values += value_.type == Value::Type::kJson;
  emit_arguments(json_quoted(value_.raw));
}

// After the tag that closes the invoke.
void OutputParser::end_body() {
  const std::string_view json = trimmed(value_.raw);
  const Result<Json> body = parse_json_text(json, "");
  if (body && body->is_object()) return end_call(json);
  ++oddities_.invalid_values;
  end_call("{\"arguments\": " + json_quoted(value_.raw) + "}");
}

// Whether a tag inside a value ends it. One that is spelled as the opening tag does; another may be part of a text that
// is about such tags, and ends the value only if a tag of calls follows.
Match OutputParser::closes_value(std::string_view rest, const DsmlTag& tag) const {
  if (tag.kind != DsmlTag::Kind::kParameter || !tag.closing) return Match::kNo;
  if (tag.spelling == value_.spelling) return Match::kYes;
  const std::string_view after = rest.substr(tag.length, kMostBlanksAfterValue + kLongestTag);
  const std::size_t blanks = std::min(after.find_first_not_of(kBlanks), after.size());
  if (blanks > kMostBlanksAfterValue) return Match::kNo;
  if (blanks == after.size()) return Match::kPartial;
  const DsmlTagMatch next = match_dsml_tag(after.substr(blanks));
  if (next.match != Match::kYes) return next.match;
  const bool parameter = next.tag.kind == DsmlTag::Kind::kParameter;
  return parameter != next.tag.closing ? Match::kYes : Match::kNo;  // the next parameter, or the end of the call
}

// --- the end ---

void OutputParser::end(OutputEnd how) {
  if (trial_) end_trial(how);
  if (state_ == State::kReasoning || state_ == State::kAnswer) {
    show_newlines();
    emit_text(OutputEvent::Kind::kContent, stop_.finish());
  }
  if (state_ == State::kInvoke || state_ == State::kValue || state_ == State::kBody) ++oddities_.incomplete_calls;
  cut_ = how == OutputEnd::kLimit && !ended();
  state_ = State::kEnded;
}

// What is on trial at the end is text, with two exceptions.
void OutputParser::end_trial(OutputEnd how) {
  const bool last_call_complete = state_ == State::kCalls && trial_->bare;
  if (trial_->in_reasoning && last_call_complete && how == OutputEnd::kEndToken) return commit();
  const bool block_begun = state_ == State::kInvoke || how == OutputEnd::kLimit;
  if (!trial_->in_reasoning && !trial_->bare && block_begun) {  // markup that was cut is nothing to show
    trial_.reset();
    newlines_ = 0;
    emit_text(OutputEvent::Kind::kContent, stop_.finish());
    return;
  }
  abandon();
}

// --- as a whole ---

void ParsedOutput::add(const std::vector<OutputEvent>& events) {
  for (const OutputEvent& event : events) {
    switch (event.kind) {
      case OutputEvent::Kind::kReasoning:
        reasoning += event.text;
        break;
      case OutputEvent::Kind::kContent:
        content += event.text;
        break;
      case OutputEvent::Kind::kCallStart:
        open_ = ParsedCall{event.text, event.name_space, ""};
        break;
      case OutputEvent::Kind::kArguments:
        open_->arguments += event.text;
        break;
      case OutputEvent::Kind::kCallEnd:
        calls.push_back(*std::exchange(open_, std::nullopt));
        break;
    }
  }
}

}  // namespace bolide::text
