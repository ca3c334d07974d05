#include "text/tokenizer_json.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/json.h"
#include "base/mapped_file.h"
#include "text/byte_alphabet.h"
#include "text/tokenizer.h"

namespace bolide::text {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

// nano's file, with most merges left out to make the tests quick.
const json::value& small_file() {
  static const json::value file = [] {
    const std::string path = BOLIDE_SOURCE_DIR "/models/nano/tokenizer.json";
    json::value value = parse_json(read_text_file(path, kMaxTokenizerBytes).value(), path).value();
    json::array& merges = value.get_object()["model"].get_object()["merges"].get_array();
    merges.resize(50, nullptr);
    return value;
  }();
  return file;
}

json::object& model(json::value& file) {
  return file.get_object()["model"].get_object();
}
json::object& vocab(json::value& file) {
  return model(file)["vocab"].get_object();
}
json::array& merges(json::value& file) {
  return model(file)["merges"].get_array();
}
json::object& added(json::value& file, std::size_t i) {
  return file.get_object()["added_tokens"].get_array()[i].get_object();
}
json::object& step(json::value& file, std::size_t i) {
  return file.get_object()["pre_tokenizer"].get_object()["pretokenizers"].get_array()[i].get_object();
}

// The error that a changed file gives; "accepted" if none.
std::string error_after(const std::function<void(json::value&)>& change) {
  json::value file = small_file();
  change(file);
  const auto result = read_tokenizer_json(json::serialize(file), "here.json");
  return result ? "accepted" : result.error().message;
}

TEST(TokenizerJson, TheUnchangedFileIsAccepted) {
  EXPECT_EQ(error_after([](json::value&) {}), "accepted");
}

TEST(TokenizerJson, MergesMayBePairs) {
  const auto pairs = [](json::value& file) {
    for (json::value& merge : merges(file)) {
      const std::string text(merge.get_string());
      const std::size_t space = text.find(' ');
      merge = json::array{text.substr(0, space), text.substr(space + 1)};
    }
  };
  json::value file = small_file();
  pairs(file);
  const auto from_pairs = read_tokenizer_json(json::serialize(file), "pairs").value();
  const auto from_texts = read_tokenizer_json(json::serialize(small_file()), "texts").value();
  for (u32 left = 0; left < 1000; ++left) {
    for (u32 right = 0; right < 1000; ++right) {
      ASSERT_EQ(from_pairs.merges.rank(left, right), from_texts.merges.rank(left, right));
    }
  }
}

TEST(TokenizerJson, LineEndsInThePatternMayBeEscapedOrNot) {
  EXPECT_EQ(error_after([](json::value& file) {
              json::value& regex = step(file, 2)["pattern"].get_object()["Regex"];
              std::string text(regex.get_string());
              for (std::size_t at; (at = text.find("\\r\\n")) != std::string::npos;) text.replace(at, 4, "\r\n");
              regex = text;
            }),
            "accepted");
}

TEST(TokenizerJson, AnEmptyNormalizerSequenceIsNoNormalizer) {
  EXPECT_EQ(error_after([](json::value& file) {
              file.get_object()["normalizer"] = {{"type", "Sequence"}, {"normalizers", json::array{}}};
            }),
            "accepted");
}

struct Refusal {
  const char* name;
  std::function<void(json::value&)> change;
  const char* place;
};

const Refusal kRefusals[] = {
    {"normalizer", [](json::value& f) { f.get_object()["normalizer"] = {{"type", "NFC"}}; }, "normalizer"},
    {"no_pre_tokenizer", [](json::value& f) { f.get_object().erase("pre_tokenizer"); }, "pre_tokenizer"},
    {"metaspace", [](json::value& f) { f.get_object()["pre_tokenizer"] = {{"type", "Metaspace"}}; }, "pre_tokenizer"},
    {"three_steps",
     [](json::value& f) { f.get_object()["pre_tokenizer"].get_object()["pretokenizers"].get_array().resize(3); },
     "pre_tokenizer.pretokenizers"},
    {"digits_one_by_one", [](json::value& f) { step(f, 0)["pattern"] = {{"Regex", "\\p{N}"}}; },
     "pre_tokenizer.pretokenizers[0].pattern"},
    {"pattern_as_text", [](json::value& f) { step(f, 1)["pattern"] = {{"String", "x"}}; },
     "pre_tokenizer.pretokenizers[1].pattern"},
    {"words", [](json::value& f) { step(f, 2)["pattern"] = {{"Regex", "\\w+"}}; },
     "pre_tokenizer.pretokenizers[2].pattern"},
    {"behavior", [](json::value& f) { step(f, 2)["behavior"] = "Removed"; }, "pre_tokenizer.pretokenizers[2].behavior"},
    {"invert", [](json::value& f) { step(f, 0)["invert"] = true; }, "pre_tokenizer.pretokenizers[0].invert"},
    {"prefix_space", [](json::value& f) { step(f, 3)["add_prefix_space"] = true; }, "pre_tokenizer.pretokenizers[3]"},
    {"byte_level_regex", [](json::value& f) { step(f, 3).erase("use_regex"); },
     "pre_tokenizer.pretokenizers[3].use_regex"},
    {"no_model", [](json::value& f) { f.get_object().erase("model"); }, "model"},
    {"unigram", [](json::value& f) { model(f)["type"] = "Unigram"; }, "model.type"},
    {"dropout", [](json::value& f) { model(f)["dropout"] = 0.1; }, "model.dropout"},
    {"byte_fallback", [](json::value& f) { model(f)["byte_fallback"] = true; }, "model.byte_fallback"},
    {"ignore_merges", [](json::value& f) { model(f)["ignore_merges"] = true; }, "model.ignore_merges"},
    {"suffix", [](json::value& f) { model(f)["end_of_word_suffix"] = "</w>"; }, "model.end_of_word_suffix"},
    {"vocab_list", [](json::value& f) { model(f)["vocab"] = json::array{}; }, "model.vocab"},
    {"merges_object", [](json::value& f) { model(f)["merges"] = json::object{}; }, "model.merges"},
    {"no_added_tokens", [](json::value& f) { f.get_object().erase("added_tokens"); }, "added_tokens"},
    {"id_twice", [](json::value& f) { vocab(f)["a"] = vocab(f)["b"]; }, "model.vocab[\""},
    {"id_hole", [](json::value& f) { vocab(f)["a"] = 8192; }, "model.vocab[\"a\"]"},
    {"id_huge", [](json::value& f) { vocab(f)["a"] = 9223372036854775807; }, "model.vocab[\"a\"]"},
    {"id_negative", [](json::value& f) { vocab(f)["a"] = -1; }, "model.vocab[\"a\"]"},
    {"id_fraction", [](json::value& f) { vocab(f)["a"] = 1.5; }, "model.vocab[\"a\"]"},
    {"id_text", [](json::value& f) { vocab(f)["a"] = "7"; }, "model.vocab[\"a\"]"},
    {"token_too_long",
     [](json::value& f) {
       vocab(f)[std::string(2000, 'x')] = vocab(f)["a"];
       vocab(f).erase("a");
     },
     "2000 bytes"},
    {"no_byte",
     [](json::value& f) {
       vocab(f)["zzzzzz"] = vocab(f)["Ġ"];
       vocab(f).erase("Ġ");
     },
     "byte 0x20"},
    {"not_the_alphabet",
     [](json::value& f) {
       vocab(f)["中"] = vocab(f)["Ġthe"];
       vocab(f).erase("Ġthe");
     },
     "byte alphabet"},
    {"merge_unknown", [](json::value& f) { merges(f)[7] = "a zzzz"; }, "model.merges[7]"},
    {"merge_result_unknown", [](json::value& f) { merges(f)[7] = "ÿ ÿ"; }, "model.merges[7]"},
    {"merge_twice", [](json::value& f) { merges(f)[7] = merges(f)[3]; }, "model.merges[7]"},
    {"merge_of_one", [](json::value& f) { merges(f)[7] = "a"; }, "model.merges[7]"},
    {"merge_of_three", [](json::value& f) { merges(f)[7] = "a b c"; }, "model.merges[7]"},
    {"merge_list_of_three", [](json::value& f) { merges(f)[7] = {"a", "b", "c"}; }, "model.merges[7]"},
    {"merge_number", [](json::value& f) { merges(f)[7] = 7; }, "model.merges[7]"},
    {"merge_of_added", [](json::value& f) { added(f, 5)["content"] = "Ġthe"; }, "added_tokens"},
    {"added_base_token",
     [](json::value& f) {
       f.get_object()["added_tokens"].get_array().push_back({{"content", "Ġ"}, {"id", vocab(f)["Ġ"]}});
     },
     "byte 0x20"},
    {"added_id", [](json::value& f) { added(f, 5)["id"] = 9000; }, "added_tokens[5].id"},
    {"added_id_twice", [](json::value& f) { added(f, 5)["id"] = added(f, 4)["id"]; }, "added_tokens[5].id"},
    {"added_id_of_a_base_token", [](json::value& f) { added(f, 5)["id"] = 100; }, "added_tokens[5].id"},
    {"added_without_text", [](json::value& f) { added(f, 5)["content"] = ""; }, "added_tokens[5].content"},
    {"added_text_twice", [](json::value& f) { added(f, 5)["content"] = added(f, 4)["content"]; },
     "added_tokens[5].content"},
    {"added_lstrip", [](json::value& f) { added(f, 5)["lstrip"] = true; }, "added_tokens[5].lstrip"},
    {"added_number", [](json::value& f) { f.get_object()["added_tokens"].get_array()[5] = 5; }, "added_tokens[5]"},
};

TEST(TokenizerJson, ARefusalNamesTheFileAndThePlace) {
  for (const Refusal& refusal : kRefusals) {
    SCOPED_TRACE(refusal.name);
    const std::string error = error_after(refusal.change);
    EXPECT_THAT(error, testing::StartsWith("here.json: "));
    EXPECT_THAT(error, HasSubstr(refusal.place));
  }
}
TEST(TokenizerJson, BrokenJsonIsRefused) {
  const std::string text = json::serialize(small_file());
  for (std::size_t length = 0; length < text.size(); length += 997) {
    EXPECT_FALSE(read_tokenizer_json(text.substr(0, length), "cut")) << length;
  }
  for (const char* other : {"null", "[]", "{}", "1", "\"x\"", "{\"model\": {}}"}) {
    EXPECT_FALSE(read_tokenizer_json(other, "other")) << other;
  }
}

// pitfalls B48: refused by the sizes, before anything is built from them.
TEST(TokenizerJson, AbsurdSizesAreRefusedBeforeParsing) {
  const auto too_long = read_tokenizer_json(std::string(kMaxTokenizerBytes + 1, ' '), "long");
  ASSERT_FALSE(too_long);
  EXPECT_THAT(too_long.error().message, HasSubstr("bytes"));
  std::string many = "[";
  for (int i = 0; i < 3'000'000; ++i) many += "[],";
  const auto too_many = read_tokenizer_json(many + "0]", "many");
  ASSERT_FALSE(too_many);
  EXPECT_THAT(too_many.error().message, HasSubstr("JSON values"));
  const auto too_deep = read_tokenizer_json(std::string(1'000'000, '['), "deep");
  EXPECT_FALSE(too_deep);
}

TEST(ByteAlphabet, EveryByteHasItsCharacterAndBack) {
  std::string all;
  std::string written;
  for (u32 byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    written += byte_characters()[byte];
  }
  EXPECT_EQ(bytes_of_alphabet(written), all);
  EXPECT_EQ(byte_characters()[' '], "Ġ");
  EXPECT_EQ(byte_characters()['\n'], "Ċ");
  EXPECT_EQ(byte_characters()[0xAD], "Ń");
  EXPECT_EQ(byte_characters()['a'], "a");
  EXPECT_EQ(bytes_of_alphabet(" "), std::nullopt);
  EXPECT_EQ(bytes_of_alphabet("\u0144"), std::nullopt);  // one past the last
  EXPECT_EQ(bytes_of_alphabet("\xFF"), std::nullopt);
}

}  // namespace
}  // namespace bolide::text
