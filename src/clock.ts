/** The time, and chance for the rooms that have none of their own. */
import type { Tools } from './era/types.ts';

/** Milliseconds on a clock that never goes back, fine enough to tell any two moments apart. */
export function now(): number {
  // Not `performance`: loading it would cost every start half a millisecond.
  return process.uptime() * 1000;
}

export const CLOCK: Tools = {
  now,
  later(ms, act) {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
  createSecret: () => crypto.randomUUID(),
};
