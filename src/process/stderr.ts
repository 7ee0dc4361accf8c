/** Cuts a child's stderr into lines, bounded in length and rate; neither cleans nor prints them. */
import { StringDecoder } from 'node:string_decoder';

/** The time, as far as a rate limit needs it. */
export interface StderrClock {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Calls back once after so many milliseconds; the returned function calls it off. */
  after(delayMs: number, callback: () => void): () => void;
}

export interface StderrReaderOptions {
  readonly onLine: (line: string) => void;
  readonly clock?: StderrClock;
}

const LINE_LIMIT_BYTES = 8 * 1024;
const RATE_LIMIT_BYTES = 64 * 1024;
const RATE_WINDOW_MS = 1000;
const TAIL_LINES = 20;
const CUT_MARK = ' … (line cut at 8 KiB)';
const LF = 0x0a;
const CR = 0x0d;

const systemClock: StderrClock = {
  // Not `performance`: loading it would cost every start half a millisecond.
  now: () => process.uptime() * 1000,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Takes the bytes as they come and keeps the last lines; never holds more than one line and those. */
export class StderrReader {
  readonly #onLine: (line: string) => void;
  readonly #clock: StderrClock;
  readonly #tail: string[] = [];

  /** The line that has no end yet; bytes beyond the buffer are only counted. */
  readonly #line = Buffer.allocUnsafeSlow(LINE_LIMIT_BYTES);
  #lineBytes = 0;
  #afterCarriageReturn = false;

  #windowStart = Number.NEGATIVE_INFINITY;
  #windowBytes = 0;
  #droppedBytes = 0;
  #cancelTimer: (() => void) | undefined;

  constructor({ onLine, clock = systemClock }: StderrReaderOptions) {
    this.#onLine = onLine;
    this.#clock = clock;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#append(chunk.subarray(start, end));
      this.#endLine(1);
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
  }

  /** Gives out what is still held back: a line without an end, and the count of what was dropped. */
  flush(): void {
    if (this.#lineBytes > 0) this.#endLine(0);
    this.#reportDropped();
  }

  /** The last lines, also those that the rate limit kept from being given out, and the one without an end. */
  tail(): string[] {
    return this.#lineBytes > 0 ? [...this.#tail, this.#readLine()].slice(-TAIL_LINES) : [...this.#tail];
  }

  /** A carriage return starts the line over, as on a terminal, unless the line ends there. */
  #append(bytes: Uint8Array): void {
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === CR) end -= 1;
    if (end > 0) {
      const restart = bytes.lastIndexOf(CR, end - 1) + 1;
      if (restart > 0 || this.#afterCarriageReturn) this.#lineBytes = 0;
      const room = Math.max(0, LINE_LIMIT_BYTES - this.#lineBytes);
      this.#line.set(
        bytes.subarray(restart, Math.min(end, restart + room)),
        Math.min(this.#lineBytes, LINE_LIMIT_BYTES),
      );
      this.#lineBytes += end - restart;
      this.#afterCarriageReturn = false;
    }
    if (end < bytes.length) this.#afterCarriageReturn = true;
  }

  #endLine(terminatorBytes: number): void {
    const size = this.#lineBytes + terminatorBytes;
    const text = this.#readLine();
    this.#lineBytes = 0;
    this.#tail.push(text);
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
    if (this.#isWithinRate(Math.min(size, LINE_LIMIT_BYTES))) this.#onLine(text);
    else this.#droppedBytes += size;
  }

  #readLine(): string {
    if (this.#lineBytes <= LINE_LIMIT_BYTES) return this.#line.toString('utf8', 0, this.#lineBytes);
    // The decoder holds back a character that the cut went through.
    return new StringDecoder('utf8').write(this.#line) + CUT_MARK;
  }

  /** Once a line did not fit into its second, none does until the second is over: no gaps between lines. */
  #isWithinRate(bytes: number): boolean {
    const now = this.#clock.now();
    if (now - this.#windowStart >= RATE_WINDOW_MS) {
      this.#reportDropped();
      this.#windowStart = now;
      this.#windowBytes = 0;
    }
    if (this.#cancelTimer !== undefined) return false;
    this.#windowBytes += bytes;
    if (this.#windowBytes <= RATE_LIMIT_BYTES) return true;
    const left = this.#windowStart + RATE_WINDOW_MS - now;
    this.#cancelTimer = this.#clock.after(left, () => this.#reportDropped());
    return false;
  }

  #reportDropped(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#droppedBytes === 0) return;
    const notice = `… ${this.#droppedBytes} bytes of stderr dropped`;
    this.#droppedBytes = 0;
    this.#onLine(notice);
  }
}
