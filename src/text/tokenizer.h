// The tokenizer: text to token ids and back. Byte-level BPE read from tokenizer.json (docs: spec/model.md section 6).
//
// Encoding: added tokens are cut out of the raw text first (added_tokens.h), the rest is split into pieces
// (splitter.h), every piece is merged on its own (bpe.h). Nothing is added: a prompt's first token is written by
// text/chat.h.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace bolide::text {

// Whether the literal text of an added token (a turn marker, a thinking tag, ...) becomes that token. Text that comes
// from outside must never (kIgnore): it is then tokenised as the plain characters it is made of (pitfalls B03).
enum class AddedTokens { kMatch, kIgnore };

// A stretch of a prompt with its rule for added tokens.
struct TextSpan {
  std::string text;
  AddedTokens added_tokens = AddedTokens::kIgnore;

  bool operator==(const TextSpan&) const = default;
};

// Immutable once made: any number of threads may use one tokenizer at the same time. Cheap to copy.
class Tokenizer {
 public:
  // Reads the text of a tokenizer.json. Everything we rely on is checked; a file with another kind of tokenizer is
  // refused with an error that begins with `what` (its path) and names the place.
  static Result<Tokenizer> from_json(std::string_view json, std::string_view what);
  // The same for a file, or for the tokenizer.json in a folder.
  static Result<Tokenizer> from_file(const std::string& path);

  // Token ids of any byte string. An invalid UTF-8 byte is a piece of its own, so decode(encode(x)) == x always.
  std::vector<u32> encode(std::string_view text, AddedTokens added_tokens) const;

  // Token ids of the joined spans. Splits and merges run across span borders as if the text were one; an added token
  // is matched only where all its bytes come from spans with kMatch (prompt-format.md section 6).
  std::vector<u32> encode(std::span<const TextSpan> spans) const;

  // The bytes of the tokens, added tokens as their literal text. Every id must be below vocab_size().
  // The result need not be valid UTF-8; for display see text/stream_decoder.h.
  std::string decode(std::span<const u32> ids) const;

  // The bytes of one token; the view lives as long as the tokenizer. The id must be below vocab_size().
  std::string_view token_bytes(u32 id) const;

  // The id of the added token with this literal text, if there is one.
  std::optional<u32> find_added_token(std::string_view content) const;

  // Whether the id is an added token (a control token, whatever its "special" flag).
  bool is_added(u32 id) const;

  // Whether the file flags the token as special: such tokens are left out of text shown to a user.
  bool is_special(u32 id) const;

  // Ids run from 0 to vocab_size() - 1, without holes.
  std::size_t vocab_size() const;

 private:
  struct Tables;
  explicit Tokenizer(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const Tables> tables_;  // shared by the copies
};

}  // namespace bolide::text
