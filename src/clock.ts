/** Lends time and chance to the rooms that have none of their own. */
import type { Tools } from './era/bridge.ts';

export const CLOCK: Tools = {
  later(ms, act) {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
  createSecret: () => crypto.randomUUID(),
};
