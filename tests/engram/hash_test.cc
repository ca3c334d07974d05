#include "engram/hash.h"

#include <gmock/gmock.h>

namespace bolide::engram {
namespace {

using testing::ElementsAre;

// The big model's constants (spec model.md 3.2).
TableConstants table(std::vector<u64> multipliers, std::vector<u64> primes) {
  TableConstants constants{std::move(multipliers), std::move(primes), {}, 0};
  for (const u64 prime : constants.primes) {
    constants.first_rows.push_back(constants.rows);
    constants.rows += prime;
  }
  return constants;
}
TableConstants layer_1() {
  return table({76632096046245, 4839876093313, 35959672319349, 73987337458391},
               {16000057, 16000079, 16000081, 16000097, 16000121, 16000129, 16000133, 16000183,
                16000189, 16000207, 16000211, 16000253, 16000277, 16000289, 16000307, 16000321,
                16000339, 16000381, 16000393, 16000399, 16000403, 16000409, 16000447, 16000463});
}
TableConstants layer_14() {
  return table({67716810739261, 51510806800915, 30921347202721, 82619226485591},
               {16000477, 16000487, 16000499, 16000507, 16000511, 16000573, 16000609, 16000627,
                16000667, 16000669, 16000693, 16000697, 16000711, 16000729, 16000759, 16000769,
                16000781, 16000799, 16000813, 16000819, 16000841, 16000877, 16000879, 16000889});
}

// A map of five tokens: token t has the compressed id 10 * t.
EngramConstants five_tokens() {
  EngramConstants constants;
  constants.token_map = {0, 10, 20, 30, 40};
  constants.compressed_vocab_size = 41;
  constants.pad_id = 2;
  constants.compressed_pad_id = 20;
  return constants;
}
constexpr u32 kImage = 4;

TEST(EngramHash, TablesOfTheBigModelHaveTheConfiguredRows) {
  EXPECT_EQ(layer_1().rows, 384006168);
  EXPECT_EQ(layer_14().rows, 384016682);
}

// The vectors of spec model.md 8.
TEST(EngramHash, GivesTheSpecifiedRowsOfAFirstToken) {
  EXPECT_THAT(row_numbers(layer_1(), std::vector<u32>{0, 2, 2, 2}),
              ElementsAre(5702652, 24393184, 39183301, 61503783, 78984481, 90144770, 103724983, 121476532, 131476717,
                          152385926, 164143652, 191599181, 198145581, 217419202, 238329687, 247482304, 257520185,
                          283540304, 288689443, 315264704, 322314652, 348890037, 367865216, 380066193));
  EXPECT_THAT(row_numbers(layer_14(), std::vector<u32>{0, 2, 2, 2}),
              ElementsAre(14361964, 29977809, 32716444, 61209771, 67456205, 84275051, 108494439, 120604547, 132225184,
                          150270452, 174805952, 178895254, 193207923, 211610196, 226280582, 252505246, 261362261,
                          279862797, 301364059, 312864848, 328367036, 349372619, 363873742, 372375971));
}

TEST(EngramHash, GivesTheSpecifiedRowsOfAWholeNgram) {
  EXPECT_THAT(row_numbers(layer_1(), std::vector<u32>{99091, 174, 35, 0}),
              ElementsAre(4917917, 28571042, 36508848, 60554221, 69099093, 90208027, 102186350, 116004992, 134050058,
                          151018382, 162733275, 191055299, 197088800, 220921989, 232691392, 240913791, 270859507,
                          282157694, 300038426, 312182822, 321465762, 337170186, 358231148, 382625456));
}

TEST(EngramHistory, IsNewestFirstAndBlockedBeforeTheStart) {
  const std::vector<u32> tokens = {3, 1};
  const std::vector<i32> history = compressed_history(five_tokens(), tokens, 4, kImage);
  EXPECT_THAT(history, ElementsAre(10, 30, kBlocked, kBlocked));
  EXPECT_THAT(ngram(five_tokens(), history), ElementsAre(10, 30, 20, 20));
}

TEST(EngramHistory, NothingIsSeenThroughAnImageToken) {
  const std::vector<u32> tokens = {3, 1, kImage, 1};
  const std::vector<i32> history = compressed_history(five_tokens(), tokens, 4, kImage);
  EXPECT_THAT(history, ElementsAre(10, kBlocked, 10, 30));
  EXPECT_THAT(ngram(five_tokens(), history), ElementsAre(10, 20, 20, 20));
}

TEST(EngramHistory, HoldsNoMoreThanWasAskedFor) {
  const std::vector<u32> tokens = {3, 3, 3, 1, 0};
  EXPECT_THAT(compressed_history(five_tokens(), tokens, 3, kImage), ElementsAre(0, 10, 30));
}

}  // namespace
}  // namespace bolide::engram
