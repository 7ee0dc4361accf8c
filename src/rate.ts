/** Lets so much through in each span of time and counts the rest; neither keeps nor prints anything. */
import { type Clock, CLOCK } from './clock.ts';

export interface RateOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** Told when the span is over, with what did not fit into it. */
  readonly onDropped: (amount: number) => void;
  readonly clock?: Clock | undefined;
}

export class Rate {
  readonly #options: RateOptions;
  readonly #clock: Clock;
  #windowStart = Number.NEGATIVE_INFINITY;
  #used = 0;
  #dropped = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: RateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? CLOCK;
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
    this.#cancelTimer = this.#clock.later(this.#windowStart + windowMs - time, () => this.flush());
    return false;
  }
}
