/** Cuts a stream of bytes into lines and reads each while it arrives. A line keeps its newline and its pieces. */
import { createEnvelope, Envelope, findId, type Malformed } from './envelope.ts';
import { Members } from './members.ts';
import { Pieces } from './pieces.ts';
import { Scanner } from './scanner.ts';

export interface LineHandlers {
  onMessage(message: Envelope): void;
  onMalformed(line: Malformed): void;
  /** The stream ended in the middle of a message; when absent, that is a malformed line too. */
  onCut?(): void;
}

/** A message may be this long; a longer one fails its own request and nothing else. */
const LINE_LIMIT_BYTES = 256 * 1024 * 1024;
const LF = 0x0a;
const NEWLINE = Buffer.from('\n');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const REMEMBERED_BYTES = 4096;
const EMPTY = Buffer.alloc(0);

export class LineReader {
  readonly #handlers: LineHandlers;
  readonly #limit: number;
  /** Of the line that has no end yet; not joined to one, because joining a long line costs as much as reading it. */
  readonly #pieces = new Pieces();
  #length = 0;
  readonly #scanner = new Scanner();
  /** What is remembered of a line beyond the limit, to recognise it by. */
  #overlong: { readonly id: string | undefined; readonly tail: Buffer } | undefined;
  /** The first bytes, for as long as they may turn out to be a byte order mark. */
  #beginning: Buffer | undefined = EMPTY;

  constructor(handlers: LineHandlers, limit: number = LINE_LIMIT_BYTES) {
    this.#handlers = handlers;
    this.#limit = limit;
  }

  /** Gives the number of lines that ended. */
  push(chunk: Buffer): number {
    let start = 0;
    let count = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#add(start === 0 && end === chunk.length - 1 ? chunk : chunk.subarray(start, end + 1));
      this.#finish();
      start = end + 1;
      count += 1;
    }
    if (start < chunk.length) this.#add(start === 0 ? chunk : chunk.subarray(start));
    return count;
  }

  /** The stream is over: a last line without a newline counts too. */
  end(): void {
    if (this.#length === 0 && !this.#beginning?.length) return;
    const isCut = this.#scanner.isInside && this.#handlers.onCut !== undefined;
    if (!isCut) this.#add(NEWLINE);
    this.#finish(isCut);
  }

  #add(piece: Buffer): void {
    const bytes = this.#beginning === undefined ? piece : this.#stripMark(this.#beginning, piece);
    if (bytes.length === 0) return;
    this.#length += bytes.length;
    if (this.#length > this.#limit) {
      this.#forget(bytes);
      return;
    }
    this.#pieces.add(bytes);
    this.#scanner.feed(bytes);
  }

  /** Holds the bytes back that are not enough to tell. */
  #stripMark(before: Buffer, piece: Buffer): Buffer {
    const bytes = before.length === 0 ? piece : Buffer.concat([before, piece]);
    const mark = BYTE_ORDER_MARK.subarray(0, bytes.length);
    const isMark = bytes.subarray(0, mark.length).equals(mark);
    const isOpen = isMark && bytes.length < BYTE_ORDER_MARK.length;
    this.#beginning = isOpen ? bytes : undefined;
    if (isOpen) return EMPTY;
    return isMark ? bytes.subarray(mark.length) : bytes;
  }

  #forget(bytes: Buffer): void {
    const { id, tail } = this.#overlong ?? {
      id: findId(this.#pieces.all, this.#scanner.members),
      tail: EMPTY,
    };
    this.#overlong = { id, tail: Buffer.from(Buffer.concat([tail, bytes]).subarray(-REMEMBERED_BYTES)) };
    this.#pieces.take();
  }

  #finish(isCut = false): void {
    const pieces = this.#pieces.take();
    const overlong = this.#overlong;
    const scan = this.#scanner.finish();
    this.#overlong = undefined;
    this.#length = 0;
    if (isCut) {
      this.#handlers.onCut?.();
    } else if (overlong !== undefined) {
      const id = overlong.id ?? findId([overlong.tail], new Members());
      this.#handlers.onMalformed({ problem: 'length', detail: describeLimit(this.#limit), id });
    } else if (scan.opener !== undefined) {
      const message = createEnvelope(pieces, scan);
      if (message instanceof Envelope) this.#handlers.onMessage(message);
      else this.#handlers.onMalformed(message);
    }
  }
}

function describeLimit(bytes: number): string {
  return `it is longer than ${bytes / 1024 / 1024} MiB`;
}
