// An output parsed as a whole or in pieces, as one text that tests compare.
#pragma once
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"
#include "text/output_parser.h"

namespace bolide::text {

// What an output gave. `events`: all of them, neighbouring pieces of one kind joined.
struct Parsed {
  ParsedOutput output;
  std::vector<OutputEvent> events;
  FinishReason finish = FinishReason::kStop;
  OutputOddities oddities;

  std::string calls() const {
    std::string text;
    for (const ParsedCall& call : output.calls) {
      text += (call.name_space.empty() ? "" : call.name_space + "::") + call.name + call.arguments + ";";
    }
    return text;
  }
};

inline void join(std::vector<OutputEvent>& events, const std::vector<OutputEvent>& more) {
  for (const OutputEvent& event : more) {
    const bool text = event.kind <= OutputEvent::Kind::kContent || event.kind == OutputEvent::Kind::kArguments;
    if (text && !events.empty() && events.back().kind == event.kind) {
      events.back().text += event.text;
    } else {
      events.push_back(event);
    }
  }
}

// Parses pieces; the output was cut by the limit unless it ended itself.
inline Parsed parse_pieces(const std::vector<std::string_view>& pieces, const OutputParserOptions& options,
                           OutputEnd end = OutputEnd::kLimit) {
  OutputParser parser(options);
  Parsed parsed;
  const auto take = [&](const std::vector<OutputEvent>& events) {
    parsed.output.add(events);
    join(parsed.events, events);
  };
  for (const std::string_view piece : pieces) take(parser.push(piece));
  take(parser.finish(end));
  parsed.finish = parser.finish_reason();
  parsed.oddities = parser.oddities();
  return parsed;
}

inline Parsed parse_output(std::string_view output, const OutputParserOptions& options,
                           OutputEnd end = OutputEnd::kLimit) {
  return parse_pieces({output}, options, end);
}

inline std::vector<std::string_view> pieces_of(std::string_view text, std::size_t size) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < text.size(); at += size) pieces.push_back(text.substr(at, size));
  return pieces;
}

// Pieces of 1 to 9 bytes.
inline std::vector<std::string_view> random_pieces(std::string_view text, std::mt19937& random) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), 1 + random() % 9);
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

// The parts of outputs, named as in prompt-format.md section 9.
constexpr const char* kTE = "</think>";
constexpr const char* kEOS = "<｜end▁of▁sentence｜>";
constexpr const char* kTO = "<｜DSML｜ calls>\n";
constexpr const char* kTC = "</｜DSML｜ calls>";
constexpr const char* kIC = "</｜DSML｜ invoke>\n";
inline std::string invoke(const std::string& name) {
  return "<｜DSML｜ invoke name=\"" + name + "\">\n";
}
inline std::string parameter(const std::string& key, const std::string& value, const std::string& flag = "true") {
  return "<｜DSML｜ parameter name=\"" + key + "\" string=\"" + flag + "\">" + value + "</｜DSML｜ parameter>\n";
}

}  // namespace bolide::text
