// Seeded random texts that the splitter's rules meet in every order: scripts, digits, spaces, marks, emoji, code.
import { comparedCodePoints } from './excluded.mjs';

// xorshift32: the same numbers everywhere.
export class Random {
  constructor(seed) {
    this.state = seed;
  }
  // An integer from 0 to n - 1.
  below(n) {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % n;
  }
  between(low, high) {
    return low + this.below(high - low + 1);
  }
  choose(list) {
    return list[this.below(list.length)];
  }
}

const compared = new Set(comparedCodePoints);
const range = (first, last) => {
  const characters = [];
  for (let c = first; c <= last; ++c) if (compared.has(c)) characters.push(String.fromCodePoint(c));
  return characters;
};

const scripts = [
  [0x61, 0x7a], [0x41, 0x5a], [0xc0, 0x24f], [0x370, 0x3ff], [0x400, 0x52f], [0x531, 0x58a], [0x591, 0x5f4],
  [0x600, 0x6ff], [0x700, 0x74f], [0x900, 0x97f], [0x980, 0x9fe], [0xb82, 0xbfa], [0xd00, 0xd7f], [0xe01, 0xe5b],
  [0xf00, 0xfda], [0x1000, 0x109f], [0x10a0, 0x10ff], [0x1100, 0x11ff], [0x1200, 0x137c], [0x13a0, 0x13fd],
  [0x1780, 0x17f9], [0x1e00, 0x1eff], [0x3041, 0x309f], [0x30a0, 0x30ff], [0x3100, 0x312f], [0x3400, 0x3500],
  [0x4e00, 0x4f00], [0x9f00, 0x9fff], [0xac00, 0xad00], [0xfb00, 0xfdff], [0xff00, 0xffee], [0x10330, 0x1034a],
  [0x12000, 0x12100], [0x1d400, 0x1d4ff], [0x1e900, 0x1e95f], [0x20000, 0x20100],
].map(([first, last]) => range(first, last));
const numbers = [
  range(0x30, 0x39), range(0x660, 0x669), range(0x966, 0x96f), range(0xff10, 0xff19), range(0x2150, 0x2189),
  range(0x2460, 0x249b), range(0x1d7ce, 0x1d7ff), ['²', '³', '¹', '¼', '½', '¾', '〇', '〡', '㊀'],
];
const spaces = [
  ' ', '\t', '\n', '\r', '\r\n', '\v', '\f', '\u00a0', '\u1680', ...range(0x2000, 0x200a), '\u2028', '\u2029',
  '\u202f', '\u205f', '\u3000',
];
const asciiPunctuation = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'];
const otherPunctuation = [...range(0x2010, 0x2027), ...range(0x3001, 0x3020), ...range(0xff01, 0xff0f), ...'«»¿¡·、。'];
const symbols = [...range(0x20a0, 0x20c0), ...range(0x2190, 0x22ff), ...range(0x2580, 0x26ff), ...'©®°±×÷¬¦'];
const marks = [...range(0x300, 0x36f), ...range(0x20d0, 0x20f0), '\ufe0f', '\ufe0e', '\u3099', '\u309a', '\u0947'];
const invisible = [...range(0x200b, 0x200f), ...range(0x202a, 0x202e), ...range(0x2060, 0x2064), '\u00ad', '\u180e',
  ...range(0, 8), ...range(0x1c, 0x1f), '\u007f', '\ue000', '\u{f0000}', '\u{e0061}'];
const emoji = [...range(0x1f300, 0x1f64f), ...range(0x1f680, 0x1f6fc), ...range(0x1f900, 0x1f9ff)];
const codeWords = ['for', 'return', 'int', 'const', 'self', 'void', 'function', 'x', 'i', '_y', 'HTTP', 'getName'];

const repeated = (random, list, most) => {
  let text = '';
  for (let n = random.between(1, most); n > 0; --n) text += random.choose(list);
  return text;
};

const makers = [
  (random) => repeated(random, random.choose(scripts), 12),
  (random) => repeated(random, random.choose(scripts), 4) + random.choose(marks) + repeated(random, scripts[0], 3),
  (random) => repeated(random, numbers[0], 9),
  (random) => repeated(random, random.choose(numbers), 9),
  (random) => ' ',
  (random) => ' ',
  (random) => repeated(random, [' ', '\n', '\t', '\r\n'], 6),
  (random) => repeated(random, spaces, 4),
  (random) => repeated(random, asciiPunctuation, 3),
  (random) => random.choose(asciiPunctuation) + random.choose(codeWords),
  (random) => repeated(random, otherPunctuation, 2),
  (random) => repeated(random, symbols, 3),
  (random) => repeated(random, marks, 3),
  (random) => repeated(random, invisible, 3),
  (random) => random.choose(emoji) + random.choose(['', '\ufe0f', '\u{1f3fd}', '\u200d' + random.choose(emoji)]),
  (random) => '\n' + ' '.repeat(random.between(0, 12)) + random.choose(codeWords) + random.choose(['(', ' = ', '();', ':']),
  (random) => String.fromCodePoint(random.choose(comparedCodePoints)),
  (random) => repeated(random, [random.choose(random.choose(scripts))], 40),
];

// A text of about 1 to 600 parts; now and then with added tokens, or with the beginning of one.
export function randomText(random, addedTokens) {
  let text = '';
  for (let n = random.between(1, random.choose([4, 20, 100, 600])); n > 0; --n) {
    if (random.below(100) === 0) {
      const token = random.choose(addedTokens);
      text += random.below(3) === 0 ? token.slice(0, random.between(1, token.length)) : token;
    } else {
      text += random.choose(makers)(random);
    }
  }
  return text;
}
