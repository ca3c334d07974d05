#include "app/terminal_keys.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/types.h"

namespace bolide::app {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kPasteEnd = "\x1b[201~";

constexpr char control(char letter) {
  return static_cast<char>(letter & 0x1F);
}

bool is_text(char byte) {
  return static_cast<u8>(byte) >= 0x20 && byte != '\x7f';
}

std::optional<Key> control_key(char byte) {
  switch (byte) {
    case '\r':
    case '\n':
      return Key::kEnter;
    case '\x7f':
    case control('H'):
      return Key::kBackspace;
    case control('A'):
      return Key::kHome;
    case control('B'):
      return Key::kLeft;
    case control('C'):
      return Key::kInterrupt;
    case control('D'):
      return Key::kEndOfInput;
    case control('E'):
      return Key::kEnd;
    case control('F'):
      return Key::kRight;
    case control('K'):
      return Key::kEraseToEnd;
    case control('L'):
      return Key::kClearScreen;
    case control('N'):
      return Key::kDown;
    case control('P'):
      return Key::kUp;
    case control('U'):
      return Key::kEraseToStart;
    case control('W'):
      return Key::kEraseWord;
    case control('Z'):
      return Key::kSuspend;
    default:
      return std::nullopt;
  }
}

// The key after Escape: Alt and a letter.
std::optional<Key> alt_key(char byte) {
  switch (byte) {
    case '\r':
    case '\n':
      return Key::kNewLine;
    case '\x7f':
    case control('H'):
      return Key::kEraseWord;
    case 'b':
      return Key::kWordLeft;
    case 'f':
      return Key::kWordRight;
    default:
      return std::nullopt;
  }
}

// The final letter of a cursor key's sequence; `modified`: with Ctrl or Alt.
std::optional<Key> cursor_key(char letter, bool modified) {
  switch (letter) {
    case 'A':
      return Key::kUp;
    case 'B':
      return Key::kDown;
    case 'C':
      return modified ? Key::kWordRight : Key::kRight;
    case 'D':
      return modified ? Key::kWordLeft : Key::kLeft;
    case 'F':
      return Key::kEnd;
    case 'H':
      return Key::kHome;
    default:
      return std::nullopt;
  }
}

// `parameters` is what stands between "ESC [" and the final byte.
std::optional<Key> sequence_key(std::string_view parameters, char last) {
  if (last == '~') {
    if (parameters == "1" || parameters == "7") return Key::kHome;
    if (parameters == "4" || parameters == "8") return Key::kEnd;
    if (parameters == "3") return Key::kDelete;
    if (parameters == "27;2;13" || parameters == "27;3;13") return Key::kNewLine;  // xterm's modifyOtherKeys
    return std::nullopt;
  }
  if (last == 'u') {  // the kitty protocol
    return parameters == "13;2" || parameters == "13;3" ? std::optional(Key::kNewLine) : std::nullopt;
  }
  const bool modified = parameters.ends_with(";3") || parameters.ends_with(";5");
  return cursor_key(last, modified);
}

// Line ends of every kind become \n; other control characters but tabs are dropped.
std::string clean_paste(std::string_view raw) {
  std::string clean;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const bool pair = raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n';
    if (pair) continue;
    if (raw[i] == '\r' || raw[i] == '\n') {
      clean += '\n';
    } else if (is_text(raw[i]) || raw[i] == '\t') {
      clean += raw[i];
    }
  }
  text::Utf8Stream utf8;
  std::string valid = utf8.push(clean);
  return valid + utf8.finish();
}

}  // namespace

std::vector<KeyPress> KeyDecoder::push(std::string_view bytes) {
  held_ += bytes;
  while (!held_.empty() && (pasting_ ? take_paste() : take_key())) {
  }
  return std::exchange(pressed_, {});
}

bool KeyDecoder::take_key() {
  const char first = held_.front();
  if (is_text(first)) return take_text();
  utf8_ = {};  // half a character before a key is lost
  if (first == kEscape) return take_escape();
  held_.erase(0, 1);
  const bool second_of_pair = first == '\n' && after_return_;
  after_return_ = first == '\r';
  if (second_of_pair) return true;
  if (const std::optional<Key> key = control_key(first)) press(*key);
  return true;
}

bool KeyDecoder::take_text() {
  after_return_ = false;
  const auto end = std::find_if_not(held_.begin(), held_.end(), is_text);
  std::string characters = utf8_.push({held_.begin(), end});
  held_.erase(held_.begin(), end);
  if (!characters.empty()) pressed_.push_back({Key::kText, std::move(characters)});
  return true;
}

bool KeyDecoder::take_escape() {
  after_return_ = false;
  if (held_.size() < 2) return false;
  if (held_[1] == '[') return take_control_sequence();
  if (held_[1] == 'O') {
    if (held_.size() < 3) return false;
    if (const std::optional<Key> key = cursor_key(held_[2], false)) press(*key);
    held_.erase(0, 3);
    return true;
  }
  if (const std::optional<Key> key = alt_key(held_[1])) press(*key);
  held_.erase(0, held_[1] == kEscape ? 1 : 2);
  return true;
}

bool KeyDecoder::take_control_sequence() {
  const auto is_parameter = [](char byte) { return byte >= ' ' && byte <= '?'; };
  const auto last = std::find_if_not(held_.begin() + 2, held_.end(), is_parameter);
  if (last == held_.end()) return false;
  if (*last < '@' || *last > '~') {  // no sequence after all; something else begins here
    held_.erase(held_.begin(), last);
    return true;
  }
  const std::string parameters(held_.begin() + 2, last);
  const char letter = *last;
  held_.erase(held_.begin(), last + 1);
  if (letter == '~' && parameters == "200") {
    pasting_ = true;
    searched_ = 0;
  } else if (const std::optional<Key> key = sequence_key(parameters, letter)) {
    press(*key);
  }
  return true;
}

bool KeyDecoder::take_paste() {
  const std::size_t end = held_.find(kPasteEnd, searched_);
  if (end == std::string::npos) {
    searched_ = held_.size() < kPasteEnd.size() ? 0 : held_.size() - kPasteEnd.size() + 1;
    return false;
  }
  pressed_.push_back({Key::kPaste, clean_paste(std::string_view(held_).substr(0, end))});
  held_.erase(0, end + kPasteEnd.size());
  pasting_ = false;
  return true;
}

}  // namespace bolide::app
