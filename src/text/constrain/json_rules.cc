#include "text/constrain/json_rules.h"

#include "text/json.h"

namespace bolide::text {
namespace {

constexpr u32 kDeepestIndent = 64;

GrammarNode digits(Grammar& g, GrammarNode next) {
  return g.bytes(byte_range('0', '9'),
                 g.repeat(g.add_rule(g.bytes(byte_range('0', '9'), g.end())), 0, kUnlimited, next));
}

// 0, or digits that do not begin with 0; a sign before them.
GrammarNode integer_part(Grammar& g, GrammarNode next) {
  const GrammarRule digit = g.add_rule(g.bytes(byte_range('0', '9'), g.end()));
  const GrammarNode magnitude =
      g.either({g.literal("0", next), g.bytes(byte_range('1', '9'), g.repeat(digit, 0, kUnlimited, next))});
  return g.either({magnitude, g.literal("-", magnitude)});
}

GrammarNode number(Grammar& g) {
  const GrammarNode exponent =
      g.bytes(byte_set("eE"), g.either({digits(g, g.end()), g.bytes(byte_set("+-"), digits(g, g.end()))}));
  const GrammarNode after_fraction = g.either({g.end(), exponent});
  return integer_part(g, g.either({after_fraction, g.literal(".", digits(g, after_fraction))}));
}

GrammarNode escape(Grammar& g, GrammarNode next) {
  const ByteSet hex = byte_range('0', '9') | byte_range('a', 'f') | byte_range('A', 'F');
  const auto four = [&](const ByteSet& first, const ByteSet& second, GrammarNode after) {
    return g.bytes(first, g.bytes(second, g.bytes(hex, g.bytes(hex, after))));
  };
  const ByteSet not_d = hex & ~byte_set("dD");
  // Halves of a surrogate pair only together.
  const GrammarNode low = g.literal("\\u", four(byte_set("dD"), hex & ~byte_range('0', '9') & ~byte_set("aAbB"), next));
  const GrammarNode unicode = g.either({four(not_d, hex, next), four(byte_set("dD"), byte_range('0', '7'), next),
                                        four(byte_set("dD"), byte_set("89abAB"), low)});
  return g.literal("\\", g.either({g.bytes(byte_set("\"\\/bfnrt"), next), g.literal("u", unicode)}));
}

}  // namespace

GrammarNode utf8_character(Grammar& g, const ByteSet& ascii, GrammarNode next) {
  const ByteSet tail = byte_range(0x80, 0xbf);
  const GrammarNode one = g.bytes(tail, next);
  const GrammarNode two = g.bytes(tail, one);
  const GrammarNode three = g.bytes(tail, two);
  return g.either({g.bytes(ascii, next), g.bytes(byte_range(0xc2, 0xdf), one),
                   g.bytes(byte_range(0xe0, 0xe0), g.bytes(byte_range(0xa0, 0xbf), one)),
                   g.bytes(byte_range(0xe1, 0xec) | byte_range(0xee, 0xef), two),
                   g.bytes(byte_range(0xed, 0xed), g.bytes(byte_range(0x80, 0x9f), one)),
                   g.bytes(byte_range(0xf0, 0xf0), g.bytes(byte_range(0x90, 0xbf), two)),
                   g.bytes(byte_range(0xf1, 0xf3), three),
                   g.bytes(byte_range(0xf4, 0xf4), g.bytes(byte_range(0x80, 0x8f), two))});
}

GrammarNode json_characters(Grammar& g, std::string_view characters, GrammarNode next) {
  std::string escaped;
  append_json_escaped(escaped, characters);
  return g.literal(escaped, next);
}

JsonRules::JsonRules(Grammar& g) {
  const ByteSet plain = byte_range(0x20, 0x7f) & ~byte_set("\"\\");
  character = g.add_rule(g.either({utf8_character(g, plain, g.end()), escape(g, g.end())}));
  string = g.add_rule(g.literal("\"", g.repeat(character, 0, kUnlimited, g.literal("\"", g.end()))));
  integer = g.add_rule(integer_part(g, g.end()));
  number = g.add_rule(text::number(g));

  const GrammarRule indent = g.add_rule(g.literal(" ", g.end()));
  blank = g.add_rule(g.either({g.end(), g.literal("\n", g.repeat(indent, 0, kDeepestIndent, g.end()))}));
  comma = g.add_rule(g.literal(",", g.either({g.end(), g.literal(" ", g.end()), g.call(blank, g.end())})));
  key = g.add_rule(g.call(string, g.literal(":", g.optional(g.literal(" ", g.end()), g.end()))));

  value = g.declare_rule();
  const GrammarRule more_items = g.add_rule(g.call(comma, g.call(value, g.end())));
  const GrammarNode array_end = g.call(blank, g.literal("]", g.end()));
  array = g.add_rule(g.literal(
      "[", g.call(blank,
                  g.either({g.literal("]", g.end()), g.call(value, g.repeat(more_items, 0, kUnlimited, array_end))}))));
  const GrammarRule more_members = g.add_rule(g.call(comma, g.call(key, g.call(value, g.end()))));
  const GrammarNode object_end = g.call(blank, g.literal("}", g.end()));
  object = g.add_rule(g.literal(
      "{", g.call(blank, g.either({g.literal("}", g.end()),
                                   g.call(key, g.call(value, g.repeat(more_members, 0, kUnlimited, object_end)))}))));
  g.define_rule(value, g.either({g.call(string, g.end()), g.call(number, g.end()), g.call(array, g.end()),
                                 g.call(object, g.end()), g.literal("true", g.end()), g.literal("false", g.end()),
                                 g.literal("null", g.end())}));
}

}  // namespace bolide::text
