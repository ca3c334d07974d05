#include "app/line_editor.h"

#include <gtest/gtest.h>

#include "app/terminal_text.h"

namespace bolide::app {
namespace {

using Effect = LineEditor::Effect;

// Presses what a terminal sends.
class LineEditorTest : public testing::Test {
 protected:
  LineEditorTest() { use_unicode_widths(); }
  Effect type(std::string_view bytes) {
    Effect last = Effect::kEdited;
    for (const KeyPress& key : decoder_.push(bytes)) last = editor_.press(key);
    return last;
  }
  // The text with | for the cursor.
  std::string shown() const {
    std::string text = editor_.text();
    text.insert(editor_.cursor(), 1, '|');
    return text;
  }

  KeyDecoder decoder_;
  LineEditor editor_;
};

TEST_F(LineEditorTest, InsertsAtTheCursor) {
  type("acd\x1b[D\x1b[Db");
  EXPECT_EQ(shown(), "ab|cd");
}

TEST_F(LineEditorTest, MovesAndErasesWholeCharacters) {
  type("aé漢🙂");
  EXPECT_EQ(shown(), "aé漢🙂|");
  type("\x1b[D\x1b[D");
  EXPECT_EQ(shown(), "aé|漢🙂");
  type("\x7f");
  EXPECT_EQ(shown(), "a|漢🙂");
  type("\x1b[3~");
  EXPECT_EQ(shown(), "a|🙂");
}

TEST_F(LineEditorTest, TakesCombiningMarksAndJoinedEmojiWithTheirBase) {
  type("xe\xCC\x81\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC");  // x, e with acute, woman scientist
  type("\x7f");
  EXPECT_EQ(shown(), "xe\xCC\x81|");
  type("\x1b[D");
  EXPECT_EQ(shown(), "x|e\xCC\x81");
}

TEST_F(LineEditorTest, StaysInsideTheTextAtBothEnds) {
  type("\x1b[D\x7f\x1b[3~\x1b[C");
  EXPECT_EQ(shown(), "|");
  type("a\x1b[C\x1b[C");
  EXPECT_EQ(shown(), "a|");
}

TEST_F(LineEditorTest, JumpsAndErasesWithTheControlKeys) {
  type("one two three");
  type("\x01");
  EXPECT_EQ(shown(), "|one two three");
  type("\x05\x17");
  EXPECT_EQ(shown(), "one two |");
  type(
      "\x1b"
      "b");
  EXPECT_EQ(shown(), "one |two ");
  type("\x0b");
  EXPECT_EQ(shown(), "one |");
  type("\x15");
  EXPECT_EQ(shown(), "|");
}

TEST_F(LineEditorTest, SubmitsOnEnterAndEmptiesTheText) {
  EXPECT_EQ(type("hello\r"), Effect::kSubmitted);
  EXPECT_EQ(editor_.take(), "hello");
  EXPECT_EQ(shown(), "|");
}

TEST_F(LineEditorTest, AltEnterAndAFinalBackslashBeginALine) {
  EXPECT_EQ(type("one\x1b\rtwo\\\rthree"), Effect::kEdited);
  EXPECT_EQ(shown(), "one\ntwo\nthree|");
  EXPECT_EQ(type("\r"), Effect::kSubmitted);
}

TEST_F(LineEditorTest, ABackslashInsideTheTextIsText) {
  EXPECT_EQ(type("a\\b\r"), Effect::kSubmitted);
  EXPECT_EQ(editor_.take(), "a\\b");
}

TEST_F(LineEditorTest, ControlDEndsOnlyAnEmptyText) {
  EXPECT_EQ(type("ab\x01\x04"), Effect::kEdited);
  EXPECT_EQ(shown(), "|b");
  EXPECT_EQ(type("\x04"), Effect::kEdited);
  EXPECT_EQ(type("\x04"), Effect::kEnded);
}

TEST_F(LineEditorTest, HistoryKeepsTheNewTextAndLeavesEntriesAsTheyWere) {
  type("first\r");
  editor_.take();
  type("second\r");
  editor_.take();
  type("new");
  type("\x1b[A");
  EXPECT_EQ(shown(), "second|");
  type("!\x1b[A");
  EXPECT_EQ(shown(), "first|");
  type("\x1b[A");
  EXPECT_EQ(shown(), "first|");
  type("\x1b[B");
  EXPECT_EQ(shown(), "second|");
  type("\x1b[B");
  EXPECT_EQ(shown(), "new|");
}

TEST_F(LineEditorTest, UpAndDownMoveInsideATextOfSeveralLines) {
  type("before\r");
  editor_.take();
  type("漢字三\x1b\rab\x1b\rlonger");
  type("\x1b[A");
  EXPECT_EQ(shown(), "漢字三\nab|\nlonger");
  type("\x1b[A");
  EXPECT_EQ(shown(), "漢字|三\nab\nlonger");
  type("\x1b[B\x1b[B");
  EXPECT_EQ(shown(), "漢字三\nab\nlo|nger");
  type("\x1b[A\x1b[A\x1b[A");
  EXPECT_EQ(shown(), "before|");
}

TEST_F(LineEditorTest, HomeAndEndStayInTheLine) {
  type("ab\x1b\rcd\x01");
  EXPECT_EQ(shown(), "ab\n|cd");
  type("\x1b[D\x1b[D\x05");
  EXPECT_EQ(shown(), "ab|\ncd");
}

TEST_F(LineEditorTest, ClearedTextIsNotRemembered) {
  EXPECT_EQ(type("secret\x03"), Effect::kInterrupted);
  editor_.clear();
  type("\x1b[A");
  EXPECT_EQ(shown(), "|");
}

}  // namespace
}  // namespace bolide::app
