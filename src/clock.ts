/** The time, for those who are to be given it. */

/** Milliseconds on a clock that never goes back, fine enough to tell any two moments apart. */
export function now(): number {
  // Not `performance`: loading it would cost every start half a millisecond.
  return process.uptime() * 1000;
}

/** The time as an argument. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Acts once, so much later; the returned function calls it off. */
  later(ms: number, act: () => void): () => void;
}

/** That of this machine; keeps no process alive. */
export const CLOCK: Clock = {
  now,
  later(ms, act) {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
};
