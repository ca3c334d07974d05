#include "text/dsml_tag.h"

#include <algorithm>
#include <optional>

namespace bolide::text {
namespace {

constexpr std::string_view kBar = "｜";
constexpr std::string_view kQuotes[] = {"\"", "“", "”"};

struct TagWord {
  std::string_view word;
  DsmlTag::Kind kind;
  std::string_view exact_spelling;  // the usual one before this word, and V4's
  std::string_view exact_spelling_v4;
};
constexpr TagWord kWords[] = {
    {"calls", DsmlTag::Kind::kCalls, "｜DSML｜ ", ""},
    {"tool_calls", DsmlTag::Kind::kCalls, "", "｜DSML｜"},
    {"function_calls", DsmlTag::Kind::kCalls, "", ""},
    {"invoke", DsmlTag::Kind::kInvoke, "｜DSML｜ ", "｜DSML｜"},
    {"parameter", DsmlTag::Kind::kParameter, "｜DSML｜ ", "｜DSML｜"},
};

// Reads on in a text; once it has run into the end, it may be any tag.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : whole_(text.substr(0, kLongestTag)), rest_(whole_) {}

  DsmlTagMatch read() {
    DsmlTag tag;
    if (take("<") && read_tag(tag)) {
      tag.length = at();
      return {Match::kYes, tag};
    }
    return {at_end_ && whole_.size() < kLongestTag ? Match::kPartial : Match::kNo};
  }

 private:
  std::size_t at() const { return whole_.size() - rest_.size(); }

  bool take(std::string_view words) {
    switch (match_words(rest_, words)) {
      case Match::kYes:
        rest_.remove_prefix(words.size());
        return true;
      case Match::kPartial:
        at_end_ = true;
        return false;
      default:
        return false;
    }
  }
  bool take_any(std::string_view words) {
    bool any = false;
    while (take(words)) any = true;
    return any;
  }

  bool read_tag(DsmlTag& tag) {
    tag.closing = take("/");
    const std::size_t begin = at();
    take_any(kBar);
    if (!take("DSML") || !take_any(kBar)) return false;
    take(" ");
    tag.spelling = whole_.substr(begin, at() - begin);
    const auto* word = std::ranges::find_if(kWords, [&](const TagWord& known) { return take(known.word); });
    if (word == std::end(kWords)) return false;
    tag.kind = word->kind;
    tag.exact = tag.spelling == word->exact_spelling || tag.spelling == word->exact_spelling_v4;
    if (tag.closing || tag.kind == DsmlTag::Kind::kCalls) return take(">");
    return attributes(tag);
  }

  bool attributes(DsmlTag& tag) {
    bool named = false;
    while (take_any(" ")) {
      std::string_view value;
      if (!named && take("name=")) {
        if (!quoted(value)) return false;
        tag.name = value;
        named = true;
      } else if (tag.kind == DsmlTag::Kind::kParameter && take("string=")) {
        if (!quoted(value)) return false;
        tag.string_flag = value == "true"    ? DsmlTag::StringFlag::kTrue
                          : value == "false" ? DsmlTag::StringFlag::kFalse
                                             : DsmlTag::StringFlag::kMissing;
      } else {
        return false;
      }
    }
    if (tag.kind == DsmlTag::Kind::kInvoke && tag.name.empty()) return false;
    return named && take(">");
  }

  // The value ends at the first quote of the kind that opened it; quotes may be repeated.
  bool quoted(std::string_view& value) {
    const std::string_view opening = rest_;
    const std::size_t n_opening = quotes();
    if (n_opening == 0) return false;
    const bool straight = opening.starts_with('"');
    if (n_opening % 2 == 0 && (rest_.empty() || rest_.front() == ' ' || rest_.front() == '>')) {
      at_end_ = at_end_ || rest_.empty();
      value = {};
      return true;
    }
    const std::string_view begin = rest_;
    while (!rest_.empty() && !at_quote(straight)) {
      if (rest_.front() == '\n') return false;
      rest_.remove_prefix(1);
    }
    at_end_ = at_end_ || rest_.empty();
    value = begin.substr(0, begin.size() - rest_.size());
    return quotes() > 0;
  }
  std::size_t quotes() {
    std::size_t n = 0;
    while (std::ranges::any_of(kQuotes, [&](std::string_view quote) { return take(quote); })) ++n;
    return n;
  }
  bool at_quote(bool straight) const {
    if (straight) return rest_.front() == '"';
    return std::ranges::any_of(kQuotes, [&](std::string_view quote) { return rest_.starts_with(quote); });
  }

  std::string_view whole_;
  std::string_view rest_;
  bool at_end_ = false;
};

}  // namespace

Match match_words(std::string_view text, std::string_view words) {
  if (text.starts_with(words)) return Match::kYes;
  return words.starts_with(text) ? Match::kPartial : Match::kNo;
}

DsmlTagMatch match_dsml_tag(std::string_view text) {
  return TagReader(text).read();
}

}  // namespace bolide::text
