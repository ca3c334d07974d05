#include "text/tokenizer.h"

#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/mapped_file.h"
#include "text/added_tokens.h"
#include "text/bpe.h"
#include "text/splitter.h"
#include "text/tokenizer_json.h"

namespace bolide::text {

struct Tokenizer::Tables {
  std::vector<std::string> tokens;  // bytes by id
  std::vector<TokenKind> kinds;     // by id
  AddedTokenMatcher added_tokens;
  Bpe bpe;
};

namespace {

AddedTokenMatcher matcher_of(const TokenizerFile& file) {
  AddedTokenMatcher matcher;
  for (u32 id = 0; id < file.tokens.size(); ++id) {
    if (file.kinds[id] != TokenKind::kBase) matcher.add(file.tokens[id], id);
  }
  return matcher;
}

// Encodes one text, of which stretches may hold added tokens.
class Encoder {
 public:
  Encoder(const AddedTokenMatcher& added_tokens, const Bpe& bpe, std::string_view text)
      : added_tokens_(added_tokens), bpe_(bpe), text_(text) {}

  // Matches added tokens in text[begin, end); stretches come in order.
  void match_added_tokens(std::size_t begin, std::size_t end) {
    const std::string_view stretch = text_.substr(0, end);
    while (const auto match = added_tokens_.find(stretch, begin)) {
      encode_plain(match->begin);
      ids_.push_back(match->id);
      begin = done_ = match->begin + match->length;
    }
  }

  std::vector<u32> finish() {
    encode_plain(text_.size());
    return std::move(ids_);
  }

 private:
  // Everything up to `end` that is not yet encoded, as plain text.
  void encode_plain(std::size_t end) {
    Splitter splitter(text_.substr(done_, end - done_));
    for (std::string_view piece = splitter.next(); !piece.empty(); piece = splitter.next()) {
      bpe_.merge(piece, scratch_, ids_);
    }
    done_ = end;
  }

  const AddedTokenMatcher& added_tokens_;
  const Bpe& bpe_;
  std::string_view text_;
  std::size_t done_ = 0;
  std::vector<u32> ids_;
  Bpe::Scratch scratch_;
};

}  // namespace

Result<Tokenizer> Tokenizer::from_json(std::string_view json, std::string_view what) {
  Result<TokenizerFile> file = read_tokenizer_json(json, what);
  if (!file) return file.error();
  AddedTokenMatcher matcher = matcher_of(*file);
  Bpe bpe(file->byte_ids, std::move(file->merges), file->tokens);
  return Tokenizer(std::make_shared<const Tables>(
      Tables{std::move(file->tokens), std::move(file->kinds), std::move(matcher), std::move(bpe)}));
}

Result<Tokenizer> Tokenizer::from_file(const std::string& path) {
  std::error_code ignored;  // what cannot be asked cannot be opened either, and that error says why
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const std::string file = is_folder ? (std::filesystem::path(path) / "tokenizer.json").string() : path;
  if (is_folder && !std::filesystem::exists(file, ignored)) {
    return Error{path + ": this folder has no model in it, not even a tokenizer.json"};
  }
  const Result<std::string> json = read_text_file(file, kMaxTokenizerBytes);
  if (!json) return json.error();
  return from_json(*json, file);
}

std::vector<u32> Tokenizer::encode(std::string_view text, AddedTokens added_tokens) const {
  Encoder encoder(tables_->added_tokens, tables_->bpe, text);
  if (added_tokens == AddedTokens::kMatch) encoder.match_added_tokens(0, text.size());
  return encoder.finish();
}

std::vector<u32> Tokenizer::encode(std::span<const TextSpan> spans) const {
  std::string text;
  for (const TextSpan& span : spans) text += span.text;
  Encoder encoder(tables_->added_tokens, tables_->bpe, text);
  std::size_t end = 0;
  for (std::size_t i = 0; i < spans.size();) {
    const AddedTokens rule = spans[i].added_tokens;
    const std::size_t begin = end;
    for (; i < spans.size() && spans[i].added_tokens == rule; ++i) end += spans[i].text.size();
    if (rule == AddedTokens::kMatch) encoder.match_added_tokens(begin, end);
  }
  return encoder.finish();
}

std::string Tokenizer::decode(std::span<const u32> ids) const {
  std::string text;
  for (const u32 id : ids) text += token_bytes(id);
  return text;
}

std::string_view Tokenizer::token_bytes(u32 id) const {
  check(id < tables_->tokens.size(), "ids given to the tokenizer are below vocab_size()");
  return tables_->tokens[id];
}

std::optional<u32> Tokenizer::find_added_token(std::string_view content) const {
  return tables_->added_tokens.find_exact(content);
}

bool Tokenizer::is_added(u32 id) const {
  check(id < tables_->kinds.size(), "ids given to the tokenizer are below vocab_size()");
  return tables_->kinds[id] != TokenKind::kBase;
}

bool Tokenizer::is_special(u32 id) const {
  check(id < tables_->kinds.size(), "ids given to the tokenizer are below vocab_size()");
  return tables_->kinds[id] == TokenKind::kAddedSpecial;
}

std::size_t Tokenizer::vocab_size() const {
  return tables_->tokens.size();
}

}  // namespace bolide::text
