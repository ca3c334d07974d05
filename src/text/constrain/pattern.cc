#include "text/constrain/pattern.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

namespace bolide::text {
namespace {

constexpr u32 kMostRepetitions = 10'000;
constexpr u32 kDeepestGroup = 50;

// Parsed, because a grammar is built from its end.
struct Piece {
  enum class Kind { kCharacters, kSequence, kChoice, kRepeat };
  Kind kind = Kind::kSequence;
  ByteSet ascii;                    // kCharacters: these,
  std::vector<std::string> others;  // and these beyond ASCII;
  bool negated = false;             // or everything but the ASCII ones
  std::vector<Piece> parts;
  u32 min = 0;
  u32 max = 0;
};

bool may_be_empty(const Piece& piece) {
  switch (piece.kind) {
    case Piece::Kind::kCharacters:
      return false;
    case Piece::Kind::kSequence:
      return std::ranges::all_of(piece.parts, may_be_empty);
    case Piece::Kind::kChoice:
      return std::ranges::any_of(piece.parts, may_be_empty);
    case Piece::Kind::kRepeat:
      return piece.min == 0 || may_be_empty(piece.parts.front());
  }
  return true;
}

class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : rest_(text) {}

  Result<Piece> read() {
    anchored_begin = take("^");
    Piece piece = choice(0);
    if (!problem_ && !rest_.empty()) fail(fmt::format("\"{}\" is not supported there", rest_.substr(0, 1)));
    if (problem_) return Error{*problem_};
    return piece;
  }

  bool anchored_begin = false;
  bool anchored_end = false;

 private:
  void fail(std::string problem) {
    if (!problem_) problem_ = std::move(problem);
    rest_ = {};
  }
  bool take(std::string_view words) {
    if (!rest_.starts_with(words)) return false;
    rest_.remove_prefix(words.size());
    return true;
  }

  Piece choice(u32 depth) {
    Piece piece;
    piece.kind = Piece::Kind::kChoice;
    if (depth > kDeepestGroup) {
      fail("groups are nested too deeply");
      return piece;
    }
    do {
      piece.parts.push_back(sequence(depth));
    } while (take("|"));
    if (piece.parts.size() > 1 && depth == 0 && (anchored_begin || anchored_end)) {
      fail("^ and $ beside | without a group around are not supported");
    }
    return piece;
  }

  Piece sequence(u32 depth) {
    Piece piece;
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      if (rest_ == "$" && depth == 0) {
        take("$");
        anchored_end = true;
        break;
      }
      piece.parts.push_back(repeated(depth));
    }
    return piece;
  }

  Piece repeated(u32 depth) {
    Piece piece = atom(depth);
    for (;;) {
      u32 min = 0;
      u32 max = kUnlimited;
      if (take("+")) {
        min = 1;
      } else if (take("?")) {
        max = 1;
      } else if (rest_.starts_with('{')) {
        counts(min, max);
      } else if (!take("*")) {
        return piece;
      }
      take("?");  // which of several matches is found does not matter
      if (may_be_empty(piece) && max > 1) fail("a repetition of something that may be empty is not supported");
      Piece repeat{.kind = Piece::Kind::kRepeat, .min = min, .max = max};
      repeat.parts.push_back(std::move(piece));
      piece = std::move(repeat);
    }
  }

  std::optional<u32> count() {
    u32 value = 0;
    bool any = false;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9' && value <= kMostRepetitions) {
      value = value * 10 + static_cast<u32>(rest_.front() - '0');
      rest_.remove_prefix(1);
      any = true;
    }
    if (value > kMostRepetitions) fail(fmt::format("more than {} repetitions", kMostRepetitions));
    return any ? std::optional(value) : std::nullopt;
  }
  void counts(u32& min, u32& max) {
    take("{");
    const std::optional<u32> least = count();
    min = least.value_or(0);
    max = min;
    if (take(",")) max = count().value_or(kUnlimited);
    if (!least || !take("}") || max < min) fail("a repetition is not of the form {n}, {n,} or {n,m}");
  }

  Piece atom(u32 depth) {
    if (take("(")) {
      if (rest_.starts_with('?') && !take("?:")) fail("groups that begin with (? are not supported, except (?:");
      Piece group = choice(depth + 1);
      if (!take(")")) fail("a group is not closed");
      return group;
    }
    if (take("[")) return char_class();
    Piece piece{.kind = Piece::Kind::kCharacters};
    if (take(".")) {
      piece.negated = true;
      piece.ascii = byte_set("\n\r");
    } else if (take("\\")) {
      escape(piece);
    } else if (rest_.find_first_of("^$*+?{}])") == 0) {
      fail(fmt::format("\"{}\" is not supported there", rest_.substr(0, 1)));
    } else {
      add_character(piece);
    }
    return piece;
  }

  // The next character of the expression, whatever it is.
  std::string character() {
    if (rest_.empty()) {
      fail("it ends early");
      return {};
    }
    const auto lead = static_cast<u8>(rest_.front());
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    std::string character(rest_.substr(0, length));
    rest_.remove_prefix(character.size());
    return character;
  }
  void add_character(Piece& piece) { add(piece, character()); }
  static void add(Piece& piece, const std::string& character) {
    if (character.size() == 1) piece.ascii.set(static_cast<u8>(character.front()));
    if (character.size() > 1) piece.others.push_back(character);
  }

  static ByteSet word() { return byte_range('0', '9') | byte_range('a', 'z') | byte_range('A', 'Z') | byte_set("_"); }

  // After a backslash. Of the classes' opposites only ASCII is excluded, which \s of other alphabets is a part of.
  void escape(Piece& piece) {
    const std::string name = character();
    if (name == "d")
      piece.ascii |= byte_range('0', '9');
    else if (name == "w")
      piece.ascii |= word();
    else if (name == "s")
      piece.ascii |= byte_set(" \t\n\r\f\v");
    else if (name == "D" || name == "W" || name == "S")
      opposite(piece, name);
    else if (name == "n")
      piece.ascii |= byte_set("\n");
    else if (name == "r")
      piece.ascii |= byte_set("\r");
    else if (name == "t")
      piece.ascii |= byte_set("\t");
    else if (name == "u")
      code_point(piece, 4);
    else if (name == "x")
      code_point(piece, 2);
    else if (name.size() == 1 && byte_set("0123456789").test(static_cast<u8>(name[0])))
      fail("references to groups are not supported");
    else if (name.size() == 1 && word().test(static_cast<u8>(name[0])))
      fail(fmt::format("\\{} is not supported", name));
    else
      add(piece, name);
  }
  void opposite(Piece& piece, const std::string& name) {
    if (piece.ascii.any() || !piece.others.empty() || piece.negated)
      return fail(fmt::format("\\{} inside a class is not supported", name));
    piece.negated = true;
    piece.ascii = name == "D" ? byte_range('0', '9') : name == "W" ? word() : byte_set(" \t\n\r\f\v");
  }
  void code_point(Piece& piece, u32 digits) {
    u32 code = 0;
    for (u32 i = 0; i < digits; ++i) {
      const std::size_t value =
          std::string_view("0123456789abcdef").find(rest_.empty() ? '?' : static_cast<char>(rest_.front() | 0x20));
      if (value == std::string_view::npos) return fail("an escape needs hexadecimal digits");
      code = code * 16 + static_cast<u32>(value);
      rest_.remove_prefix(1);
    }
    if (code >= 0xd800 && code < 0xe000) return fail("halves of surrogate pairs are not supported");
    std::string utf8;
    if (code < 0x80) {
      utf8 = static_cast<char>(code);
    } else if (code < 0x800) {
      utf8 = {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
    } else {
      utf8 = {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
              static_cast<char>(0x80 | (code & 63))};
    }
    add(piece, utf8);
  }

  Piece char_class() {
    Piece piece{.kind = Piece::Kind::kCharacters};
    const bool negated = take("^");
    for (bool first = true; first || !rest_.starts_with(']'); first = false) {
      if (rest_.empty()) {
        fail("a class is not closed");
        return piece;
      }
      Piece one;
      if (take("\\"))
        escape(one);
      else
        add_character(one);
      if (one.negated) fail("\\D, \\W and \\S inside a class are not supported");
      if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        take("-");
        Piece last;
        if (take("\\"))
          escape(last);
        else
          add_character(last);
        range(one, last);
      }
      piece.ascii |= one.ascii;
      piece.others.insert(piece.others.end(), one.others.begin(), one.others.end());
    }
    take("]");
    if (negated && !piece.others.empty()) fail("a negated class with characters beyond ASCII is not supported");
    piece.negated = negated;
    return piece;
  }
  void range(Piece& first, const Piece& last) {
    if (first.ascii.count() != 1 || last.ascii.count() != 1 || !first.others.empty() || !last.others.empty()) {
      return fail("ranges in classes are supported between ASCII characters only");
    }
    const auto from = static_cast<u8>(first.ascii._Find_first());
    const auto to = static_cast<u8>(last.ascii._Find_first());
    if (from > to) return fail("a range in a class goes backwards");
    first.ascii = byte_range(from, to);
  }

  std::string_view rest_;
  std::optional<std::string> problem_;
};

GrammarNode build(const PatternContext& context, const Piece& piece, GrammarNode next) {
  Grammar& g = context.grammar;
  switch (piece.kind) {
    case Piece::Kind::kCharacters: {
      if (piece.negated) return context.none_of(piece.ascii, next);
      std::vector<GrammarNode> characters;
      if (piece.ascii.any()) characters.push_back(context.one_of(piece.ascii, next));
      for (const std::string& other : piece.others) characters.push_back(g.literal(other, next));
      return g.either(characters);
    }
    case Piece::Kind::kSequence:
      for (std::size_t i = piece.parts.size(); i-- > 0;) next = build(context, piece.parts[i], next);
      return next;
    case Piece::Kind::kChoice: {
      std::vector<GrammarNode> choices;
      for (const Piece& part : piece.parts) choices.push_back(build(context, part, next));
      return g.either(choices);
    }
    case Piece::Kind::kRepeat:
      return g.repeat(g.add_rule(build(context, piece.parts.front(), g.end())), piece.min, piece.max, next);
  }
  return next;
}

}  // namespace

Result<GrammarNode> compile_pattern(const PatternContext& context, std::string_view pattern, GrammarNode next) {
  PatternReader reader(pattern);
  Result<Piece> piece = reader.read();
  if (!piece) return piece.error();
  Grammar& g = context.grammar;
  const auto anything = [&](GrammarNode after) {
    return g.repeat(g.add_rule(context.none_of({}, g.end())), 0, kUnlimited, after);
  };
  if (!reader.anchored_end) next = anything(next);
  next = build(context, *piece, next);
  return reader.anchored_begin ? next : anything(next);
}

}  // namespace bolide::text
