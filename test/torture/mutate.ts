/** Spoils lines a little: enough to be wrong, not so much that nobody would look at them. */
import type { Random } from './random.ts';

/** What is put into lines: bytes that parsers trip over, and pieces of messages in places where they do not belong. */
const INSERTIONS: readonly Buffer[] = [
  ['"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\r', '\t', ' ', '\0', '\u0001', '\u007F', '\u2028'],
  ['null', 'true', '-', '0', '1e400', '1.0', '9007199254740993', '"id":1,', '"method":"x",', '"id":null,'],
  [
    '"\\ud800"',
    '"\\u0000"',
    '\\u00',
    '"__proto__":{},',
    '"params":[],',
    '"result":{},',
    '"error":{},',
    '[[[[',
  ],
  ['\u{FEFF}', 'é', '𝄞', '"jsonrpc":"1.0",', '\\"', '{"a":{"a":{"a":', '"params":{"name":"a:echo"},'],
].flatMap((row) => row.map((text) => Buffer.from(text)));
const BROKEN: readonly Buffer[] = [
  [0xff],
  [0xc3],
  [0xe2, 0x88],
  [0xed, 0xa0, 0x80],
  [0xc0, 0xaf],
  [0x80],
].map((bytes) => Buffer.from(bytes));

export function mutate(line: Buffer, others: readonly Buffer[], random: Random): Buffer {
  let mutated = line;
  for (let left = 1 + random.below(3); left > 0; left -= 1) mutated = mutateOnce(mutated, others, random);
  return mutated;
}

function mutateOnce(line: Buffer, others: readonly Buffer[], random: Random): Buffer {
  const at = random.below(line.length + 1);
  const end = Math.min(line.length, at + 1 + random.below(12));
  const [before, inside, after] = [line.subarray(0, at), line.subarray(at, end), line.subarray(end)];
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([before, random.pick(INSERTIONS), inside, after]);
    case 1:
      return Buffer.concat([before, random.pick(INSERTIONS), after]);
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, inside, inside, after]);
    case 4:
      return Buffer.concat([before, random.pick(BROKEN), inside, after]);
    case 5: {
      const other = random.pick(others);
      return Buffer.concat([before, other.subarray(random.below(other.length))]);
    }
    default: {
      const flipped = Buffer.from(line);
      if (at < line.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
      return flipped;
    }
  }
}

/** The bytes in pieces, each in memory of its own, as they come from a pipe. */
export function cut(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  const longest = random.pick([1, 3, 20, 100, 10_000]);
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random.below(longest);
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}
