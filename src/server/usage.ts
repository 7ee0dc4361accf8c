/** When a server was last of use, and whether it still owes us an answer. Knows only what it is told. */
import { now } from '../clock.ts';

export class Usage {
  readonly #isWatched: boolean;
  #last = now();
  #keptUntil = 0;
  /** Requests of ours that are open. */
  #asked = 0;

  /** `isWatched`: whether the server may be put to rest. Nobody else needs to know, and asking for the time costs something. */
  constructor(isWatched: boolean) {
    this.#isWatched = isWatched;
  }

  /** Undefined while it is in use, or when that is not watched. */
  get idleSince(): number | undefined {
    return this.#isWatched && this.#asked === 0 && this.#keptUntil <= now() ? this.#last : undefined;
  }

  /** It has something that would be lost with its process. */
  keepFor(ms: number): void {
    if (this.#isWatched) this.#keptUntil = Math.max(this.#keptUntil, now() + ms);
  }

  /** A new process is there; what the last one was kept for is gone with it. */
  begin(): void {
    this.#keptUntil = 0;
    this.note();
  }

  note(): void {
    if (this.#isWatched) this.#last = now();
  }

  async during<Answer>(request: Promise<Answer>): Promise<Answer> {
    this.#asked += 1;
    try {
      return await request;
    } finally {
      this.#asked -= 1;
      this.note();
    }
  }
}
