#include "engram/make_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engram/numpy_random.h"

namespace bolide::engram {
namespace {

using testing::ElementsAre;

// The official constants are those of spec model.md 3.2, for 99,092 compressed ids and primes searched from 16,000,000.
TEST(EngramConstants, OfficialMultipliersFollowFromTheirRule) {
  EXPECT_THAT(table_multipliers(1, 99092, 4),
              ElementsAre(76632096046245, 4839876093313, 35959672319349, 73987337458391));
  EXPECT_THAT(table_multipliers(14, 99092, 4),
              ElementsAre(67716810739261, 51510806800915, 30921347202721, 82619226485591));
}

TEST(EngramConstants, MultipliersOfNanoFollowFromTheirRule) {
  EXPECT_THAT(table_multipliers(1, 5615, 4),
              ElementsAre(1352382486449621, 85412823123531, 634606562683697, 1305708502836513));
  EXPECT_THAT(table_multipliers(3, 5615, 4),
              ElementsAre(485788621661507, 1441100183873715, 191970784974383, 1240581434797879));
}

TEST(EngramConstants, OfficialPrimesFollowFromTheirRule) {
  const auto tables = table_primes(16000000, 2, 24);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_THAT(tables[0], ElementsAre(16000057, 16000079, 16000081, 16000097, 16000121, 16000129, 16000133, 16000183,
                                     16000189, 16000207, 16000211, 16000253, 16000277, 16000289, 16000307, 16000321,
                                     16000339, 16000381, 16000393, 16000399, 16000403, 16000409, 16000447, 16000463));
  EXPECT_EQ(tables[1].front(), 16000477U);
  EXPECT_EQ(tables[1].back(), 16000889U);
}

TEST(EngramConstants, PrimesBeginAtTheStartItself) {
  EXPECT_THAT(table_primes(2003, 1, 2).front(), ElementsAre(2003, 2011));
  EXPECT_THAT(table_primes(0, 1, 4).front(), ElementsAre(2, 3, 5, 7));
}

TEST(EngramConstants, DocumentReadsBackAsTheConstantsItWasMadeOf) {
  EngramShape shape{.vocab_size = 5, .pad_id = 2, .max_ngram = 3, .n_heads = 2, .head_dim = 32, .layer_ids = {1, 3}};
  const EngramConstants made = make_constants(shape, {{0, 1, 2, 1, 0}, 3}, 100);
  shape.compressed_vocab_size = made.compressed_vocab_size;
  for (const TableConstants& table : made.tables) shape.rows.push_back(table.rows);
  const Result<EngramConstants> read = parse_engram_constants(engram_json(made, shape), "made", shape);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->token_map, made.token_map);
  EXPECT_EQ(read->compressed_pad_id, 2U);
  ASSERT_EQ(read->tables.size(), 2U);
  EXPECT_THAT(read->tables[0].primes, ElementsAre(101, 103, 107, 109));
  EXPECT_THAT(read->tables[0].first_rows, ElementsAre(0, 101, 204, 311));
  EXPECT_EQ(read->tables[0].rows, 420U);
  EXPECT_THAT(read->tables[1].primes, ElementsAre(113, 127, 131, 137));
  EXPECT_EQ(read->tables[1].multipliers, made.tables[1].multipliers);
}

}  // namespace
}  // namespace bolide::engram
