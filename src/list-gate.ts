/** Holds the first lists back until the servers are up: some clients never ask again. But not for ever. */

/** The first real clients give up at 10 s. */
const LONGEST_WAIT_MS = 4500;

export class ListGate {
  readonly #waiting: (() => void)[] = [];
  #isOpen = false;
  #timer: NodeJS.Timeout | undefined;

  /** The client is there: from now on it waits. */
  startWaiting(): void {
    this.#timer ??= setTimeout(() => this.open(), LONGEST_WAIT_MS);
  }

  get isWaiting(): boolean {
    return this.#timer !== undefined && !this.#isOpen;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  open(): void {
    clearTimeout(this.#timer);
    this.#isOpen = true;
    for (const act of this.#waiting.splice(0)) act();
  }

  whenOpen(act: () => void): void {
    if (this.#isOpen) act();
    else this.#waiting.push(act);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
