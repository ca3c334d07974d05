// What every command promises: exit codes, where output goes, errors that say what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/token_ids.h"
#include "support/nano.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Usage, WithoutACommandTheHelpIsShownAsWrongUsage) {
  const ProgramResult result = run_program({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("Usage: bolide"));
}

TEST(Usage, HelpListsEveryCommandAndShowsExamples) {
  const ProgramResult result = run_program({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  for (const char* command : {"run", "inspect", "tokenize", "logits", "hash", "eval", "convert", "selftest"})
    EXPECT_THAT(result.out, HasSubstr("\n  " + std::string(command) + " ")) << command;
  EXPECT_THAT(result.out, AllOf(HasSubstr("bolide run -p \"What is"), HasSubstr("bolide inspect models/nano"),
                                HasSubstr("| bolide tokenize")));
}

TEST(Usage, EveryCommandExplainsItself) {
  for (const char* command : {"run", "inspect", "tokenize", "logits", "hash", "eval", "convert", "selftest"}) {
    const ProgramResult result = run_program({command, "--help"});
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_THAT(result.out, HasSubstr("Usage: bolide " + std::string(command))) << command;
    EXPECT_THAT(result.out, HasSubstr("bolide " + std::string(command) + " ")) << command;
  }
}

TEST(Usage, VersionIsOneLine) {
  const ProgramResult result = run_program({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("bolide 0."));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
}

// A wrong command line ends with code 2, one sentence, and where to look; nothing on stdout.
void expect_wrong_usage(const std::vector<std::string>& arguments, const std::string& problem,
                        const std::string& help) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.exit_code, 2) << problem;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, AllOf(StartsWith("bolide: "), HasSubstr(problem), HasSubstr("See: " + help + "\n")));
}

TEST(Usage, WrongCommandLinesAreNamed) {
  expect_wrong_usage({"frobnicate"}, "no command frobnicate", "bolide --help");
  expect_wrong_usage({"--frobnicate"}, "--frobnicate", "bolide --help");
  expect_wrong_usage({"hash"}, "--ids", "bolide hash --help");
  expect_wrong_usage({"hash", "--ids", "a", "--frobnicate"}, "--frobnicate", "bolide hash --help");
  expect_wrong_usage({"logits", "--ids", "a", "--last", "-1"}, "--last: -1", "bolide logits --help");
  expect_wrong_usage({"logits", "--ids", "a", "--last", "0"}, "--last: 0", "bolide logits --help");
  expect_wrong_usage({"logits", "--ids", "a", "--arithmetic", "a2"}, "no arithmetic a2; there are a1",
                     "bolide logits --help");
  expect_wrong_usage({"hash", "--ids", "a", "--backend", "cuda"}, "no backend cuda in this build; available: oracle",
                     "bolide hash --help");
  expect_wrong_usage({"eval"}, "[--text,--ids] is required", "bolide eval --help");
  expect_wrong_usage({"eval", "--ids", "a", "--text", "b"}, "[--text,--ids]", "bolide eval --help");
  expect_wrong_usage({"eval", "--ids", "a", "--model2", "b", "--against", "ref"}, "excludes", "bolide eval --help");
  expect_wrong_usage({"selftest", "--manifest", "a"}, "--ids", "bolide selftest --help");
}

TEST(Usage, OptionsThatWouldBeIgnoredAreRefused) {
  expect_wrong_usage({"run", "--raw", "-p", "a", "--think", "5"}, "excludes", "bolide run --help");
  expect_wrong_usage({"run", "--ids", "a", "--think", "5"}, "excludes", "bolide run --help");
  expect_wrong_usage({"run", "-p", "a", "--seed", "18446744073709551616"}, "--seed: 18446744073709551616",
                     "bolide run --help");
  expect_wrong_usage({"run", "-p", "a", "--temp", "101"}, "from 0 to 100", "bolide run --help");
  expect_wrong_usage({"synth", "--shape", "ci", "a", "--threads", "0"}, "--threads: 0", "bolide synth --help");
}

TEST(Usage, OptionsOfLaterVersionsAreNotAcceptedSilently) {
  expect_wrong_usage({"inspect", "--plan", "--backend", "cpu"}, "--backend", "bolide inspect --help");
}

TEST(Usage, OptionsOfConvertThatContradictEachOtherAreNamed) {
  const std::string help = "bolide convert --help";
  expect_wrong_usage({"convert", "a", "b", "--to", "zip"}, "--to", help);
  expect_wrong_usage({"convert", "a", "b", "--consume"}, "--consume belongs to the folder", help);
  expect_wrong_usage({"convert", "a", "b", "--only-draft", "--no-draft"}, "leave nothing", help);
  expect_wrong_usage({"convert", "a.gguf", "b", "--only-draft"}, "--only-draft takes", help);
  expect_wrong_usage({"convert", "a", "b.gguf", "--engram-from", "c"}, "--engram-from belongs to", help);
  expect_wrong_usage({"convert", "a", "b.gguf", "--recipe", "q2"}, "--recipe", help);
  expect_wrong_usage({"convert", "a", "b", "--recipe", "mxfp4"}, "--recipe belongs to --to gguf", help);
  expect_wrong_usage({"convert", "a", "b", "--draft-model", "c"}, "--draft-model belongs to a GGUF", help);
  expect_wrong_usage({"convert", "a.gguf", "b.gguf"}, "a GGUF is converted to a packed file only", help);
}

TEST(Usage, AMissingModelIsNamed) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"tokenize", "--model", "/no/such/model"},
                                                  {"inspect", "/no/such/model"},
                                                  {"hash", "--ids", "-", "--model", "/no/such/model"},
                                                  {"selftest", "--model", "/no/such/model"}}) {
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_code, 1) << command[0];
    EXPECT_THAT(result.out, IsEmpty()) << command[0];
    EXPECT_THAT(result.err, StartsWith("bolide: /no/such/model: there is no such file or folder")) << command[0];
  }
}

TEST(Usage, AFolderWithoutAModelIsNamed) {
  const TempFolder folder;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tokenize", "--model", folder.path()},
        {"inspect", folder.path()},
        {"run", "-p", "a", "--model", folder.path()},
        {"run", "-p", "a", "--arithmetic", "ref", "--model", folder.path()}}) {
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_code, 1) << command[0];
    EXPECT_THAT(result.err, StartsWith("bolide: " + folder.path() + ": this folder has no model in it")) << command[0];
  }
}

TEST(Usage, EmptyAndCutJsonIsNamed) {
  const TempFolder folder;
  folder.write("empty", "");
  folder.write("cut", "[1, 2");
  EXPECT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const auto problem = [&](const char* name) {
    return run_program({"hash", "--model", kNanoFolder, "--ids", folder.file(name)}).err;
  };
  EXPECT_THAT(problem("empty"), HasSubstr("empty: is empty, but JSON is wanted"));
  EXPECT_THAT(problem("cut"), HasSubstr("cut: not valid JSON: it ends in the middle"));
  EXPECT_THAT(problem("pipe"), HasSubstr("pipe: not a regular file"));
}

TEST(Usage, AWrongListOfIdsIsNamedByIndexAndValue) {
  const TempFolder folder;
  const auto hash_of = [&](std::string_view ids) {
    folder.write("ids.json", ids);
    const ProgramResult result = run_program({"hash", "--model", kNanoFolder, "--ids", folder.file("ids.json")});
    EXPECT_EQ(result.exit_code, 1) << ids;
    EXPECT_THAT(result.out, IsEmpty()) << ids;
    return result.err;
  };
  EXPECT_THAT(hash_of("[1, 8192]"), HasSubstr("ids.json: entry 1 is 8192, but a token id of this model is a whole "
                                              "number from 0 to 8191"));
  EXPECT_THAT(hash_of("[1, 2, -3]"), HasSubstr("entry 2 is -3"));
  EXPECT_THAT(hash_of("[1.5]"), HasSubstr("entry 0 is 1.5"));
  EXPECT_THAT(hash_of("[\"1\"]"), HasSubstr("entry 0 is \"1\""));
  EXPECT_THAT(hash_of("{\"tokens\": [1]}"), HasSubstr("a JSON array of token ids is wanted"));
  EXPECT_THAT(hash_of("[1, 2"), HasSubstr("ids.json"));
  EXPECT_THAT(hash_of("[]"), HasSubstr("at least one token"));
}

TEST(Usage, IdsAlsoComeFromStdinAndFromAnObject) {
  const std::string golden = kNanoGoldens + "short.json";
  const ProgramResult from_object = run_program({"hash", "--model", kNanoFolder, "--ids", golden});
  ASSERT_EQ(from_object.exit_code, 0) << from_object.err;
  const ProgramResult from_stdin =
      run_program({"hash", "--model", kNanoFolder, "--ids", "-"}, app::format_token_ids(golden_prompt("short")));
  EXPECT_EQ(from_stdin.out, from_object.out);
}

TEST(Usage, OutputThatCannotBeWrittenIsAFailure) {
  const TempFolder folder;
  const std::string err = folder.file("err");
  EXPECT_EQ(run_shell("echo hi | \"$BOLIDE\" tokenize >/dev/full 2>" + err), 1);
  EXPECT_THAT(read_whole_file(err), HasSubstr("could not be written to stdout: No space left"));
  for (const char* command : {"--version", "--help", "run --help"}) {
    EXPECT_EQ(run_shell(std::string("\"$BOLIDE\" ") + command + " >/dev/full 2>" + err), 1) << command;
  }
  EXPECT_EQ(run_shell("echo hi | \"$BOLIDE\" tokenize >&- 2>" + err), 1);
  EXPECT_THAT(read_whole_file(err), HasSubstr("could not be written to stdout"));
}

// The reader knows that it went away; a signal's exit code would look like a crash.
TEST(Usage, AReaderThatGoesAwayEndsTheProgramQuietly) {
  const TempFolder folder;
  const std::string line = "{ \"$BOLIDE\" logits --model '" + kNanoFolder + "' --ids '" + kNanoGoldens +
                           "short.json' --last 6 2>" + folder.file("err") + "; echo $? >" + folder.file("code") +
                           "; } | head -c 1 >/dev/null";
  EXPECT_EQ(run_shell(line), 0);
  EXPECT_EQ(read_whole_file(folder.file("code")), "1\n");
  EXPECT_THAT(read_whole_file(folder.file("err")), IsEmpty());
}

TEST(Usage, AFileOpenedLaterDoesNotTakeThePlaceOfAClosedStdout) {
  const TempFolder folder;
  const std::string packed = folder.file("nano.bolide");
  EXPECT_EQ(run_shell("\"$BOLIDE\" convert '" + kNanoFolder + "' " + packed + " >&- 2>/dev/null"), 1);
  const ProgramResult result = run_program({"hash", "--model", packed, "--ids", kNanoGoldens + "short.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace bolide::test
