#include "app/chat_progress.h"

#include <gtest/gtest.h>

namespace bolide::app {
namespace {

TEST(PrefillBar, ShowsThePartAndTheRest) {
  EXPECT_EQ(prefill_bar(640, 1280, 2.6, 100),
            "reading the prompt [===============               ] 640 of 1,280 tokens, 3 s left");
  EXPECT_EQ(prefill_bar(1280, 1280, 0, 100),
            "reading the prompt [==============================] 1,280 of 1,280 tokens, 0 s left");
  EXPECT_TRUE(prefill_bar(1, 9'000'000, 7200, 200).ends_with("120 min left"));
}

TEST(PrefillBar, TheBarFitsTheWindow) {
  EXPECT_EQ(prefill_bar(640, 1280, 3, 62), "reading the prompt [=====     ] 640 of 1,280 tokens, 3 s left");
  EXPECT_EQ(prefill_bar(640, 1280, 3, 50), "640 of 1,280 tokens, 3 s left");
}

TEST(PrefillBar, NeverFillsARow) {
  for (const std::size_t columns : {0, 1, 2, 40, 72}) {
    EXPECT_LE(prefill_bar(640, 1280, 3, columns).size(), columns > 0 ? columns - 1 : 0);
  }
}

}  // namespace
}  // namespace bolide::app
