/** The pieces of a line that is still coming. Long ones stay as they are; many short ones are joined. */

/** Every piece costs more than its bytes, and what takes a line takes all its pieces as arguments: they must stay few. */
const JOIN_FROM_PIECES = 1024;
/** So many pieces with this much in them are long ones, and copying them would be a waste. */
const LONG_BYTES = 16 * 1024 * 1024;
/** What has been joined up to this length is not joined again. */
const JOINED_BYTES = 64 * 1024;

export class Pieces {
  #pieces: Buffer[] = [];
  /** Pieces before this one stay as they are. */
  #settled = 0;
  #unsettledBytes = 0;

  get all(): readonly Buffer[] {
    return this.#pieces;
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#unsettledBytes += piece.length;
    if (this.#pieces.length - this.#settled >= JOIN_FROM_PIECES) this.#join();
  }

  /** Gives the pieces away; the next line begins. */
  take(): readonly Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#settled = 0;
    this.#unsettledBytes = 0;
    return pieces;
  }

  #join(): void {
    if (this.#unsettledBytes < LONG_BYTES)
      this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#settled), this.#unsettledBytes));
    if (this.#unsettledBytes < JOINED_BYTES) return;
    this.#settled = this.#pieces.length;
    this.#unsettledBytes = 0;
  }
}
