/** Lends time and chance to the rooms that have none of their own. */
import type { Tools } from './era/types.ts';

export const CLOCK: Tools = {
  now: () => performance.now(),
  later(ms, act) {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
  createSecret: () => crypto.randomUUID(),
};
