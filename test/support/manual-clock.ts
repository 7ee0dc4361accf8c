/** A clock that stands still until it is moved. Wakes nobody by itself. */
import type { RateClock } from '../../src/rate.ts';

export class ManualClock implements RateClock {
  #now = 0;
  #alarms = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    this.#alarms.set(callback, this.#now + delayMs);
    return () => this.#alarms.delete(callback);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const [callback, time] of this.#alarms) {
      if (time > this.#now) continue;
      this.#alarms.delete(callback);
      callback();
    }
  }

  get pending(): number {
    return this.#alarms.size;
  }
}
