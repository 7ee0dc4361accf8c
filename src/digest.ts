/** A short, stable name for a text. Not for secrets against attackers: loading a real one would slow every start. */

/** FNV-1a, 32 bits. */
export function digest(text: string, seed = 0x81_1c_9d_c5): string {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** Four of them from different starts: long enough that no two texts of a lifetime share one. */
export function longDigest(text: string): string {
  return [0x81_1c_9d_c5, 0x3c_6e_f3_72, 0x51_0e_52_7f, 0x1f_83_d9_ab]
    .map((seed) => digest(text, seed))
    .join('');
}
