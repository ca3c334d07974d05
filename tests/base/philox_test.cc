#include "base/philox.h"

#include <gtest/gtest.h>

namespace bolide {
namespace {

// Known answers of the Random123 distribution for philox4x32-10.
TEST(Philox, GivesThePublishedKnownAnswers) {
  EXPECT_EQ(philox4x32(0, {0, 0, 0, 0}), (std::array<u32, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32(0xffffffffffffffff, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (std::array<u32, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

}  // namespace
}  // namespace bolide
