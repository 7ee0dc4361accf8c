/** Remembers the first lines on a server's stdout that are no protocol messages. Keeps a few, counts the rest. */

const KEPT_LINES = 5;
const KEPT_LENGTH = 300;
const LF = 0x0a;

export class StrayOutput {
  readonly #lines: string[] = [];
  #count = 0;
  /** The beginning of the line that has no end yet. */
  #begun = '';

  get lines(): readonly string[] {
    const last = this.#begun.trim();
    return isStray(last) && this.#lines.length < KEPT_LINES ? [...this.#lines, last] : this.#lines;
  }

  /** How many lines were no messages. */
  get total(): number {
    return Math.max(this.#count, this.lines.length);
  }

  /** The reader of messages could make nothing of a line. */
  count(): void {
    this.#count += 1;
  }

  push(chunk: Buffer): void {
    if (this.#lines.length >= KEPT_LINES) return;
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#add(chunk, start, end);
      this.#finish();
      start = end + 1;
    }
    this.#add(chunk, start, chunk.length);
  }

  #add(chunk: Buffer, start: number, end: number): void {
    const room = KEPT_LENGTH - this.#begun.length;
    if (room > 0 && end > start) this.#begun += chunk.toString('utf8', start, Math.min(end, start + room));
  }

  #finish(): void {
    const line = this.#begun.trim();
    this.#begun = '';
    if (isStray(line) && this.#lines.length < KEPT_LINES) this.#lines.push(line);
  }
}

/** Every message is an object. */
function isStray(line: string): boolean {
  return line !== '' && !line.startsWith('{');
}
