#include "text/tokenizer_json.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/json.h"
#include "text/byte_alphabet.h"

namespace bolide::text {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxValues = 1'000'000;  // the official file has 0.3 million; 0.5 with its merges as pairs
constexpr std::size_t kMaxTokenBytes = 1024;   // in the file; the longest official token has 128 characters

// The three splits that splitter.h implements, and their two known spellings of line ends.
constexpr std::string_view kNumberPattern = R"(\p{N}{1,3})";
constexpr std::string_view kCjkPattern = "[一-龥぀-ゟ゠-ヿ]+";
constexpr std::string_view kWordPattern =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::string_view as_view(const json::string& text) {
  return {text.data(), text.size()};
}

// A value as it stands in the file, cut to a readable length.
std::string shown(const json::value* value) {
  if (value == nullptr) return "missing";
  if (value->is_object()) return "an object";
  if (value->is_array()) return "an array";
  constexpr std::size_t kLongest = 80;
  std::string text = json::serialize(*value);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

std::string quoted(std::string_view text) {
  const json::value value(text);
  return shown(&value);
}

// The reading of one file. Every step returns an error that names its place.
class Reader {
 public:
  explicit Reader(std::string_view what) : what_(what) {}

  Result<TokenizerFile> read(const json::value& document);

 private:
  Error error(std::string_view place, const json::value* found, std::string_view wanted) const {
    return Error{fmt::format("{}: {} is {}, expected {}", what_, place, shown(found), wanted)};
  }

  Error no_base_token(std::string_view user, std::string_view token) const {
    return Error{
        fmt::format("{}: {} needs the token {}, which is no base token of model.vocab", what_, user, quoted(token))};
  }
  std::string id_range() const { return fmt::format("an id below {}, for ids without holes", tokens_.size()); }

  Status check_pipeline(const json::object& root) const;
  Status check_split(const json::value& step, std::size_t index, std::string_view pattern) const;
  Status check_model_options(const json::object& model) const;
  Status read_vocab(const json::object& vocab);
  Status read_added_tokens(const json::array& added);
  Status read_added_token(const json::value& entry, std::size_t index);
  Status decode_base_tokens();
  Status read_byte_ids(const json::object& vocab);
  Result<PairTable> read_merges(const json::array& merges, const json::object& vocab) const;
  std::optional<u32> base_id(const json::object& vocab, std::string_view token) const;

  std::string_view what_;
  std::vector<std::string> tokens_;  // as written in the file, then their bytes; empty: no token yet
  std::vector<TokenKind> kinds_;
  std::array<u32, 256> byte_ids_ = {};
  std::unordered_set<std::string_view> added_contents_;
};

const json::string* string_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_string();
}

bool has_string(const json::object& object, std::string_view key, std::string_view wanted) {
  const json::string* found = string_at(object, key);
  return found != nullptr && as_view(*found) == wanted;
}

// Whether an option is not in use: missing, null, false, zero or empty.
bool is_off(const json::value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (const bool* flag = value->if_bool()) return !*flag;
  if (const json::string* text = value->if_string()) return text->empty();
  if (const double* number = value->if_double()) return *number == 0;
  if (const std::int64_t* number = value->if_int64()) return *number == 0;
  return false;
}

std::optional<u32> as_id(const json::value* value) {
  const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
  if (number == nullptr || *number < 0 || *number >= kMaxTokens) return std::nullopt;
  return static_cast<u32>(*number);
}

// Writes the regular expression's \r and \n for the characters themselves.
std::string with_escaped_line_ends(std::string_view pattern) {
  std::string escaped;
  for (const char c : pattern) {
    if (c == '\r') {
      escaped += "\\r";
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

Status Reader::check_split(const json::value& step, std::size_t index, std::string_view pattern) const {
  const std::string place = fmt::format("pre_tokenizer.pretokenizers[{}]", index);
  const json::object* split = step.if_object();
  if (split == nullptr || !has_string(*split, "type", "Split")) return error(place, &step, "a Split");
  if (!has_string(*split, "behavior", "Isolated")) {
    return error(place + ".behavior", split->if_contains("behavior"), "\"Isolated\"");
  }
  if (!is_off(split->if_contains("invert"))) return error(place + ".invert", split->if_contains("invert"), "false");
  const json::value* found = split->if_contains("pattern");
  const json::string* regex =
      found != nullptr && found->is_object() ? string_at(found->get_object(), "Regex") : nullptr;
  if (regex == nullptr || with_escaped_line_ends(as_view(*regex)) != pattern) {
    const json::value* value = regex == nullptr ? found : found->get_object().if_contains("Regex");
    return error(place + ".pattern.Regex", value, fmt::format("{}, the only pattern known here", pattern));
  }
  return {};
}

// What happens to text before the merges.
Status Reader::check_pipeline(const json::object& root) const {
  const json::value* normalizer = root.if_contains("normalizer");
  const json::object* normalizers = normalizer == nullptr ? nullptr : normalizer->if_object();
  const json::value* list = normalizers == nullptr ? nullptr : normalizers->if_contains("normalizers");
  const bool empty_sequence = list != nullptr && list->is_array() && list->get_array().empty();
  if (!is_off(normalizer) && !empty_sequence) return error("normalizer", normalizer, "null or an empty sequence");

  const json::value* found = root.if_contains("pre_tokenizer");
  const json::object* pre_tokenizer = found == nullptr ? nullptr : found->if_object();
  if (pre_tokenizer == nullptr || !has_string(*pre_tokenizer, "type", "Sequence")) {
    return error("pre_tokenizer", found, "an object of type Sequence");
  }
  const json::value* steps_value = pre_tokenizer->if_contains("pretokenizers");
  const json::array* steps = steps_value == nullptr ? nullptr : steps_value->if_array();
  if (steps == nullptr || steps->size() != 4) {
    return error("pre_tokenizer.pretokenizers", steps_value, "a list of three splits and ByteLevel");
  }
  std::size_t index = 0;
  for (const std::string_view pattern : {kNumberPattern, kCjkPattern, kWordPattern}) {
    if (Status status = check_split((*steps)[index], index, pattern); !status) return status;
    ++index;
  }
  const json::object* byte_level = (*steps)[3].if_object();
  if (byte_level == nullptr || !has_string(*byte_level, "type", "ByteLevel") ||
      !is_off(byte_level->if_contains("add_prefix_space"))) {
    return error("pre_tokenizer.pretokenizers[3]", &(*steps)[3], "ByteLevel without add_prefix_space");
  }
  const json::value* use_regex = byte_level->if_contains("use_regex");  // missing means true
  if (use_regex == nullptr || !is_off(use_regex)) {
    return error("pre_tokenizer.pretokenizers[3].use_regex", use_regex, "false");
  }
  return {};
}

Status Reader::check_model_options(const json::object& model) const {
  if (!has_string(model, "type", "BPE")) return error("model.type", model.if_contains("type"), "\"BPE\"");
  for (const std::string_view option :
       {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "ignore_merges"}) {
    const json::value* value = model.if_contains(option);
    if (!is_off(value)) return error(fmt::format("model.{}", option), value, "null, false or nothing");
  }
  return {};
}

// The tokens as written, by id. Ids may leave holes here, which added tokens fill.
Status Reader::read_vocab(const json::object& vocab) {
  for (const auto& entry : vocab) {
    auto place = [&] { return fmt::format("model.vocab[{}]", quoted(entry.key())); };
    if (entry.key().empty() || entry.key().size() > kMaxTokenBytes) {
      return Error{
          fmt::format("{}: {} has {} bytes, expected 1 to {}", what_, place(), entry.key().size(), kMaxTokenBytes)};
    }
    const std::optional<u32> id = as_id(&entry.value());
    if (!id || *id >= tokens_.size()) return error(place(), &entry.value(), id_range());
    if (!tokens_[*id].empty()) return error(place(), &entry.value(), "an id that no other token has");
    tokens_[*id] = entry.key();
  }
  return {};
}

Status Reader::read_added_token(const json::value& entry, std::size_t index) {
  const std::string place = fmt::format("added_tokens[{}]", index);
  const json::object* token = entry.if_object();
  if (token == nullptr) return error(place, &entry, "an object");
  const json::string* content = string_at(*token, "content");
  if (content == nullptr || content->empty() || content->size() > kMaxTokenBytes) {
    return error(place + ".content", token->if_contains("content"),
                 fmt::format("a text of 1 to {} bytes", kMaxTokenBytes));
  }
  for (const std::string_view option : {"single_word", "lstrip", "rstrip"}) {
    const json::value* value = token->if_contains(option);
    if (!is_off(value)) return error(fmt::format("{}.{}", place, option), value, "false");
  }
  if (!added_contents_.insert(as_view(*content)).second) {
    return error(place + ".content", token->if_contains("content"), "a text that is not listed before");
  }
  const std::optional<u32> id = as_id(token->if_contains("id"));
  if (!id || *id >= tokens_.size()) return error(place + ".id", token->if_contains("id"), id_range());
  const bool named_in_vocab = tokens_[*id] == as_view(*content);
  if (kinds_[*id] != TokenKind::kBase || (!tokens_[*id].empty() && !named_in_vocab)) {
    return error(place + ".id", token->if_contains("id"), "an id that no other token has");
  }
  tokens_[*id] = as_view(*content);
  kinds_[*id] = is_off(token->if_contains("special")) ? TokenKind::kAdded : TokenKind::kAddedSpecial;
  return {};
}

Status Reader::read_added_tokens(const json::array& added) {
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (Status status = read_added_token(added[i], i); !status) return status;
  }
  return {};
}

// From the byte alphabet to bytes, but for added tokens, which are written as they are.
Status Reader::decode_base_tokens() {
  for (u32 id = 0; id < tokens_.size(); ++id) {
    if (tokens_[id].empty()) return Error{fmt::format("{}: no token has the id {}; ids must have no holes", what_, id)};
    if (kinds_[id] != TokenKind::kBase) continue;
    std::optional<std::string> bytes = bytes_of_alphabet(tokens_[id]);
    if (!bytes) {
      return Error{fmt::format("{}: model.vocab: token {} ({}) is not written in the byte alphabet", what_, id,
                               quoted(tokens_[id]))};
    }
    tokens_[id] = *std::move(bytes);
  }
  return {};
}

Status Reader::read_byte_ids(const json::object& vocab) {
  for (u32 byte = 0; byte < 256; ++byte) {
    const std::string& character = byte_characters()[byte];
    const std::optional<u32> id = base_id(vocab, character);
    if (!id) return no_base_token(fmt::format("byte {:#04x}", byte), character);
    byte_ids_[byte] = *id;
  }
  return {};
}

// The id of a token that text can be merged to. An added token is none: it has its own literal text.
std::optional<u32> Reader::base_id(const json::object& vocab, std::string_view token) const {
  const json::value* value = vocab.if_contains(token);
  if (value == nullptr) return std::nullopt;
  const u32 id = *as_id(value);  // read_vocab has checked it
  return kinds_[id] == TokenKind::kBase ? std::optional(id) : std::nullopt;
}

// The two tokens of a merge, written "a b" or ["a", "b"].
std::optional<std::pair<std::string_view, std::string_view>> merge_sides(const json::value& merge) {
  if (const json::string* text = merge.if_string()) {
    const std::string_view both = as_view(*text);
    const std::size_t space = both.find(' ');
    if (space == std::string_view::npos || both.find(' ', space + 1) != std::string_view::npos) return std::nullopt;
    return std::pair(both.substr(0, space), both.substr(space + 1));
  }
  const json::array* sides = merge.if_array();
  if (sides == nullptr || sides->size() != 2) return std::nullopt;
  const json::string* left = (*sides)[0].if_string();
  const json::string* right = (*sides)[1].if_string();
  if (left == nullptr || right == nullptr) return std::nullopt;
  return std::pair(as_view(*left), as_view(*right));
}

Result<PairTable> Reader::read_merges(const json::array& merges, const json::object& vocab) const {
  if (merges.size() > kMaxMerges) return Error{fmt::format("{}: model.merges has {} entries", what_, merges.size())};
  PairTable table(merges.size());
  for (std::size_t i = 0; i < merges.size(); ++i) {
    auto place = [&] { return fmt::format("model.merges[{}]", i); };
    const auto sides = merge_sides(merges[i]);
    if (!sides) return error(place(), &merges[i], "two tokens, as \"a b\" or as [\"a\", \"b\"]");
    const std::string joined = std::string(sides->first).append(sides->second);
    const std::optional<u32> left = base_id(vocab, sides->first);
    const std::optional<u32> right = base_id(vocab, sides->second);
    const std::optional<u32> result = base_id(vocab, joined);
    if (!left) return no_base_token(place(), sides->first);
    if (!right) return no_base_token(place(), sides->second);
    if (!result) return no_base_token(place(), joined);
    if (!table.add({*left, *right, *result})) return error(place(), &merges[i], "a pair that is not listed before");
  }
  return table;
}

Result<TokenizerFile> Reader::read(const json::value& document) {
  const json::object* root = document.if_object();
  if (root == nullptr) return error("the document", &document, "an object");
  if (Status status = check_pipeline(*root); !status) return status.error();

  const json::value* model_value = root->if_contains("model");
  const json::object* model = model_value == nullptr ? nullptr : model_value->if_object();
  if (model == nullptr) return error("model", model_value, "an object");
  if (Status status = check_model_options(*model); !status) return status.error();
  const json::value* vocab_value = model->if_contains("vocab");
  const json::object* vocab = vocab_value == nullptr ? nullptr : vocab_value->if_object();
  if (vocab == nullptr) return error("model.vocab", vocab_value, "an object");
  const json::value* merges_value = model->if_contains("merges");
  const json::array* merges = merges_value == nullptr ? nullptr : merges_value->if_array();
  if (merges == nullptr) return error("model.merges", merges_value, "an array");
  const json::value* added_value = root->if_contains("added_tokens");
  const json::array* added = added_value == nullptr ? nullptr : added_value->if_array();
  if (added == nullptr) return error("added_tokens", added_value, "an array");

  // Ids without holes are as many as there are tokens; a token may stand in both lists.
  std::size_t n_tokens = vocab->size();
  for (const json::value& entry : *added) {
    const json::string* content = entry.is_object() ? string_at(entry.get_object(), "content") : nullptr;
    if (content == nullptr || !vocab->contains(*content)) ++n_tokens;
  }
  if (n_tokens > kMaxTokens)
    return Error{fmt::format("{}: {} tokens, at most {} are taken", what_, n_tokens, kMaxTokens)};
  tokens_.resize(n_tokens);
  kinds_.resize(n_tokens, TokenKind::kBase);
  if (Status status = read_vocab(*vocab); !status) return status.error();
  if (Status status = read_added_tokens(*added); !status) return status.error();
  if (Status status = decode_base_tokens(); !status) return status.error();
  if (Status status = read_byte_ids(*vocab); !status) return status.error();
  Result<PairTable> table = read_merges(*merges, *vocab);
  if (!table) return table.error();
  return TokenizerFile{std::move(tokens_), std::move(kinds_), byte_ids_, *std::move(table)};
}

}  // namespace

Result<TokenizerFile> read_tokenizer_json(std::string_view text, std::string_view what) {
  if (text.size() > kMaxTokenizerBytes) {
    return Error{fmt::format("{}: {} bytes, a tokenizer.json has at most {}", what, text.size(), kMaxTokenizerBytes)};
  }
  // Every value but the first follows a comma, a colon or an opening bracket: a bound of the parser's memory.
  const auto n_values =
      std::count_if(text.begin(), text.end(), [](char c) { return c == ',' || c == '[' || c == '{'; });
  if (static_cast<std::size_t>(n_values) > kMaxValues) {
    return Error{fmt::format("{}: about {} JSON values, a tokenizer.json has at most {}", what, n_values, kMaxValues)};
  }
  const Result<json::value> document = parse_json(text, what);
  if (!document) return document.error();
  return Reader(what).read(*document);
}

}  // namespace bolide::text
