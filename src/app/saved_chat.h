// The file that /save writes: a conversation, with the tokens of its answers. Two lines: a header with the version of
// the form and the SHA-256 of the rest, and the conversation as JSON.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace bolide::app {

// A question and its answer. The texts are valid UTF-8.
struct Exchange {
  std::string question;
  bool thinking = true;  // the answer was asked for with thinking
  std::string reasoning;
  std::string answer;
  std::vector<u32> ids;  // the answer as it was sampled, reasoning included, without the end token; empty: unknown

  bool operator==(const Exchange&) const = default;
};

struct SavedChat {
  std::string system;
  std::vector<Exchange> exchanges;

  bool operator==(const SavedChat&) const = default;
};

// Bytes that a file has at most: 32 MiB hold a dialogue of the model's longest context.
constexpr u64 kLargestSavedChat = u64{32} << 20;

std::string format_saved_chat(const SavedChat& chat);

// Reads what format_saved_chat() wrote. The file may be anything: another file, cut, changed, of a later version, made
// to harm. An error begins with `what`. The ids are numbers and nothing more yet; see Dialogue::restore().
Result<SavedChat> parse_saved_chat(std::string_view bytes, std::string_view what);

// The header line for this conversation, and the conversation.
std::string with_header(std::string_view conversation);

// Whether a file begins as saved conversations do.
bool looks_saved(std::string_view bytes);

}  // namespace bolide::app
