#include "app/saved_chat.h"

#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "app/token_ids.h"
#include "base/json.h"
#include "base/sha256.h"
#include "text/json.h"

namespace bolide::app {
namespace {

namespace json = boost::json;

constexpr std::string_view kBeginning = "{\"bolide_chat\": ";
constexpr i64 kVersion = 1;

// A field of an object, of the wanted kind; null where there is none.
const json::value* field(const json::object& object, std::string_view key) {
  return object.if_contains(json::string_view(key.data(), key.size()));
}
std::optional<std::string> text_field(const json::object& object, std::string_view key) {
  const json::value* value = field(object, key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string().c_str(), value->get_string().size());
}

std::optional<std::vector<u32>> ids_field(const json::object& object) {
  const json::value* value = field(object, "ids");
  if (value == nullptr || !value->is_array()) return std::nullopt;
  std::vector<u32> ids;
  ids.reserve(value->get_array().size());
  for (const json::value& entry : value->get_array()) {
    const i64* id = entry.if_int64();
    if (id == nullptr || *id < 0 || *id > std::numeric_limits<u32>::max()) return std::nullopt;
    ids.push_back(static_cast<u32>(*id));
  }
  return ids;
}

std::optional<Exchange> read_exchange(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const json::object& object = value.get_object();
  const json::value* thinking = field(object, "thinking");
  std::optional<std::string> question = text_field(object, "question");
  std::optional<std::string> reasoning = text_field(object, "reasoning");
  std::optional<std::string> answer = text_field(object, "answer");
  std::optional<std::vector<u32>> ids = ids_field(object);
  const bool complete = question && reasoning && answer && ids && thinking != nullptr && thinking->is_bool();
  if (!complete || answer->empty()) return std::nullopt;
  return Exchange{std::move(*question), thinking->get_bool(), std::move(*reasoning), std::move(*answer),
                  std::move(*ids)};
}

Result<SavedChat> read_conversation(std::string_view text, std::string_view what) {
  constexpr std::size_t kLevels = 8;
  const Result<json::value> document = parse_json(text, what, kLevels);
  if (!document) return document.error();
  const auto wrong = [what](std::string_view place) {
    return Error{fmt::format("{}: {} is missing or of a wrong kind; the file was not written by /save", what, place)};
  };
  if (!document->is_object()) return wrong("the conversation");
  SavedChat chat;
  std::optional<std::string> system = text_field(document->get_object(), "system");
  if (!system) return wrong("system");
  chat.system = std::move(*system);
  const json::value* exchanges = field(document->get_object(), "exchanges");
  if (exchanges == nullptr || !exchanges->is_array()) return wrong("exchanges");
  for (const json::value& value : exchanges->get_array()) {
    std::optional<Exchange> exchange = read_exchange(value);
    if (!exchange) return wrong(fmt::format("a part of exchanges[{}]", chat.exchanges.size()));
    chat.exchanges.push_back(std::move(*exchange));
  }
  return chat;
}

// The header of the conversation that follows it; every byte counts.
std::string header_of(std::string_view conversation) {
  return fmt::format("{}{}, \"bytes\": {}, \"sha256\": \"{}\"}}\n", kBeginning, kVersion, conversation.size(),
                     to_hex(sha256(as_bytes(conversation))));
}

}  // namespace

std::string with_header(std::string_view conversation) {
  return header_of(conversation).append(conversation);
}

bool looks_saved(std::string_view bytes) {
  return bytes.starts_with(kBeginning);
}

std::string format_saved_chat(const SavedChat& chat) {
  std::string text = fmt::format("{{\"system\": {}, \"exchanges\": [", text::json_quoted(chat.system));
  for (const Exchange& exchange : chat.exchanges) {
    if (&exchange != &chat.exchanges.front()) text += ",";
    text += fmt::format("\n {{\"question\": {}, \"thinking\": {}, \"reasoning\": {}, \"answer\": {}, \"ids\": {}}}",
                        text::json_quoted(exchange.question), exchange.thinking, text::json_quoted(exchange.reasoning),
                        text::json_quoted(exchange.answer), format_token_ids(exchange.ids));
  }
  return with_header(text + "]}\n");
}

Result<SavedChat> parse_saved_chat(std::string_view bytes, std::string_view what) {
  if (bytes.size() > kLargestSavedChat) {
    return Error{fmt::format("{}: {} bytes, more than the {} of the largest conversation", what, bytes.size(),
                             kLargestSavedChat)};
  }
  if (!looks_saved(bytes)) return Error{fmt::format("{}: not a conversation that /save wrote", what)};
  const std::string_view version = bytes.substr(kBeginning.size(), 2);
  if (version != fmt::format("{},", kVersion)) {
    return Error{fmt::format("{}: a conversation in another version of the form; this program reads version {}", what,
                             kVersion)};
  }
  const std::size_t line_end = bytes.find('\n');
  const std::string_view conversation = line_end == std::string_view::npos ? "" : bytes.substr(line_end + 1);
  if (bytes != with_header(conversation)) {
    return Error{
        fmt::format("{}: cut, changed or damaged since it was saved: its SHA-256 is not the one in its header", what)};
  }
  return read_conversation(conversation, what);
}

}  // namespace bolide::app
