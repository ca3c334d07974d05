// How a text that is being typed stands on the screen: rows behind a mark, a cursor, and the bytes that paint them
// anew.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace bolide::app {

// Rows of at most `columns` columns, broken at \n and where a row is full. There is always a row.
struct LineLayout {
  std::vector<std::string> rows;
  std::size_t cursor_row = 0;
  std::size_t cursor_column = 0;
};

LineLayout lay_out(std::string_view text, std::size_t cursor, std::size_t columns);

// Paints layouts over each other, from the row on where the first one began.
class LinePainter {
 public:
  // `mark` stands before the first row, blanks of `mark_width` before the others.
  LinePainter(std::string mark, std::size_t mark_width) : mark_(std::move(mark)), mark_width_(mark_width) {}

  std::size_t mark_width() const { return mark_width_; }

  // Shows at most `screen_rows` rows, those around the cursor.
  std::string paint(const LineLayout& layout, std::size_t screen_rows);
  // Shows all rows and leaves the cursor at the beginning of the row below them. The next painting begins there.
  std::string finish(const LineLayout& layout);
  // The terminal has `columns` columns now. Terminals break the rows of the last painting anew, so that it takes more
  // of them; the next painting begins where its first row went.
  void resize(std::size_t columns);
  // The screen was cleared, or something else was written: the next painting begins where the cursor is.
  void forget() {
    cursor_row_ = 0;
    rows_above_.clear();
  }

 private:
  std::string rows(const LineLayout& layout, std::size_t first, std::size_t last) const;
  std::string erase() const;

  std::string mark_;
  std::size_t mark_width_;
  std::size_t cursor_row_ = 0;           // of the last painting, counted from its first row
  std::vector<std::size_t> rows_above_;  // the columns that each row above the cursor's takes
  std::size_t cursor_column_ = 0;
};

}  // namespace bolide::app
