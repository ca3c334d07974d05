#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/engine.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

const std::string kShort = kNanoGoldens + "short.json";

boost::json::object eval_json(const std::vector<std::string>& more, std::string_view input = "") {
  std::vector<std::string> arguments = {"eval", "--model", kNanoFolder, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProgramResult result = run_program(arguments, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Result<boost::json::value> parsed = parse_json(result.out, "output");
  EXPECT_TRUE(parsed.ok()) << result.out;
  return parsed->as_object();
}

// Negative log likelihood of `ids`, written differently from the program's.
double mean_nll(const std::vector<u32>& ids) {
  double sum = 0;
  const std::unique_ptr<engine::Engine> engine = open_nano();
  const Status status = engine->evaluate(ids, 0, [&](u64 position, std::span<const float> logits) {
    if (position + 1 == ids.size()) return true;
    double relative = 0;
    for (const float logit : logits) relative += std::exp(double{logit} - double{logits[ids[position + 1]]});
    sum += std::log(relative);
    return true;
  });
  EXPECT_TRUE(status.ok());
  return sum / static_cast<double>(ids.size() - 1);
}

TEST(Eval, PerplexityOfIdsIsThatOfTheEnginesLogits) {
  const boost::json::object report = eval_json({"--ids", kShort});
  EXPECT_EQ(report.at("tokens").as_int64(), 6);
  EXPECT_EQ(report.at("predictions").as_int64(), 5);
  const boost::json::object& first = report.at("first").as_object();
  const double nll = mean_nll(golden_prompt("short"));
  EXPECT_NEAR(first.at("mean_nll").as_double(), nll, 1e-9);
  EXPECT_NEAR(first.at("perplexity").as_double(), std::exp(nll), 1e-6);
  EXPECT_EQ(report.find("comparison"), report.end());
}

TEST(Eval, ATextGetsAStartTokenAndItsControlTokensArePlainText) {
  const std::string text = "The <think> tag.";
  const std::unique_ptr<engine::Engine> engine = open_nano();
  std::vector<u32> ids = {engine->config().bos_token_id};
  for (const u32 id : engine->tokenizer().encode(text, text::AddedTokens::kIgnore)) ids.push_back(id);
  const boost::json::object report = eval_json({"--text", "-"}, text);
  EXPECT_EQ(report.at("tokens").as_int64(), static_cast<i64>(ids.size()));
  EXPECT_NEAR(report.at("first").at("mean_nll").as_double(), mean_nll(ids), 1e-9);
}

TEST(Eval, AnArithmeticDoesNotDifferFromItself) {
  const boost::json::object report = eval_json({"--ids", kShort, "--arithmetic", "ref", "--against", "ref"});
  const boost::json::object& comparison = report.at("comparison").as_object();
  EXPECT_EQ(comparison.at("mean_kl").as_double(), 0.0);
  EXPECT_EQ(comparison.at("positions").as_int64(), 6);
  EXPECT_EQ(comparison.at("top1_agreeing").as_int64(), 6);
  EXPECT_EQ(report.at("first"), report.at("second"));
}

// Bounds of the same kind as REF's against its goldens (docs/fidelity.md); a mistake shows ten times larger.
TEST(Eval, ArithmeticsStayCloseToPlain) {
  for (const std::string arithmetic : {"a1", "ref"}) {
    const boost::json::object report = eval_json({"--ids", kShort, "--arithmetic", "plain", "--against", arithmetic});
    const boost::json::object& comparison = report.at("comparison").as_object();
    const double mean = comparison.at("mean_kl").as_double();
    EXPECT_GT(mean, 0.0) << arithmetic;
    EXPECT_LT(mean, 7e-3) << arithmetic;
    EXPECT_GE(comparison.at("max_kl").as_double(), mean) << arithmetic;
    EXPECT_EQ(comparison.at("clear_top1_agreeing"), comparison.at("clear_positions")) << arithmetic;
  }
}

TEST(Eval, TheDirectionIsFirstAgainstSecond) {
  const auto mean_kl = [](const std::string& first, const std::string& second) {
    return eval_json({"--ids", kShort, "--arithmetic", first, "--against", second})
        .at("comparison")
        .at("mean_kl")
        .as_double();
  };
  const double plain_a1 = mean_kl("plain", "a1");
  EXPECT_EQ(mean_kl("plain", "a1"), plain_a1);
  EXPECT_NE(mean_kl("a1", "plain"), plain_a1);
}

TEST(Eval, AConvertedModelEqualsItsCheckpoint) {
  const TempFolder folder;
  const std::string packed = folder.file("nano.bolide");
  ASSERT_EQ(run_program({"convert", kNanoFolder, packed}).exit_code, 0);
  const boost::json::object report = eval_json({"--ids", kShort, "--model2", packed});
  EXPECT_EQ(report.at("second").at("model").as_string(), packed);
  EXPECT_EQ(report.at("comparison").at("max_kl").as_double(), 0.0);
}

TEST(Eval, TheTableNamesDirectionAndMargin) {
  const ProgramResult result = run_program({"eval", "--model", kNanoFolder, "--ids", kShort, "--against", "plain"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("A1 +[0-9.]+ +[0-9.]+\n"));
  EXPECT_THAT(result.out, HasSubstr("mean KL(first || second)"));
  EXPECT_THAT(result.out, HasSubstr("margin is above 0.5"));
}

TEST(Eval, OneTokenPredictsNothing) {
  const ProgramResult result = run_program({"eval", "--model", kNanoFolder, "--ids", "-"}, "[5]");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("at least two tokens"));
}

// Both engines must be let go where one of them fails.
TEST(Eval, AFailureOfTheSecondModelIsReported) {
  const ProgramResult result =
      run_program({"eval", "--model", kNanoFolder, "--ids", kShort, "--model2", "/no/such/model"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("/no/such/model"));
}

}  // namespace
}  // namespace bolide::test
