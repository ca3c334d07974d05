#include "model/gguf_tokenizer.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/json.h"
#include "formats/names.h"

namespace bolide::model {
namespace {

namespace json = boost::json;
using formats::GgufFile;
using formats::GgufValue;

// llama.cpp's numbers of the kinds of tokens.
constexpr u64 kNormal = 1;
constexpr u64 kControl = 3;
constexpr u64 kUserDefined = 4;

// More is no tokenizer of ours (the official tokens and merges have 4.5 MB); keeps a hostile file from asking for more.
constexpr u64 kMaxListBytes = 32 << 20;

constexpr std::string_view kModel = "gpt2";
constexpr std::string_view kSplits = "joyai-llm";

// The splits that the name joyai-llm stands for (spec model.md 6), as tokenizer.json writes them.
constexpr std::string_view kPreTokenizer = R"json({"type": "Sequence", "pretokenizers": [
  {"type": "Split", "pattern": {"Regex": "\\p{N}{1,3}"}, "behavior": "Isolated", "invert": false},
  {"type": "Split", "pattern": {"Regex": "[一-龥぀-ゟ゠-ヿ]+"}, "behavior": "Isolated", "invert": false},
  {"type": "Split", "pattern": {"Regex": "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}, "behavior": "Isolated", "invert": false},
  {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]})json";

Error key_error(const GgufFile& file, std::string_view key, std::string_view problem) {
  return {fmt::format("{}: metadata key tokenizer.ggml.{} {}", file.path(), key, problem)};
}

const GgufValue* find(const GgufFile& file, std::string_view key) {
  return file.value(fmt::format("tokenizer.ggml.{}", key));
}

Status expect_text(const GgufFile& file, std::string_view key, std::string_view wanted) {
  const GgufValue* value = find(file, key);
  if (value == nullptr) return key_error(file, key, "is missing");
  if (value->text() == wanted) return {};
  return key_error(
      file, key,
      fmt::format("is \"{}\", but only \"{}\" is supported", formats::printable(value->text().value_or("")), wanted));
}

Result<std::vector<std::string_view>> read_texts(const GgufFile& file, std::string_view key) {
  const GgufValue* value = find(file, key);
  if (value == nullptr) return key_error(file, key, "is missing");
  if (value->data.size() > kMaxListBytes) {
    return key_error(file, key,
                     fmt::format("has {} bytes, more than the {} of any tokenizer", value->data.size(), kMaxListBytes));
  }
  std::optional<std::vector<std::string_view>> texts = value->texts();
  if (!texts) return key_error(file, key, "is no list of texts");
  return *std::move(texts);
}

Result<std::vector<u64>> read_types(const GgufFile& file, std::size_t n_tokens) {
  const GgufValue* value = find(file, "token_type");
  std::optional<std::vector<u64>> types = value == nullptr || value->count != n_tokens ? std::nullopt : value->wholes();
  if (!types) return key_error(file, "token_type", fmt::format("must be a list of {} numbers", n_tokens));
  for (std::size_t id = 0; id < n_tokens; ++id) {
    const u64 type = (*types)[id];
    if (type == kNormal || type == kControl || type == kUserDefined) continue;
    return key_error(file, "token_type", fmt::format("of token {} is {}; 1, 3 and 4 are known", id, type));
  }
  return *std::move(types);
}

// Whether a text is one character of the byte alphabet: one or two bytes of UTF-8, by the first of them.
bool is_one_byte(std::string_view token) {
  const auto first = static_cast<unsigned char>(token.empty() ? 0 : token[0]);
  return token.size() == (first < 0x80 ? 1 : 2) && (first < 0x80 || (first >= 0xc2 && first <= 0xc5));
}

// What the merges make, without the space between the two sides.
std::unordered_set<std::string> merged_texts(const std::vector<std::string_view>& merges) {
  std::unordered_set<std::string> made;
  made.reserve(merges.size());
  for (const std::string_view merge : merges) {
    std::string text(merge);
    std::erase(text, ' ');
    made.insert(std::move(text));
  }
  return made;
}

std::string_view as_view(const json::string& text) {
  return {text.data(), text.size()};
}

// One part of a tokenizer.json, or why it is not there.
template <class Get>
auto part(const json::object& object, std::string_view name, Get get) -> decltype(get(std::declval<json::value&>())) {
  const json::value* value = object.if_contains(name);
  return value == nullptr ? nullptr : get(*value);
}

// Token texts and types by id.
struct Vocabulary {
  std::vector<std::string> tokens;
  std::vector<i32> types;

  Status set(const json::value& id, std::string_view text, u64 type) {
    const std::int64_t* number = id.if_int64();
    if (number == nullptr || *number < 0 || static_cast<u64>(*number) >= tokens.size()) {
      return Error{
          fmt::format("tokenizer.json: token \"{}\" has no id below {}", formats::printable(text), tokens.size())};
    }
    tokens[static_cast<std::size_t>(*number)] = text;
    types[static_cast<std::size_t>(*number)] = static_cast<i32>(type);
    return {};
  }
};

Status read_added_tokens(const json::array& added, Vocabulary& vocabulary) {
  for (const json::value& entry : added) {
    const json::object* token = entry.if_object();
    const json::value* content = token == nullptr ? nullptr : token->if_contains("content");
    const json::value* id = token == nullptr ? nullptr : token->if_contains("id");
    if (content == nullptr || id == nullptr || !content->is_string()) {
      return Error{"tokenizer.json: an added token has no content or no id"};
    }
    const json::value* special = token->if_contains("special");
    const bool is_special = special != nullptr && special->is_bool() && special->get_bool();
    if (Status set = vocabulary.set(*id, as_view(content->get_string()), is_special ? kControl : kNormal); !set) {
      return set;
    }
  }
  return {};
}

Result<std::vector<std::string>> read_merges(const json::array& merges) {
  std::vector<std::string> texts;
  texts.reserve(merges.size());
  for (const json::value& merge : merges) {
    const json::array* sides = merge.if_array();
    if (merge.is_string()) {
      texts.emplace_back(merge.get_string());
    } else if (sides != nullptr && sides->size() == 2 && (*sides)[0].is_string() && (*sides)[1].is_string()) {
      texts.push_back(fmt::format("{} {}", as_view((*sides)[0].get_string()), as_view((*sides)[1].get_string())));
    } else {
      return Error{fmt::format("tokenizer.json: model.merges[{}] is no pair of tokens", texts.size())};
    }
  }
  return texts;
}

}  // namespace

Result<std::string> gguf_tokenizer_json(const GgufFile& file) {
  if (Status known = expect_text(file, "model", kModel); !known) return known.error();
  if (Status known = expect_text(file, "pre", kSplits); !known) return known.error();
  const Result<std::vector<std::string_view>> tokens = read_texts(file, "tokens");
  if (!tokens) return tokens.error();
  const Result<std::vector<std::string_view>> merges = read_texts(file, "merges");
  if (!merges) return merges.error();
  const Result<std::vector<u64>> types = read_types(file, tokens->size());
  if (!types) return types.error();

  const std::unordered_set<std::string> made = merged_texts(*merges);
  json::object vocab;
  json::array added;
  for (std::size_t id = 0; id < tokens->size(); ++id) {
    const std::string_view token = (*tokens)[id];
    const u64 type = (*types)[id];
    if (type == kNormal && (is_one_byte(token) || made.contains(std::string(token)))) {
      if (!vocab.emplace(token, id).second) {
        return key_error(file, "tokens", fmt::format("has token {} twice: \"{}\"", id, formats::printable(token)));
      }
    } else {
      added.emplace_back(json::object{{"id", id}, {"content", token}, {"special", type == kControl}});
    }
  }
  const Result<json::value> pre_tokenizer = parse_json(kPreTokenizer, "pre_tokenizer");
  check(pre_tokenizer.ok(), "our own JSON is valid");
  return json::serialize(json::object{
      {"version", "1.0"},
      {"added_tokens", std::move(added)},
      {"normalizer", nullptr},
      {"pre_tokenizer", *pre_tokenizer},
      {"decoder", json::object{{"type", "ByteLevel"}}},
      {"model",
       json::object{
           {"type", "BPE"}, {"vocab", std::move(vocab)}, {"merges", json::array(merges->begin(), merges->end())}}}});
}

Status add_tokenizer_keys(const Config& config, std::string_view tokenizer_json, formats::GgufMetadata& metadata) {
  const Result<json::value> document = parse_json(tokenizer_json, "tokenizer.json");
  if (!document) return document.error();
  const json::object* root = document->if_object();
  const json::object* model =
      root == nullptr ? nullptr : part(*root, "model", [](const json::value& v) { return v.if_object(); });
  const auto list = [](const json::value& v) { return v.if_array(); };
  const json::object* vocab =
      model == nullptr ? nullptr : part(*model, "vocab", [](const json::value& v) { return v.if_object(); });
  const json::array* merges = model == nullptr ? nullptr : part(*model, "merges", list);
  const json::array* added = root == nullptr ? nullptr : part(*root, "added_tokens", list);
  if (vocab == nullptr || merges == nullptr || added == nullptr) {
    return Error{"tokenizer.json: model.vocab, model.merges or added_tokens is missing"};
  }
  Vocabulary vocabulary{std::vector<std::string>(config.vocab_size), std::vector<i32>(config.vocab_size, kNormal)};
  for (const auto& entry : *vocab) {
    if (Status set = vocabulary.set(entry.value(), entry.key(), kNormal); !set) return set;
  }
  if (Status read = read_added_tokens(*added, vocabulary); !read) return read;
  const Result<std::vector<std::string>> merge_texts = read_merges(*merges);
  if (!merge_texts) return merge_texts.error();

  metadata.add_text("tokenizer.ggml.model", kModel);
  metadata.add_text("tokenizer.ggml.pre", kSplits);
  metadata.add_texts("tokenizer.ggml.tokens", vocabulary.tokens);
  metadata.add_i32s("tokenizer.ggml.token_type", vocabulary.types);
  metadata.add_texts("tokenizer.ggml.merges", *merge_texts);
  metadata.add_u32("tokenizer.ggml.bos_token_id", config.bos_token_id);
  metadata.add_u32("tokenizer.ggml.eos_token_id", config.eos_token_id);
  metadata.add_bool("tokenizer.ggml.add_bos_token", true);
  metadata.add_bool("tokenizer.ggml.add_eos_token", false);
  return {};
}

}  // namespace bolide::model
