// The questions of earlier chats, kept in a file that only its owner can read: one on each line, with "\n" for a line
// end inside and "\\" for a backslash. Chats at the same time share it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace bolide::app {

class ChatHistory {
 public:
  // $XDG_STATE_HOME/bolide/history, by default ~/.local/state/bolide/history (XDG Base Directory Specification). None:
  // there is no home.
  static std::optional<std::string> default_path();

  explicit ChatHistory(std::string path) : path_(std::move(path)) {}

  // The last questions, the oldest first; those from before are removed from a file that has become long. Lines that
  // are no text are left out. A file that is not there is empty; its folder is made.
  Result<std::vector<std::string>> read() const;
  // Not kept: what is as long as a document, and what is blank.
  Status add(std::string_view question) const;

 private:
  std::string path_;
};

}  // namespace bolide::app
