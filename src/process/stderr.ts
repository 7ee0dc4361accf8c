/** Cuts a child's stderr into lines, bounded in length and rate; neither cleans nor prints them. */
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../clock.ts';
import { Rate } from '../rate.ts';

export interface StderrReaderOptions {
  readonly onLine: (line: string) => void;
  readonly clock?: Clock;
}

const LINE_LIMIT_BYTES = 8 * 1024;
const RATE_LIMIT_BYTES = 64 * 1024;
const RATE_WINDOW_MS = 1000;
const TAIL_LINES = 20;
const CUT_MARK = ' … (line cut at 8 KiB)';
const LF = 0x0a;
const CR = 0x0d;

/** Takes the bytes as they come and keeps the last lines; never holds more than one line and those. */
export class StderrReader {
  readonly #onLine: (line: string) => void;
  readonly #rate: Rate;
  readonly #tail: string[] = [];

  /** The line that has no end yet; bytes beyond the buffer are only counted. */
  readonly #line = Buffer.allocUnsafeSlow(LINE_LIMIT_BYTES);
  #lineBytes = 0;
  #afterCarriageReturn = false;

  constructor({ onLine, clock }: StderrReaderOptions) {
    this.#onLine = onLine;
    this.#rate = new Rate({
      limit: RATE_LIMIT_BYTES,
      windowMs: RATE_WINDOW_MS,
      onDropped: (bytes) => onLine(`… ${bytes} bytes of stderr dropped`),
      clock,
    });
  }

  /** Gives the number of lines that ended. */
  push(chunk: Uint8Array): number {
    let start = 0;
    let count = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#append(chunk.subarray(start, end));
      this.#endLine(1);
      start = end + 1;
      count += 1;
    }
    this.#append(chunk.subarray(start));
    return count;
  }

  /** Gives out what is still held back: a line without an end, and the count of what was dropped. */
  flush(): void {
    if (this.#lineBytes > 0) this.#endLine(0);
    this.#rate.flush();
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
    if (this.#rate.take(Math.min(size, LINE_LIMIT_BYTES), size)) this.#onLine(text);
  }

  #readLine(): string {
    if (this.#lineBytes <= LINE_LIMIT_BYTES) return this.#line.toString('utf8', 0, this.#lineBytes);
    // The decoder holds back a character that the cut went through.
    return new StringDecoder('utf8').write(this.#line) + CUT_MARK;
  }
}
