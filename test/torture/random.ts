/** Random choices that can be made again: everything follows from one seed, which is printed. Not for secrets. */
import { randomInt } from 'node:crypto';
import { isLong } from './scale.ts';

const SEED_LIMIT = 2 ** 32;

const USUAL_SEED = 20_260_728;

/** The usual one in the short form, a new one in the long form; `TORTURE_SEED` repeats an earlier one. */
export function chooseSeed(what: string): number {
  const seed = Number(process.env['TORTURE_SEED'] ?? (isLong ? randomInt(SEED_LIMIT) : USUAL_SEED));
  if (isLong) console.log(`${what}: TORTURE_SEED=${seed}`);
  return seed;
}

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, the limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / SEED_LIMIT) * limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }
}
