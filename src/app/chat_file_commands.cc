#include "app/chat_file_commands.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "app/private_file.h"
#include "app/saved_chat.h"
#include "app/text_table.h"
#include "base/mapped_file.h"
#include "text/utf8.h"

namespace bolide::app {
namespace {

constexpr u64 kLargestReadBytes = u64{16} << 20;  // more text than the longest context holds

std::string full_path(std::string_view typed) {
  const char* home = std::getenv("HOME");
  if (!typed.starts_with("~/") || home == nullptr) return std::string(typed);
  return std::string(home).append(typed.substr(1));
}

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const text::Utf8Char next = text::first_char(bytes);
    if (next.length == 0 || next.code_point == 0) return false;
    bytes.remove_prefix(next.length);
  }
  return true;
}

bool holds_saved_chat(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  return file && looks_saved(as_text(file->bytes()));
}

// The beginning of a text, on one line.
std::string first_words(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string words(text.substr(0, text.find('\n')));
  if (words.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<u8>(words[end]) & 0xC0) == 0x80) --end;  // not inside a character
    words.resize(end);
  }
  return words.size() < text.size() ? words + " ..." : words;
}

}  // namespace

std::string read_file(std::string_view typed, ChatState& state) {
  const std::string path = full_path(typed);
  Result<std::string> text = read_text_file(path, kLargestReadBytes);
  if (!text) return text.error().message;
  if (!is_text(*text)) return path + ": is no text (UTF-8)";
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) return path + ": is empty";
  const std::size_t tokens = state.tokenizer->encode(*text, text::AddedTokens::kIgnore).size();
  state.attached.append("\n\n").append(*text);
  return fmt::format("{}: {} tokens, which go with your next question; /new forgets them.", path, grouped(tokens));
}

std::string save_chat(std::string_view typed, ChatState& state) {
  const std::string may_replace = std::exchange(state.may_replace, {});
  if (state.dialogue.empty()) return "There is nothing to save yet.";
  const std::string path = full_path(typed);
  const std::string text = format_saved_chat(state.dialogue.said());
  if (text.size() > kLargestSavedChat) return "The conversation is too large to be saved.";
  std::error_code code;
  const bool taken = std::filesystem::exists(path, code);
  if (taken && holds_saved_chat(path) && may_replace != path) {
    state.may_replace = path;
    return fmt::format("{}: holds a conversation already; the same command once more replaces it.", path);
  }
  const Existing existing =
      taken && may_replace == path && holds_saved_chat(path) ? Existing::kReplace : Existing::kRefuse;
  if (const Status written = write_private_file(path, text, existing); !written) return written.error().message;
  return fmt::format("Saved in {}; /load {} goes on with it.", path, typed);
}

std::string load_chat(std::string_view typed, ChatState& state) {
  const std::string path = full_path(typed);
  const Result<std::string> text = read_text_file(path, kLargestSavedChat);
  if (!text) return text.error().message;
  Result<SavedChat> chat = parse_saved_chat(*text, path);
  if (!chat) return chat.error().message;
  const std::size_t without_ids = state.dialogue.restore(std::move(*chat), *state.tokenizer);
  state.totals.context_used = 0;
  const std::vector<Exchange>& exchanges = state.dialogue.exchanges();
  std::string told = fmt::format("{}: {} question{}", path, exchanges.size(), exchanges.size() == 1 ? "" : "s");
  if (!exchanges.empty()) told += fmt::format("; the last was: {}", first_words(exchanges.back().question));
  if (without_ids > 0) {
    told += fmt::format("\nThe tokens of {} answers are another model's; their text is read anew.", without_ids);
  }
  return told;
}

}  // namespace bolide::app
