#include "base/sha256.h"

#include <gtest/gtest.h>

namespace bolide {
namespace {

TEST(Sha256, GivesThePublishedDigestOfAbc) {
  EXPECT_EQ(to_hex(sha256(as_bytes("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  Sha256 hash;
  hash.update("a");
  hash.update("bc");
  EXPECT_EQ(hash.finish(), sha256(as_bytes("abc")));
}

}  // namespace
}  // namespace bolide
