#include "app/text_table.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"

namespace bolide::app {

TextTable::TextTable(std::string_view alignment, std::vector<std::string> head) : alignment_(alignment) {
  if (head.empty()) return;
  row(std::move(head));
  rule();
}

void TextTable::row(std::vector<std::string> cells) {
  check(cells.size() == alignment_.size(), "a row has a cell for every column");
  rows_.push_back(std::move(cells));
}

void TextTable::rule() {
  rows_.emplace_back();
}

std::string TextTable::str() const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& cells : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const auto& cells : rows_) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = cells.empty() ? std::string(widths[i], '-') : cells[i];
      line +=
          alignment_[i] == 'r' ? fmt::format("  {:>{}}", cell, widths[i]) : fmt::format("  {:<{}}", cell, widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string grouped(u64 number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string readable_bytes(u64 bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", value * 1e-3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", value * 1e-6);
  return fmt::format("{:.2f} GB", value * 1e-9);
}

std::string percentage(u64 part, u64 whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace bolide::app
