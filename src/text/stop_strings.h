// Ends a text before the first stop string in it, however the text is cut into pieces (pitfalls B16).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace bolide::text {

// Of several stop strings the one that is complete first counts; of two complete at the same byte the longer.
class StopStrings {
 public:
  // No string is empty.
  explicit StopStrings(const std::vector<std::string>& strings);

  // What can be shown after this text too: all but a tail that may begin a stop string. After a match nothing more.
  std::string push(std::string_view text);
  // The end of the text: the tail.
  std::string finish();
  bool matched() const { return matched_; }

 private:
  // One string and how much of it the text ends with (Knuth, Morris, Pratt).
  struct Search {
    std::string words;
    std::vector<u32> shorter;  // for each length of a beginning: the next shorter one that it ends with
    u32 length = 0;

    // Whether the string is complete with this byte.
    bool advance(char byte);
  };

  std::vector<Search> searches_;
  std::string held_;  // the longest beginning of a stop string that the text ends with
  bool matched_ = false;
};

}  // namespace bolide::text
