/** Does something at the end of the current turn of the loop, after what was asked for before. */

const SETTLED = Promise.resolve();

/** Costs less than `queueMicrotask`, for which Node.js makes a resource each time. */
export function soon(act: () => void): void {
  void SETTLED.then(act);
}
