#include "convert/synth_tokenizer.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "base/check.h"
#include "text/byte_alphabet.h"

namespace bolide::convert {
namespace {

using boost::json::array;
using boost::json::object;

// spec model.md 6. The first three stand at the bottom of the vocabulary, the others at its top.
constexpr std::string_view kFirstControls[] = {"<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"};
constexpr std::string_view kLastControls[] = {"<｜System｜>",
                                              "<｜fim▁hole｜>",
                                              "<｜fim▁begin｜>",
                                              "<｜fim▁end｜>",
                                              "<｜User｜>",
                                              "<｜Assistant｜>",
                                              "<|EOT|>",
                                              "<｜tool▁calls▁begin｜>",
                                              "<｜tool▁calls▁end｜>",
                                              "<｜tool▁call▁begin｜>",
                                              "<｜tool▁call▁end｜>",
                                              "<｜tool▁outputs▁begin｜>",
                                              "<｜tool▁outputs▁end｜>",
                                              "<｜tool▁output▁begin｜>",
                                              "<｜tool▁output▁end｜>",
                                              "<｜tool▁sep｜>",
                                              "<think>",
                                              "</think>",
                                              "｜DSML｜",
                                              "<｜begin▁sys｜>",
                                              "<｜end▁sys｜>",
                                              "<｜latest_reminder｜>",
                                              "<｜action｜>",
                                              "<｜query｜>",
                                              "<｜authority｜>",
                                              "<｜domain｜>",
                                              "<｜task｜>",
                                              "<｜political｜>",
                                              "<｜entity｜>",
                                              "<｜title｜>",
                                              "<｜safety｜>",
                                              "<｜answer｜>",
                                              "<｜search｜>",
                                              "<｜search▁begin｜>",
                                              "<｜search▁end｜>",
                                              "<｜extracted_url｜>",
                                              "<｜read_url｜>",
                                              "<｜end_of_query｜>",
                                              "<｜rl_image_pad｜>",
                                              "<｜rl_image_start｜>",
                                              "<｜deepseek_image｜>"};
constexpr std::string_view kSpecial[] = {"<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>",
                                         "<｜end_of_query｜>",      "<｜rl_image_pad｜>",    "<｜rl_image_start｜>"};

// The official splits, as tokenizer.json spells them.
constexpr std::string_view kPatterns[] = {
    R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)"};

// The words come in fours, of which the first two are one to the Engram (they differ in their outer space), so that the
// token map compresses as the official one does: to about three quarters.
std::string word(u32 i) {
  constexpr std::array<std::string_view, 4> kForms = {"w", "Ġw", "x", "y"};
  return fmt::format("{}{}", kForms[i % 4], i / 4);
}

object pre_tokenizer() {
  array steps;
  for (const std::string_view pattern : kPatterns) {
    steps.push_back(object{
        {"type", "Split"}, {"pattern", object{{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}});
  }
  steps.push_back(
      object{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}});
  return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

object byte_level() {
  return {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}};
}

class Vocabulary {
 public:
  void add_base(std::string_view token) { base_[token] = next_++; }
  void add_control(std::string_view token) {
    added_.push_back(object{{"id", next_++},
                            {"content", token},
                            {"single_word", false},
                            {"lstrip", false},
                            {"rstrip", false},
                            {"normalized", false},
                            {"special", std::ranges::find(kSpecial, token) != std::end(kSpecial)}});
  }
  u32 size() const { return next_; }

  // The finished tokenizer.json.
  std::string json() {
    const object model = {{"type", "BPE"},
                          {"dropout", nullptr},
                          {"unk_token", nullptr},
                          {"continuing_subword_prefix", nullptr},
                          {"end_of_word_suffix", nullptr},
                          {"fuse_unk", false},
                          {"byte_fallback", false},
                          {"ignore_merges", false},
                          {"vocab", std::move(base_)},
                          {"merges", array()}};
    return boost::json::serialize(object{{"version", "1.0"},
                                         {"truncation", nullptr},
                                         {"padding", nullptr},
                                         {"added_tokens", std::move(added_)},
                                         {"normalizer", nullptr},
                                         {"pre_tokenizer", pre_tokenizer()},
                                         {"post_processor", nullptr},
                                         {"decoder", byte_level()},
                                         {"model", model}});
  }

 private:
  object base_;
  array added_;
  u32 next_ = 0;
};

}  // namespace

SynthTokenizer synth_tokenizer(u32 vocab_size) {
  check(vocab_size >= 512, "a synthetic vocabulary has room for bytes and control tokens");
  const u32 first_control = vocab_size - static_cast<u32>(std::size(kLastControls));
  Vocabulary vocabulary;
  for (const std::string_view token : kFirstControls) vocabulary.add_control(token);
  for (const std::string& character : text::byte_characters()) vocabulary.add_base(character);
  for (u32 i = 0; vocabulary.size() < first_control; ++i) vocabulary.add_base(word(i));
  for (const std::string_view token : kLastControls) vocabulary.add_control(token);
  return {.json = vocabulary.json(), .noise_token_id = first_control, .image_token_id = vocab_size - 1};
}

}  // namespace bolide::convert
