// Tables for a person at a terminal: aligned columns of plain text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace bolide::app {

class TextTable {
 public:
  // One character per column: 'l' text, 'r' numbers. `head`: titles, may be empty.
  TextTable(std::string_view alignment, std::vector<std::string> head);

  // One cell per column.
  void row(std::vector<std::string> cells);
  // A line between what is above and what follows (a total).
  void rule();

  // Lines end with '\n' and begin with two blanks.
  std::string str() const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;  // an empty one is a rule
};

// "12,345,678"
std::string grouped(u64 number);
// "528 bytes", "37.0 MB", "12.83 GB": for reading, powers of ten.
std::string readable_bytes(u64 bytes);
// "12.3 %"; of a whole of 0: "-".
std::string percentage(u64 part, u64 whole);

}  // namespace bolide::app
