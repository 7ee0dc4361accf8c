/** Counts how often a server was started, and says when it may be again. */
import { now } from '../clock.ts';

const WINDOW_MS = 60_000;
const STARTS_PER_WINDOW = 3;

export class Restarts {
  readonly #now: () => number;
  #starts: number[] = [];

  constructor(read: () => number = now) {
    this.#now = read;
  }

  /** Counts a start. */
  note(): void {
    this.#starts = [...this.#starts, this.#now()].slice(-STARTS_PER_WINDOW);
  }

  /** Those before do not count any more: the server stayed as long as it was to. */
  forget(): void {
    this.#starts = [];
  }

  /** How long until the next start is allowed; 0 when it is. */
  get waitMs(): number {
    const [oldest] = this.#starts;
    if (oldest === undefined || this.#starts.length < STARTS_PER_WINDOW) return 0;
    return Math.max(0, oldest + WINDOW_MS - this.#now());
  }

  describe(): string {
    const seconds = Math.ceil(this.waitMs / 1000);
    return `it was started ${STARTS_PER_WINDOW} times within ${WINDOW_MS / 1000} s and did not stay; it may be started again in ${seconds} s`;
  }
}
