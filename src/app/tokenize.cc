// `bolide tokenize`: text to token ids and back.
#include <CLI/App.hpp>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/standard_streams.h"
#include "app/token_ids.h"
#include "engine/model_files.h"
#include "formats/gguf_file.h"
#include "formats/packed_file.h"
#include "model/gguf_tokenizer.h"

namespace bolide::app {
namespace {

struct TokenizeOptions {
  std::string model;
  bool decode = false;
  bool literal = false;
};

constexpr u64 kLimitBytes = u64{1} << 30;

// Reads no weights.
Result<text::Tokenizer> open_tokenizer(const std::string& model) {
  const Result<std::string> path = resolve_model(model);
  if (!path) return path.error();
  if (engine::is_gguf(*path)) {
    const Result<formats::GgufFile> file = formats::GgufFile::open(*path);
    if (!file) return file.error();
    const Result<std::string> json = model::gguf_tokenizer_json(*file);
    if (!json) return json.error();
    return text::Tokenizer::from_json(*json, *path + ", tokenizer in its metadata");
  }
  const Result<std::optional<std::string>> packed = engine::find_packed_file(*path);
  if (!packed) return packed.error();
  if (!*packed) return text::Tokenizer::from_file(*path);
  const Result<formats::PackedFile> file = formats::PackedFile::open(**packed);
  if (!file) return file.error();
  return text::Tokenizer::from_json(file->tokenizer_json(), **packed + ", tokenizer.json");
}

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
