#include "base/processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bolide {
namespace {

using ::testing::HasSubstr;

TEST(Processor, OneThatRunsTheTestsLacksNothing) {
  EXPECT_EQ(missing_extensions(), "");
  EXPECT_TRUE(check_processor().ok());
}

TEST(Processor, AMissingExtensionIsAnErrorThatNamesIt) {
  const Status status = check_processor("FMA, F16C");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("lacks FMA, F16C;"));
}

}  // namespace
}  // namespace bolide
