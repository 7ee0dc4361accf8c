/** A short, stable name for a text. Not for secrets against attackers: loading a real one would slow every start. */

const SEED = 0x81_1c_9d_c5;
const PRIME = 0x01_00_01_93;
/** Another start and another multiplier: what is alike to the one is not to the other. */
const SECOND_SEED = 0x3c_6e_f3_72;
const SECOND_PRIME = 0x85_eb_ca_6b;

/** FNV-1a, 32 bits. */
export function digest(text: string): string {
  let hash = SEED;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return toHex(hash);
}

/** Two of a kind in one pass: long enough that no two configs of a lifetime share one. */
export function longDigest(text: string): string {
  // Filled up to words, which are four times fewer than bytes: a start has not run this often enough for it to be fast.
  const bytes = Buffer.from(`${text}\0\0\0`);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let first = SEED;
  let second = SECOND_SEED;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as number;
    first = Math.imul(first ^ (first >>> 13) ^ word, PRIME);
    second = Math.imul(second ^ (second >>> 15) ^ word, SECOND_PRIME);
  }
  return `${toHex(first)}${toHex(second)}`;
}

function toHex(hash: number): string {
  return (hash >>> 0).toString(16).padStart(8, '0');
}
