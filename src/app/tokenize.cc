// `bolide tokenize`: text to token ids and back.
#include <CLI/App.hpp>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/model_tokenizer.h"
#include "app/standard_streams.h"
#include "app/token_ids.h"

namespace bolide::app {
namespace {

struct TokenizeOptions {
  std::string model;
  bool decode = false;
  bool literal = false;
};

constexpr u64 kLimitBytes = u64{1} << 30;

int decode_stdin(const text::Tokenizer& tokenizer) {
  const Result<std::vector<u32>> ids = read_token_ids("-", tokenizer.vocab_size());
  if (!ids) return report_failure(ids.error());
  print_out(tokenizer.decode(*ids));
  return kGood;
}

int tokenize(const TokenizeOptions& options) {
  const Result<text::Tokenizer> tokenizer = open_tokenizer(options.model);
  if (!tokenizer) return report_failure(tokenizer.error());
  if (options.decode) return decode_stdin(*tokenizer);
  const Result<std::string> text = read_stdin(kLimitBytes);
  if (!text) return report_failure(text.error());
  const auto added_tokens = options.literal ? text::AddedTokens::kIgnore : text::AddedTokens::kMatch;
  print_out(format_token_ids(tokenizer->encode(*text, added_tokens)) + "\n");
  return kGood;
}

}  // namespace

void add_tokenize(CLI::App& program, Action& action) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* command = program.add_subcommand("tokenize", "Turn text into token ids, and back");
  command->footer(
      "The text comes from stdin. No start token is added.\n"
      "Example: echo -n \"Good morning\" | bolide tokenize");
  add_model_option(*command, options->model);
  CLI::Option* decode =
      command->add_flag("--decode", options->decode, "The other way: a JSON array of ids on stdin, text on stdout");
  command
      ->add_flag("--literal", options->literal,
                 "Take control tokens such as <think> in the text for the plain characters they are written with")
      ->excludes(decode);
  command->callback([options, &action] { action = [options] { return tokenize(*options); }; });
}

}  // namespace bolide::app
