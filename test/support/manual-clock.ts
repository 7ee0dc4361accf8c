/** A clock that stands still until it is moved. Wakes nobody by itself. */
import type { Clock } from '../../src/clock.ts';

export class ManualClock implements Clock {
  #now = 0;
  #alarms = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  later(ms: number, act: () => void): () => void {
    this.#alarms.set(act, this.#now + ms);
    return () => this.#alarms.delete(act);
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
