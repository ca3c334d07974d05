#include "app/token_ids.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/standard_streams.h"
#include "base/json.h"
#include "base/mapped_file.h"

namespace bolide::app {
namespace {

// A million ids of six digits with blanks are 8 MB.
constexpr u64 kLimitBytes = u64{256} << 20;

const boost::json::array* find_list(const boost::json::value& document) {
  if (document.is_array()) return &document.get_array();
  const boost::json::value* ids = document.is_object() ? document.get_object().if_contains("ids") : nullptr;
  return ids != nullptr ? ids->if_array() : nullptr;
}

}  // namespace

Result<std::vector<u32>> parse_token_ids(std::string_view json, std::string_view what, u64 vocab_size) {
  Result<boost::json::value> document = parse_json(json, what);
  if (!document) return document.error();
  const boost::json::array* list = find_list(*document);
  if (list == nullptr) return Error{fmt::format("{}: a JSON array of token ids is wanted, such as [0, 15, 7]", what)};
  std::vector<u32> ids;
  ids.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    const boost::json::value& entry = (*list)[i];
    const i64* id = entry.if_int64();
    if (id == nullptr || *id < 0 || static_cast<u64>(*id) >= vocab_size) {
      return Error{fmt::format("{}: entry {} is {}, but a token id of this model is a whole number from 0 to {}", what,
                               i, boost::json::serialize(entry).substr(0, 40), vocab_size - 1)};
    }
    ids.push_back(static_cast<u32>(*id));
  }
  return ids;
}

Result<std::vector<u32>> read_token_ids(const std::string& path, u64 vocab_size) {
  const bool from_stdin = path == "-";
  const Result<std::string> text = from_stdin ? read_stdin(kLimitBytes) : read_text_file(path, kLimitBytes);
  if (!text) return text.error();
  return parse_token_ids(*text, from_stdin ? "stdin" : path, vocab_size);
}

std::string format_token_ids(std::span<const u32> ids) {
  return fmt::format("[{}]", fmt::join(ids, ","));
}

}  // namespace bolide::app
