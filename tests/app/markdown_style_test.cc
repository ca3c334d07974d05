#include "app/markdown_style.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace bolide::app {
namespace {

// What a terminal makes of the bytes: every byte of text with the codes of its style. Fails for any escape sequence but
// a style's, and for a style that stays on.
struct Styled {
  std::string text;
  std::vector<std::string> styles;  // of each byte

  bool operator==(const Styled&) const = default;
  // The styles' stretches: "1:bold :plain".
  std::string stretches() const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i == 0 || styles[i] != styles[i - 1]) out += "<" + styles[i] + ">";
      out += text[i];
    }
    return out;
  }
};

void show(Styled& screen, std::string_view bytes) {
  std::string style;
  while (!bytes.empty()) {
    if (bytes[0] != '\x1b') {
      screen.text += bytes[0];
      screen.styles.push_back(style);
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find('m');
    ASSERT_NE(end, std::string_view::npos);
    const std::string_view codes = bytes.substr(2, end - 2);
    ASSERT_EQ(bytes[1], '[');
    ASSERT_EQ(codes.find_first_not_of("0123456789;"), std::string_view::npos);
    style = codes == "0" ? "" : std::string(codes);
    bytes.remove_prefix(end + 1);
  }
  EXPECT_EQ(style, "") << "a style stays on";
}

Styled styled(std::string_view text) {
  MarkdownStyle markdown;
  Styled screen;
  show(screen, markdown.push(text));
  show(screen, markdown.finish());
  return screen;
}

std::string stretches(std::string_view text) {
  const Styled screen = styled(text);
  EXPECT_EQ(screen.text, text);
  return screen.stretches();
}

constexpr std::string_view kEverything =
    "# Title *with* `code`\n\nText **bold *both* bold** and *italic*, `a ** b`, ``x ` y``, snake_case_name, 2*3*4,\n"
    "2 * 3 \\*not\\* 漢字**粗体**文字 __init__ _it_ ***all*** a*\n"
    "- item **one**\n  * nested\n10. ten\n10) ten\n3.14 is pi\n-5\n> quote *it*\n> - `x`\n"
    "```cpp\nint *a = **b; // # no\n~~~\n  ``\n``` x\n```\nafter *it*\n~~~~\n~~~\n~~~~  \n```in line``` text\n"
    "    indented\n#hashtag ####### seven\n**never closed\nnext line `also\nend *";

TEST(MarkdownStyle, HeadingsAreBoldToTheEndOfTheirLine) {
  EXPECT_EQ(stretches("## A *b*\nc"), "<1;35>## A <1;3;35>*b*<>\nc");
  EXPECT_EQ(stretches("#hashtag"), "<>#hashtag");
  EXPECT_EQ(stretches("####### x"), "<>####### x");
  EXPECT_EQ(stretches("a # b"), "<>a # b");
}

TEST(MarkdownStyle, StarsAndLowLinesAreBoldAndItalic) {
  EXPECT_EQ(stretches("a **b** c"), "<>a <1>**b**<> c");
  EXPECT_EQ(stretches("a *b* c"), "<>a <3>*b*<> c");
  EXPECT_EQ(stretches("a _b_ __c__"), "<>a <3>_b_<> <1>__c__");
  EXPECT_EQ(stretches("***b*** c"), "<1;3>***b***<> c");
  EXPECT_EQ(stretches("**a *b* c**d"), "<1>**a <1;3>*b*<1> c**<>d");
  EXPECT_EQ(stretches("漢**字**漢"), "<>漢<1>**字**<>漢");
}

TEST(MarkdownStyle, StarsThatAreNoMarkdownStayPlain) {
  for (const char* text : {"2*3*4", "2 * 3 * 4", "2**10", "snake_case_name", "a ** b", "\\*a\\*", "a****b", "x *"}) {
    EXPECT_EQ(stretches(text), std::string("<>") + text);
  }
}

TEST(MarkdownStyle, CodeIsNotLookedInto) {
  EXPECT_EQ(stretches("a `*b*` c"), "<>a <36>`*b*`<> c");
  EXPECT_EQ(stretches("``a ` b`` c"), "<36>``a ` b``<> c");
  EXPECT_EQ(stretches("```\n# *a*\n```\n*b*"), "<36>```<>\n<36># *a*<>\n<36>```<>\n<3>*b*");
  EXPECT_EQ(stretches("```a``` *b*"), "<36>```a```<> <3>*b*");
}

TEST(MarkdownStyle, AFenceEndsWithOneOfItsKindThatIsAsLong) {
  EXPECT_EQ(stretches("~~~~\n~~~\n```\n~~~~ x\n ~~~~ \nb"),
            "<36>~~~~<>\n<36>~~~<>\n<36>```<>\n<36>~~~~ x<>\n<36> ~~~~ <>\nb");
}

TEST(MarkdownStyle, ListsAndQuotesHaveMarks) {
  EXPECT_EQ(stretches("- a\n  * *b*\n12. c\n"), "<1>-<> a\n<1>  *<> <3>*b*<>\n<1>12.<> c\n");
  EXPECT_EQ(stretches("> > - a"), "<2>> ><1> -<> a");
  EXPECT_EQ(stretches("-5\n3.14\n2024"), "<>-5\n3.14\n2024");
}

TEST(MarkdownStyle, WhatIsNeverClosedEndsWithItsLine) {
  EXPECT_EQ(stretches("**a\nb `c\nd"), "<1>**a<>\nb <36>`c<>\nd");
}

TEST(MarkdownStyle, EveryCutGivesTheSameStyles) {
  const Styled whole = styled(kEverything);
  EXPECT_EQ(whole.text, kEverything);
  for (std::size_t cut = 1; cut < kEverything.size(); ++cut) {
    MarkdownStyle markdown;
    Styled screen;
    show(screen, markdown.push(kEverything.substr(0, cut)));
    show(screen, markdown.push(kEverything.substr(cut)));
    show(screen, markdown.finish());
    ASSERT_EQ(screen, whole) << cut;
  }
  MarkdownStyle markdown;
  Styled screen;
  for (const char byte : kEverything) show(screen, markdown.push({&byte, 1}));
  show(screen, markdown.finish());
  EXPECT_EQ(screen, whole);
}

TEST(MarkdownStyle, HoldsBackOnlyWhatIsNotDecided) {
  MarkdownStyle markdown;
  EXPECT_EQ(markdown.push("Hello, wor"), "Hello, wor");
  EXPECT_EQ(markdown.push("ld *"), "ld ");
  EXPECT_EQ(markdown.push("x"), "\x1b[3m*x\x1b[0m");
}

}  // namespace
}  // namespace bolide::app
