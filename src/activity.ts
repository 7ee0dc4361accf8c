/** Knows since when a server has had nothing to do for the client. Ends nothing. */
import { now } from './clock.ts';

export class Activity {
  #lastUse = now();
  /** Requests of ours that it still owes an answer to. */
  #asked = 0;

  /** Undefined while it is asked something. */
  get idleSince(): number | undefined {
    return this.#asked === 0 ? this.#lastUse : undefined;
  }

  note(): void {
    this.#lastUse = now();
  }

  async await<T>(answer: Promise<T>): Promise<T> {
    this.#asked += 1;
    try {
      return await answer;
    } finally {
      this.#asked -= 1;
      this.note();
    }
  }
}
