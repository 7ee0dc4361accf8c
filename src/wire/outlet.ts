/** Gathers what is to be written in one turn into one write; knows how much is waiting. Owns no stream. */
import { soon } from './soon.ts';

/** What is written to: a stream's writable side. */
export interface Writable {
  readonly writableLength: number;
  write(bytes: Buffer): boolean;
  cork(): void;
  uncork(): void;
}

/** Below this, copying the pieces together costs less than handing the system several. */
const JOIN_LIMIT_BYTES = 64 * 1024;

export class Outlet {
  readonly #target: Writable;
  readonly #flush = (): void => this.flush();
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(target: Writable) {
    this.#target = target;
  }

  /** Bytes that nobody has read yet. */
  get waitingBytes(): number {
    return this.#length + this.#target.writableLength;
  }

  push(...pieces: readonly Buffer[]): void {
    // After the current turn of the loop: everything that one chunk of input gives rise to leaves together.
    if (this.#length === 0) soon(this.#flush);
    for (const piece of pieces) {
      this.#pieces.push(piece);
      this.#length += piece.length;
    }
  }

  flush(): void {
    const pieces = this.#pieces;
    const length = this.#length;
    if (length === 0) return;
    this.#pieces = [];
    this.#length = 0;
    if (pieces.length === 1) this.#target.write(pieces[0] as Buffer);
    else if (length <= JOIN_LIMIT_BYTES) this.#target.write(Buffer.concat(pieces, length));
    else this.#writeTogether(pieces);
  }

  #writeTogether(pieces: readonly Buffer[]): void {
    this.#target.cork();
    for (const piece of pieces) this.#target.write(piece);
    this.#target.uncork();
  }
}
