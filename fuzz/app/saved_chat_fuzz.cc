// A saved conversation, as a whole file and behind a right header: what is read is written and read again the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/saved_chat.h"
#include "base/check.h"

namespace {

using bolide::app::SavedChat;

void read(std::string_view bytes) {
  const bolide::Result<SavedChat> chat = bolide::app::parse_saved_chat(bytes, "input");
  if (!chat) return;
  const bolide::Result<SavedChat> again = bolide::app::parse_saved_chat(bolide::app::format_saved_chat(*chat), "again");
  bolide::check(again && *again == *chat, "what was read is written and read again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(bolide::app::with_header(bytes));
  return 0;
}
