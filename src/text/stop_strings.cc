#include "text/stop_strings.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace bolide::text {

StopStrings::StopStrings(const std::vector<std::string>& strings) {
  for (const std::string& words : strings) {
    check(!words.empty(), "an empty stop string was refused before");
    Search search{words, std::vector<u32>(words.size() + 1), 0};
    for (std::size_t n = 2; n <= words.size(); ++n) {
      u32 length = search.shorter[n - 1];
      while (length > 0 && words[length] != words[n - 1]) length = search.shorter[length];
      search.shorter[n] = words[length] == words[n - 1] ? length + 1 : 0;
    }
    searches_.push_back(std::move(search));
  }
}

bool StopStrings::Search::advance(char byte) {
  while (length > 0 && words[length] != byte) length = shorter[length];
  if (words[length] == byte) ++length;
  return length == words.size();
}

std::string StopStrings::push(std::string_view text) {
  if (matched_) return {};
  if (searches_.empty()) return std::string(text);
  std::string shown = std::exchange(held_, {});
  shown += text;
  const std::size_t n_before = shown.size() - text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t longest = 0;
    for (Search& search : searches_) {
      if (search.advance(text[i])) longest = std::max(longest, search.words.size());
    }
    if (longest > 0) {
      matched_ = true;
      shown.resize(n_before + i + 1 - longest);
      return shown;
    }
  }
  std::size_t n_held = 0;
  for (const Search& search : searches_) n_held = std::max<std::size_t>(n_held, search.length);
  held_ = shown.substr(shown.size() - n_held);
  shown.resize(shown.size() - n_held);
  return shown;
}

std::string StopStrings::finish() {
  for (Search& search : searches_) search.length = 0;
  return std::exchange(held_, {});
}

}  // namespace bolide::text
