// What the model's output says, piece by piece.
#pragma once
#include <string>

namespace bolide::text {

struct OutputEvent {
  enum class Kind {
    kReasoning,  // text is more of the reasoning
    kContent,    // text is more of the answer
    kCallStart,  // text is the name of the function
    kArguments,  // text is more of the arguments' JSON
    kCallEnd,    // the arguments are complete: one JSON object
  };

  Kind kind = Kind::kContent;
  std::string text = {};
  std::string name_space = {};  // of kCallStart
  bool declared = true;         // of kCallStart: the request declares such a tool

  bool operator==(const OutputEvent&) const = default;
};

enum class FinishReason { kStop, kLength, kToolCalls };

}  // namespace bolide::text
