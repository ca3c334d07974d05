// `bolide run` with one question: the program itself on the nano model.
#include <fcntl.h>
#include <gmock/gmock.h>

#include "app/token_ids.h"
#include "model/selection.h"
#include "support/engine.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "text/chat.h"

namespace bolide::app {
namespace {

using test::ProgramResult;
using test::run_program;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ProgramResult run(std::vector<std::string> arguments, std::string_view stdin_text = {}) {
  arguments.insert(arguments.begin(), {"run", "--model", test::kNanoFolder});
  return run_program(arguments, stdin_text);
}

std::vector<u32> parse_ids(const std::string& json) {
  Result<boost::json::value> value = parse_json(json, "the program's output");
  EXPECT_TRUE(value.ok()) << json;
  return value.ok() ? test::ids_of(*value) : std::vector<u32>();
}

const std::string kNorway = "What is the capital of Norway?";

TEST(RunOnce, PrintsOnlyTheAnswer) {
  const ProgramResult result = run({"-p", kNorway, "--temp", "0"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "The capital of Norway is Oslo.\n");
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(RunOnce, TakesTheQuestionFromStdinWithOrWithoutAFinalLineEnd) {
  const std::string from_option = run({"-p", kNorway, "--temp", "0"}).out;
  for (const char* end : {"", "\n", "\r\n"}) {
    const ProgramResult result = run({"--temp", "0"}, kNorway + end);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, from_option);
  }
}

TEST(RunOnce, AnEmptyOrClosedStdinEndsAtOnceAndWell) {  // pitfalls B55
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ::close(pipe[1]);
  const std::vector<std::string> arguments = {"run", "--model", test::kNanoFolder};
  for (const ProgramResult& result : {run({}), run({}, "\n"), run_program(arguments, pipe[0])}) {
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr("stdin is empty"));
  }
}

TEST(RunOnce, DoesNotReadStdinWithAPrompt) {
  std::array<int, 2> pipe{};  // never closed by its writer, as under many supervisors
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const ProgramResult result =
      run_program({"run", "--model", test::kNanoFolder, "-p", kNorway, "--temp", "0"}, pipe[0]);
  ::close(pipe[1]);
  EXPECT_THAT(result.out, HasSubstr("Oslo"));
}

TEST(RunOnce, AddsStdinToThePromptWhenAsked) {
  EXPECT_EQ(run({"--stdin", "-p", "My name is Kim.", "--print-ids", "-n", "8", "--temp", "0"}, "Who am I?\n").out,
            run({"-p", "My name is Kim.\n\nWho am I?", "--print-ids", "-n", "8", "--temp", "0"}).out);
}

TEST(RunOnce, NewIdsAreTheArgmaxAfterEveryPosition) {
  const ProgramResult result =
      run({"--ids", test::kNanoGoldens + "short.json", "-n", "32", "--temp", "0", "--print-ids"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<u32> new_ids = parse_ids(result.out);
  ASSERT_FALSE(new_ids.empty());
  std::vector<u32> ids = test::golden_prompt("short");
  const u64 first = ids.size() - 1;
  ids.insert(ids.end(), new_ids.begin(), new_ids.end());
  const std::unique_ptr<engine::Engine> engine = test::open_nano();
  ASSERT_NE(engine, nullptr);
  const Status status = engine->evaluate(ids, first, [&](u64 position, std::span<const float> logits) {
    if (position + 1 < ids.size()) {
      EXPECT_EQ(ids[position + 1], model::argmax(logits)) << "at " << position;
    }
    return true;
  });
  EXPECT_TRUE(status.ok());
}

TEST(RunOnce, TheEndTokenEndsTheListOfIds) {
  const std::unique_ptr<engine::Engine> engine = test::open_nano();
  ASSERT_NE(engine, nullptr);
  const ProgramResult result = run({"-p", kNorway, "--temp", "0", "--print-ids"});
  const std::vector<u32> ids = parse_ids(result.out);
  ASSERT_FALSE(ids.empty());
  EXPECT_EQ(ids.back(), text::end_token(engine->tokenizer()));
  EXPECT_THAT(engine->tokenizer().decode(ids), HasSubstr("Oslo"));
}

TEST(RunOnce, RawTextIsContinuedAfterTheBeginToken) {
  const std::unique_ptr<engine::Engine> engine = test::open_nano();
  ASSERT_NE(engine, nullptr);
  const test::TempFolder folder;
  std::vector<u32> ids = engine->tokenizer().encode("The package ", text::AddedTokens::kIgnore);
  ids.insert(ids.begin(), 0);
  folder.write("ids.json", format_token_ids(ids));
  const std::vector<std::string> same = {"-n", "12", "--temp", "0", "--print-ids"};
  std::vector<std::string> raw = {"--raw", "-p", "The package "};
  std::vector<std::string> from_ids = {"--ids", folder.file("ids.json")};
  raw.insert(raw.end(), same.begin(), same.end());
  from_ids.insert(from_ids.end(), same.begin(), same.end());
  EXPECT_EQ(run(raw).out, run(from_ids).out);
}

TEST(RunOnce, TheSameSeedGivesTheSameTextAndAnotherOneAnother) {
  const auto sample = [](const char* seed) {
    return run({"--raw", "-p", "The", "-n", "24", "--temp", "1", "--seed", seed}).out;
  };
  const std::string first = sample("1");
  EXPECT_EQ(first, sample("1"));
  EXPECT_NE(first, sample("2"));
}

TEST(RunOnce, EffortZeroAnswersWithoutThinking) {
  const std::unique_ptr<engine::Engine> engine = test::open_nano();
  ASSERT_NE(engine, nullptr);
  const std::vector<u32> ids = parse_ids(run({"-p", kNorway, "--temp", "0", "--think", "0", "--print-ids"}).out);
  EXPECT_THAT(engine->tokenizer().decode(ids), AllOf(HasSubstr("Oslo"), Not(HasSubstr("</think>"))));
}

// pitfalls B33: a budget of thinking ends with the tag, and the answer still comes.
TEST(RunOnce, ABudgetEndsTheThinkingAndTheAnswerFollows) {
  const std::vector<u32> ids = parse_ids(run({"-p", kNorway, "--temp", "0", "--think-budget", "2", "--print-ids"}).out);
  const u32 end_think = parse_ids(run_program({"tokenize", "--model", test::kNanoFolder}, "</think>").out).front();
  ASSERT_GT(ids.size(), 3u);
  EXPECT_EQ(std::find(ids.begin(), ids.end(), end_think) - ids.begin(), 2);
}

TEST(RunOnce, TheAnswerIsJsonByTheSchema) {
  test::TempFolder folder;
  folder.write(
      "schema.json",
      R"({"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}, "sure": {"type": "boolean"}}, "required": ["city", "sure"]})");
  const std::string schema = folder.file("schema.json");
  const ProgramResult result = run({"-p", kNorway, "--temp", "0", "--think", "0", "--schema", schema});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              testing::MatchesRegex("\\{\\s*\"city\": ?\"(Oslo|Rome)\",\\s*\"sure\": ?(true|false)\\s*\\}\n"));
}

TEST(RunOnce, ASchemaThatIsNotSupportedIsRefusedByItsPlace) {
  test::TempFolder folder;
  folder.write("schema.json", R"({"properties": {"a": {"not": {}}}})");
  const std::string schema = folder.file("schema.json");
  const ProgramResult result = run({"-p", kNorway, "--schema", schema});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("/properties/a/not"));
}

TEST(RunOnce, SaysWhyThereIsNoAnswerWhenTheLimitCutsTheThinking) {
  const ProgramResult result = run({"-p", kNorway, "--temp", "0", "-n", "3"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("-n"));
}

TEST(RunOnce, APromptThatDoesNotFitIsRefusedWithBothNumbers) {
  const ProgramResult result = run({"--raw", "-p", "one two three four five six", "--ctx", "4"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, testing::ContainsRegex("has [0-9]+ tokens.* 4"));
}

TEST(RunOnce, WrongUsageEndsWithStatus2AndAHint) {
  const std::vector<std::vector<std::string>> wrong = {{"-p", ""},
                                                       {"-p", "x", "--temp", "-1"},
                                                       {"-p", "x", "--temp", "warm"},
                                                       {"-p", "x", "--top-p", "0"},
                                                       {"-p", "x", "--think", "101"},
                                                       {"-p", "x", "-n", "0"},
                                                       {"-p", "x", "--ids", "ids.json"},
                                                       {"--raw", "-p", "x", "--system", "y"},
                                                       {"--frobnicate"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(result.err, HasSubstr("bolide run --help")) << testing::PrintToString(arguments);
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST(RunOnce, AMissingModelIsAFailure) {
  const ProgramResult result = run_program({"run", "--model", "/nowhere", "-p", "x"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("/nowhere"));
}

TEST(RunOnce, StopsWhenNobodyReadsTheAnswer) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ::close(pipe[0]);
  const ProgramResult result =
      run_program({"run", "--model", test::kNanoFolder, "--raw", "-p", "The package", "--temp", "0"},
                  ::open("/dev/null", O_RDONLY), pipe[1]);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(RunOnce, SaysThatTheAnswerCouldNotBeWritten) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  const ProgramResult result =
      run_program({"run", "--model", test::kNanoFolder, "-p", kNorway}, ::open("/dev/null", O_RDONLY), full);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("could not be written"));
}

}  // namespace
}  // namespace bolide::app
