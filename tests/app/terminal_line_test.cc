#include "app/terminal_line.h"

#include <gmock/gmock.h>

#include "app/terminal_text.h"

namespace bolide::app {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LayOut : public testing::Test {
 protected:
  LayOut() { use_unicode_widths(); }
};

TEST_F(LayOut, AnEmptyTextIsOneRow) {
  const LineLayout layout = lay_out("", 0, 10);
  EXPECT_THAT(layout.rows, ElementsAre(""));
  EXPECT_EQ(layout.cursor_column, 0u);
}

TEST_F(LayOut, BreaksFullRowsAndKeepsAColumnForTheCursor) {
  const LineLayout layout = lay_out("abcdefgh", 8, 4);
  EXPECT_THAT(layout.rows, ElementsAre("abcd", "efgh", ""));
  EXPECT_EQ(layout.cursor_row, 2u);
  EXPECT_EQ(layout.cursor_column, 0u);
}

TEST_F(LayOut, NeverCutsAWideCharacterInHalf) {
  const LineLayout layout = lay_out("abc漢d", 3, 4);
  EXPECT_THAT(layout.rows, ElementsAre("abc", "漢d"));
  EXPECT_EQ(layout.cursor_row, 1u);
  EXPECT_EQ(layout.cursor_column, 0u);
  EXPECT_EQ(lay_out("abc漢d", 6, 4).cursor_column, 2u);
}

TEST_F(LayOut, BreaksAtLineEndsAndShowsTabsAsBlanks) {
  const LineLayout layout = lay_out("a\tb\n\nc", 3, 20);
  EXPECT_THAT(layout.rows, ElementsAre("a    b", "", "c"));
  EXPECT_EQ(layout.cursor_row, 0u);
  EXPECT_EQ(layout.cursor_column, 6u);
}

TEST_F(LayOut, CombiningMarksTakeNoColumn) {
  const LineLayout layout = lay_out("e\xCC\x81x", 4, 10);
  EXPECT_EQ(layout.cursor_column, 2u);
}

TEST_F(LayOut, ControlCharactersOfAPasteAreShownHarmlessly) {
  const LineLayout layout = lay_out("a\u009B2Jb", 6, 20);
  EXPECT_THAT(layout.rows, ElementsAre("a\uFFFD2Jb"));
  EXPECT_EQ(layout.cursor_column, 5u);
}

// Of the rows with 12, 2 and 6 columns the first takes three in a window of 5 columns, the last two, with the cursor in
// its second.
TEST(LinePainter, ErasesWhatTheTerminalBrokeAnewInANarrowerWindow) {
  LinePainter painter("> ", 2);
  painter.paint(lay_out("abcdefghij\n\nabcd", 16, 10), 24);
  painter.resize(5);
  EXPECT_THAT(painter.paint(lay_out("x", 1, 3), 24), StartsWith("\x1b[5A\r\x1b[J> x"));
}

TEST(LinePainter, ErasesTheFormerPaintingFromItsFirstRow) {
  LinePainter painter("> ", 2);
  EXPECT_EQ(painter.paint(lay_out("ab\ncd", 5, 10), 24), "\r\x1b[J> ab\r\n  cd\r\x1b[4C");
  EXPECT_THAT(painter.paint(lay_out("x", 1, 10), 24), StartsWith("\x1b[1A\r\x1b[J> x"));
  EXPECT_THAT(painter.paint(lay_out("y", 1, 10), 24), StartsWith("\r\x1b[J> y"));
}

TEST(LinePainter, ShowsOnlyTheRowsAroundTheCursorOfATallText) {
  LinePainter painter("> ", 2);
  const std::string bytes = painter.paint(lay_out("1\n2\n3\n4", 7, 10), 2);
  EXPECT_THAT(bytes, HasSubstr("  3\r\n  4"));
  EXPECT_THAT(bytes, Not(HasSubstr("2\r\n")));
  EXPECT_THAT(painter.finish(lay_out("1\n2\n3\n4", 7, 10)), EndsWith("> 1\r\n  2\r\n  3\r\n  4\r\n"));
}

}  // namespace
}  // namespace bolide::app
