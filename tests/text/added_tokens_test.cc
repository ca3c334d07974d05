#include "text/added_tokens.h"

#include <gtest/gtest.h>
#include <string>

namespace bolide::text {
namespace {

AddedTokenMatcher matcher_of(std::initializer_list<const char*> contents) {
  AddedTokenMatcher matcher;
  u32 id = 0;
  for (const char* content : contents) matcher.add(content, id++);
  return matcher;
}

// The match as "begin length id".
std::string found(const AddedTokenMatcher& matcher, std::string_view text, std::size_t from = 0) {
  const auto match = matcher.find(text, from);
  if (!match) return "nothing";
  return std::to_string(match->begin) + " " + std::to_string(match->length) + " " + std::to_string(match->id);
}

TEST(AddedTokenMatcher, TakesTheLongestOfSeveralAtOnePlace) {
  const auto matcher = matcher_of({"<a", "<abc>", "<ab"});
  EXPECT_EQ(found(matcher, "x<abc>"), "1 5 1");
  EXPECT_EQ(found(matcher, "x<abcd"), "1 3 2");
  EXPECT_EQ(found(matcher, "x<ax"), "1 2 0");
}

TEST(AddedTokenMatcher, TakesTheFirstPlaceEvenIfALaterMatchIsLonger) {
  const auto matcher = matcher_of({"<a", "a<bcdef"});
  EXPECT_EQ(found(matcher, "<a<bcdef"), "0 2 0");
}

TEST(AddedTokenMatcher, ABeginningThatFailsDoesNotHideAMatchInsideIt) {
  const auto matcher = matcher_of({"<<a>>", "<a>"});
  EXPECT_EQ(found(matcher, "<<a>"), "1 3 1");
}

TEST(AddedTokenMatcher, SearchStartsWhereItIsTold) {
  const auto matcher = matcher_of({"<a>"});
  EXPECT_EQ(found(matcher, "<a> <a>", 1), "4 3 0");
  EXPECT_EQ(found(matcher, "<a>", 3), "nothing");
  EXPECT_EQ(found(matcher, ""), "nothing");
}

TEST(AddedTokenMatcher, AnExactSearchWantsTheWholeText) {
  const auto matcher = matcher_of({"<a>", "<a>b"});
  EXPECT_EQ(matcher.find_exact("<a>"), 0U);
  EXPECT_EQ(matcher.find_exact("<a>b"), 1U);
  EXPECT_EQ(matcher.find_exact("<a>c"), std::nullopt);
  EXPECT_EQ(matcher.find_exact("<a"), std::nullopt);
  EXPECT_EQ(matcher.find_exact(""), std::nullopt);
}

}  // namespace
}  // namespace bolide::text
