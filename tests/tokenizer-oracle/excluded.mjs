// The code points that the comparison leaves out. Node's regular expressions follow a newer Unicode than our 15.0, and
// ECMAScript's \s differs from White_Space in two code points; tests/text/splitter_test.cc says what we do with those.
import assigned from '@unicode/unicode-15.0.0/Binary_Property/Assigned/regex.mjs';

const isAssigned = new RegExp(`^(?:${assigned.source})$`, assigned.flags);

function leftOut(codePoint) {
  if (codePoint >= 0xd800 && codePoint < 0xe000) return true; // no text: half a surrogate pair
  if (codePoint === 0x85 || codePoint === 0xfeff) return true;
  return !isAssigned.test(String.fromCodePoint(codePoint));
}

// The code points that take part, ascending.
export const comparedCodePoints = [];
for (let codePoint = 0; codePoint < 0x110000; ++codePoint) {
  if (!leftOut(codePoint)) comparedCodePoints.push(codePoint);
}

const compared = new Set(comparedCodePoints);

// The text without the characters that are left out.
export function withoutExcluded(text) {
  let result = '';
  for (const character of text) {
    if (compared.has(character.codePointAt(0))) result += character;
  }
  return result;
}
