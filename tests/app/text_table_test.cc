#include "app/text_table.h"

#include <gtest/gtest.h>

namespace bolide::app {
namespace {

TEST(TextTable, AlignsTextLeftAndNumbersRight) {
  TextTable table("lr", {"class", "bytes"});
  table.row({"head", "1"});
  table.row({"attention", "1,000"});
  table.rule();
  table.row({"", "1,001"});
  EXPECT_EQ(table.str(),
            "  class      bytes\n"
            "  ---------  -----\n"
            "  head           1\n"
            "  attention  1,000\n"
            "  ---------  -----\n"
            "             1,001\n");
}

TEST(TextTable, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(123456), "123,456");
  EXPECT_EQ(grouped(12345678901), "12,345,678,901");
}

TEST(TextTable, BytesForReading) {
  EXPECT_EQ(readable_bytes(528), "528 bytes");
  EXPECT_EQ(readable_bytes(37'015'584), "37.0 MB");
  EXPECT_EQ(readable_bytes(13'040'000'000), "13.04 GB");
}

TEST(TextTable, PercentagesOfNothing) {
  EXPECT_EQ(percentage(1, 3), "33.3 %");
  EXPECT_EQ(percentage(0, 0), "-");
}

}  // namespace
}  // namespace bolide::app
