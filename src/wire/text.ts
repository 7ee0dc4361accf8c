/** Skips plain text inside a JSON string: byte by byte, then in words, then by the system's own search. */

import { isAscii as areAscii } from 'node:buffer';

/** What is remembered of the text that was skipped. */
export interface Seen {
  /** All its bytes, laid over each other. */
  bits: number;
  /** Whether the last run was long and went on to the end of its piece: then it goes on as it was. */
  isLongRun: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** From here on, a run of text is worth the set-up of reading it in words. */
const WORDS_FROM_BYTES = 48;
/**
 * From here on, a run is a document or a picture, and looking at every byte would cost more than passing it on. Its end
 * is found, its UTF-8 is checked; a control character in it goes through, as it would without us.
 */
const SEARCH_FROM_BYTES = 4096;
const HIGH_BITS = 0x80_80_80_80;

/** Whether no byte beyond ASCII can be among them. */
export function isAscii({ bits }: Seen): boolean {
  return (bits & HIGH_BITS) === 0;
}

/** From inside a string to the first byte that is not plain text: a quote, a backslash, a control character. */
export function skipText(bytes: Buffer, start: number, seen: Seen): number {
  if (seen.isLongRun) return searchEnd(bytes, start, seen);
  const soon = start + WORDS_FROM_BYTES;
  const at = skipBytes(bytes, start, Math.min(soon, bytes.length), seen);
  return at === soon ? skipRun(bytes, at, seen) : at;
}

function skipRun(bytes: Buffer, start: number, seen: Seen): number {
  // Words must be aligned in memory.
  const wordsFrom = start + ((4 - ((bytes.byteOffset + start) & 3)) & 3);
  const searchFrom = wordsFrom + SEARCH_FROM_BYTES;
  let at = skipBytes(bytes, start, Math.min(wordsFrom, bytes.length), seen);
  if (at === wordsFrom) at = skipWords(bytes, at, Math.min(searchFrom, bytes.length), seen);
  if (at === searchFrom) return searchEnd(bytes, at, seen);
  return at >= wordsFrom ? skipBytes(bytes, at, bytes.length, seen) : at;
}

function skipBytes(bytes: Buffer, start: number, end: number, seen: Seen): number {
  let bits = 0;
  let at = start;
  for (; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) break;
    bits |= byte;
  }
  seen.bits |= bits;
  return at;
}

/** Stops at the word that has the byte in it. */
function skipWords(bytes: Buffer, start: number, end: number, seen: Seen): number {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + start, (end - start) >> 2);
  let bits = 0;
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] as number;
    // The high bit of a byte is set where it is below the space, a quote, a backslash; bytes beyond ASCII do not count.
    const found =
      ((word - 0x20_20_20_20) |
        ((word ^ 0x22_22_22_22) - 0x01_01_01_01) |
        ((word ^ 0x5c_5c_5c_5c) - 0x01_01_01_01)) &
      ~word;
    if ((found & HIGH_BITS) !== 0) break;
    bits |= word;
  }
  seen.bits |= bits;
  return start + index * 4;
}

function searchEnd(bytes: Buffer, start: number, seen: Seen): number {
  const quote = bytes.indexOf(QUOTE, start);
  const backslash = bytes.indexOf(BACKSLASH, start);
  const found = [quote, backslash].filter((at) => at !== -1);
  const end = Math.min(bytes.length, ...found);
  // Now, while the bytes are in the processor's cache.
  if (!areAscii(bytes.subarray(start, end))) seen.bits |= HIGH_BITS;
  seen.isLongRun = end === bytes.length;
  return end;
}
