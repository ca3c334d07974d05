#include "app/terminal_keys.h"

#include <gmock/gmock.h>

namespace bolide::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<KeyPress> decode(std::string_view bytes) {
  KeyDecoder decoder;
  return decoder.push(bytes);
}

KeyPress text(std::string_view characters) {
  return {Key::kText, std::string(characters)};
}
KeyPress key(Key pressed) {
  return {pressed, {}};
}

TEST(KeyDecoder, EveryLineEndIsOneEnter) {  // pitfalls B53
  EXPECT_THAT(decode("y\r"), ElementsAre(text("y"), key(Key::kEnter)));
  EXPECT_THAT(decode("y\n"), ElementsAre(text("y"), key(Key::kEnter)));
  EXPECT_THAT(decode("y\r\n"), ElementsAre(text("y"), key(Key::kEnter)));
  EXPECT_THAT(decode("\r\r"), ElementsAre(key(Key::kEnter), key(Key::kEnter)));
  EXPECT_THAT(decode("\n\n"), ElementsAre(key(Key::kEnter), key(Key::kEnter)));
}

TEST(KeyDecoder, KnowsTheSequencesOfSeveralTerminals) {
  EXPECT_THAT(decode("\x1b[H\x1bOH\x1b[1~\x1b[7~"),
              ElementsAre(key(Key::kHome), key(Key::kHome), key(Key::kHome), key(Key::kHome)));
  EXPECT_THAT(decode("\x1b[F\x1bOF\x1b[4~\x1b[8~"),
              ElementsAre(key(Key::kEnd), key(Key::kEnd), key(Key::kEnd), key(Key::kEnd)));
  EXPECT_THAT(decode("\x1b[1;5C\x1b[1;3D\x1b"
                     "f"),
              ElementsAre(key(Key::kWordRight), key(Key::kWordLeft), key(Key::kWordRight)));
  EXPECT_THAT(decode("\x1b\r\x1b[13;2u\x1b[27;2;13~"),
              ElementsAre(key(Key::kNewLine), key(Key::kNewLine), key(Key::kNewLine)));
}

TEST(KeyDecoder, DropsWhatItDoesNotKnow) {
  EXPECT_THAT(decode("\x1b[5~\x1b[15;2~\x1bOP\x1bz\t\x07"), IsEmpty());
  EXPECT_THAT(decode("\x1b[" + std::string(100, '1') + "\r\x1b[3\x1b[A"), ElementsAre(key(Key::kEnter), key(Key::kUp)));
}

TEST(KeyDecoder, AnyCutOfTheBytesGivesTheSameKeys) {
  const std::string bytes = "aé漢\x1b[A\x1b\x7f\x1b[200~p\xC3\xA9\r\nq\x1b[0m\x1b[201~\x1b[3~🙂\r\n\x03\n";
  KeyDecoder whole;
  const auto join = [](const std::vector<KeyPress>& keys) {  // neighbouring text is one
    std::vector<KeyPress> joined;
    for (const KeyPress& pressed : keys) {
      if (pressed.key == Key::kText && !joined.empty() && joined.back().key == Key::kText) {
        joined.back().text += pressed.text;
      } else {
        joined.push_back(pressed);
      }
    }
    return joined;
  };
  const std::vector<KeyPress> expected = join(whole.push(bytes));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    for (std::size_t second = cut; second <= bytes.size(); ++second) {
      KeyDecoder decoder;
      std::vector<KeyPress> keys = decoder.push(bytes.substr(0, cut));
      for (const KeyPress& pressed : decoder.push(bytes.substr(cut, second - cut))) keys.push_back(pressed);
      for (const KeyPress& pressed : decoder.push(bytes.substr(second))) keys.push_back(pressed);
      ASSERT_EQ(join(keys), expected) << "cut at " << cut << " and " << second;
    }
  }
}

TEST(KeyDecoder, APasteIsOneTextWithoutCommands) {
  EXPECT_THAT(decode("\x1b[200~one\r\ntwo\rthree\n\tfour\x03\x04\x1b[A\x1b[201~"),
              ElementsAre(KeyPress{Key::kPaste, "one\ntwo\nthree\n\tfour[A"}));
}

TEST(KeyDecoder, EscapeAloneCanBeForgotten) {
  KeyDecoder decoder;
  EXPECT_THAT(decoder.push("\x1b"), IsEmpty());
  EXPECT_TRUE(decoder.undecided());
  decoder.forget_undecided();
  EXPECT_THAT(decoder.push("[A"), ElementsAre(text("[A")));
}

TEST(KeyDecoder, InvalidBytesBecomeReplacementCharacters) {
  EXPECT_THAT(decode("a\xFF"
                     "b"),
              ElementsAre(text("a\xEF\xBF\xBD"
                               "b")));
  EXPECT_THAT(decode("\x1b[200~\xC3\x1b[201~"), ElementsAre(KeyPress{Key::kPaste, "\xEF\xBF\xBD"}));
}

}  // namespace
}  // namespace bolide::app
