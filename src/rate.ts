/** Lets so much through in each span of time and counts the rest; neither keeps nor prints anything. */
import { now } from './clock.ts';

/** The time, as far as a rate needs it. */
export interface RateClock {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Calls back once after so many milliseconds; the returned function calls it off. */
  after(delayMs: number, callback: () => void): () => void;
}

export interface RateOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** Told when the span is over, with what did not fit into it. */
  readonly onDropped: (amount: number) => void;
  readonly clock?: RateClock | undefined;
}

const systemClock: RateClock = {
  now,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

export class Rate {
  readonly #options: RateOptions;
  readonly #clock: RateClock;
  #windowStart = Number.NEGATIVE_INFINITY;
  #used = 0;
  #dropped = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: RateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether this fits; if not, the amount counts as dropped. */
  take(cost: number, amount: number = cost): boolean {
    const isLetThrough = this.#fits(cost);
    if (!isLetThrough) this.#dropped += amount;
    return isLetThrough;
  }

  /** Tells what was dropped so far. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#dropped === 0) return;
    const amount = this.#dropped;
    this.#dropped = 0;
    this.#options.onDropped(amount);
  }

  /** Once something did not fit into its span, nothing does until the span is over: no gaps. */
  #fits(cost: number): boolean {
    const { limit, windowMs } = this.#options;
    const time = this.#clock.now();
    if (time - this.#windowStart >= windowMs) {
      this.flush();
      this.#windowStart = time;
      this.#used = 0;
    }
    if (this.#cancelTimer !== undefined) return false;
    this.#used += cost;
    if (this.#used <= limit) return true;
    this.#cancelTimer = this.#clock.after(this.#windowStart + windowMs - time, () => this.flush());
    return false;
  }
}
