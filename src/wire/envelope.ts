/** One JSON-RPC message in the bytes it came in: where its id, method, params, result and error stand. Changes nothing. */
import { isUtf8 } from 'node:buffer';
import { isObject, isString, memberOf, parse, type Span, stringAt, unquote } from './json.ts';
import type { Members } from './members.ts';
import type { Scan } from './scanner.ts';

const TAIL_BYTES = 256;
/** A line up to here becomes text once, as a whole: that costs less than to do it with each part of it. */
const SHORT_BYTES = 4096;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const BACKSLASH = 0x5c;

/** One message, read but not taken apart: spans say where things stand in its bytes. */
export class Envelope {
  /** The line with its newline, in the pieces it arrived in. */
  readonly pieces: readonly Buffer[];
  /** The raw text of the id, so that 1, 1.0 and "1" differ. */
  readonly id: string | undefined;
  readonly idSpan: Span | undefined;
  readonly method: string | undefined;
  readonly params: Span | undefined;
  readonly result: Span | undefined;
  readonly error: Span | undefined;
  readonly #params: Members;
  readonly #version: Span | undefined;
  readonly #isAscii: boolean;
  #line: Buffer | undefined;
  /** A short line in Latin-1, so that every byte stays one character and nothing is lost. */
  readonly #text: string | undefined;
  #meta: Buffer | undefined;

  constructor(pieces: readonly Buffer[], { members, params, isAscii }: Scan) {
    this.pieces = pieces;
    this.#isAscii = isAscii;
    this.#line = pieces.length === 1 ? pieces[0] : undefined;
    this.#text = this.#line && this.#line.length <= SHORT_BYTES ? this.#line.toString('latin1') : undefined;
    this.idSpan = members.get('id');
    this.id = this.idSpan && this.text(this.idSpan);
    this.method = this.string(members.get('method'));
    this.params = members.get('params');
    this.result = members.get('result');
    this.error = members.get('error');
    this.#version = members.get('jsonrpc');
    this.#params = params;
  }

  /** The line in one piece; joined on demand, because passing a long line on does not need it. */
  get line(): Buffer {
    this.#line ??= Buffer.concat(this.pieces);
    return this.#line;
  }

  get isVersion2(): boolean {
    return this.#version !== undefined && this.text(this.#version) === '"2.0"';
  }

  /** Whether `params` is an object. */
  get hasParams(): boolean {
    if (this.params === undefined) return false;
    const { start } = this.params;
    return (this.#line?.[start] ?? this.bytes({ start, end: start + 1 })[0]) === OPEN_OBJECT;
  }

  /** Where a member of `params` stands. */
  param(name: string): Span | undefined {
    return this.#params.get(name);
  }

  /** The bytes of `params._meta`. */
  get metaBytes(): Buffer | undefined {
    const meta = this.#params.get('_meta');
    return meta && (this.#meta ??= this.bytes(meta));
  }

  /** Where a member of `params._meta` stands. */
  meta(name: string): Span | undefined {
    const meta = this.#params.get('_meta');
    const bytes = this.metaBytes;
    // Looked for as text first: what is said with every request is long, and seldom has it.
    if (meta === undefined || (bytes?.includes(name) === false && !bytes.includes(BACKSLASH)))
      return undefined;
    return isObject(this.line, meta) ? memberOf(this.line, meta, name) : undefined;
  }

  /** The bytes at a span; a view wherever that is possible. */
  bytes({ start, end }: Span): Buffer {
    if (this.#line !== undefined) return this.#line.subarray(start, end);
    return Buffer.concat(slice(this.pieces, start, end));
  }

  /** The raw text at a span. Latin-1, so that every byte stays one character and nothing is lost. */
  text(span: Span): string {
    return this.#text?.slice(span.start, span.end) ?? this.bytes(span).toString('latin1');
  }

  /** The meaning of a string at a span; undefined for anything that is not a string. */
  string(span: Span | undefined): string | undefined {
    if (span === undefined) return undefined;
    if (this.#line !== undefined && !isString(this.#line, span)) return undefined;
    if (this.#isAscii && this.#text !== undefined) return unquote(this.#text.slice(span.start, span.end));
    if (this.#line !== undefined) return stringAt(this.#line, span);
    const bytes = this.bytes(span);
    const whole = { start: 0, end: bytes.length };
    return isString(bytes, whole) ? stringAt(bytes, whole) : undefined;
  }

  /** The meaning of any value at a span. */
  value(span: Span): unknown {
    return parse(this.bytes(span).toString());
  }
}

/** A message that wants an answer. */
export type Request = Envelope & { readonly id: string; readonly idSpan: Span; readonly method: string };
/** A message that wants none. */
export type Notification = Envelope & { readonly method: string };
/** An answer to a request, whether or not it has what an answer must have. */
export type Answer = Envelope & { readonly id: string; readonly idSpan: Span };

export function isRequest(message: Envelope): message is Request {
  return message.method !== undefined && message.idSpan !== undefined;
}

export function isNotification(message: Envelope): message is Notification {
  return message.method !== undefined && message.idSpan === undefined;
}

export function isAnswer(message: Envelope): message is Answer {
  return message.method === undefined && message.idSpan !== undefined;
}

/** What would keep others from taking it for a message of JSON-RPC 2.0; undefined when nothing does. */
export function findOddity(message: Envelope): string | undefined {
  if (!message.isVersion2) return '"jsonrpc" is not "2.0"';
  if (message.method === undefined) return undefined;
  if (message.result !== undefined || message.error !== undefined) return 'it asks and answers at once';
  return message.params === undefined || message.hasParams ? undefined : '"params" is not an object';
}

/** A line that is no message: why, and whose it was as far as that can be told. */
export interface Malformed {
  readonly problem: 'json' | 'batch' | 'shape' | 'length';
  readonly detail: string;
  readonly id: string | undefined;
  /** The line itself, when it is an array. */
  readonly batch?: readonly Buffer[];
}

/** Makes a message of a line that has been scanned. */
export function createEnvelope(pieces: readonly Buffer[], scan: Scan): Envelope | Malformed {
  const problem = findProblem(pieces, scan);
  return problem === undefined
    ? new Envelope(pieces, scan)
    : { ...problem, id: findId(pieces, scan.members) };
}

/** The id of a line that cannot be read as a whole, from what was understood of it or from its last bytes. */
export function findId(pieces: readonly Buffer[], members: Members): string | undefined {
  const span = members.get('id');
  if (span !== undefined) return Buffer.concat(slice(pieces, span.start, span.end)).toString('latin1');
  const last = Buffer.concat(pieces.slice(-2)).subarray(-TAIL_BYTES).toString('latin1');
  return /,\s*"id"\s*:\s*("[^"\\]*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(last)?.[1];
}

/** The pieces between two offsets. */
export function slice(pieces: readonly Buffer[], start: number, end: number): Buffer[] {
  const cut: Buffer[] = [];
  let offset = 0;
  for (const piece of pieces) {
    if (offset < end && offset + piece.length > start) {
      cut.push(piece.subarray(Math.max(0, start - offset), end - offset));
    }
    offset += piece.length;
  }
  return cut;
}

function findProblem(pieces: readonly Buffer[], scan: Scan): Omit<Malformed, 'id'> | undefined {
  if (scan.brokenAt !== undefined) {
    return { problem: 'json', detail: `it is not valid JSON at byte ${scan.brokenAt + 1}` };
  }
  if (!scan.isAscii && !areUtf8(pieces)) return { problem: 'json', detail: 'it is not valid UTF-8' };
  if (scan.opener === OPEN_ARRAY) return { problem: 'batch', detail: 'it is a JSON array', batch: pieces };
  if (scan.opener !== OPEN_OBJECT) return { problem: 'shape', detail: 'it is not a JSON object' };
  // Two readers may choose differently between two members of one name, so neither of us may choose.
  const repeated = scan.members.repeated ?? scan.params.repeated;
  return repeated === undefined
    ? undefined
    : { problem: 'shape', detail: `"${repeated}" stands twice in it` };
}

/** Piece by piece; the bytes of a character that is cut go to the front of the next piece. */
function areUtf8(pieces: readonly Buffer[]): boolean {
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    const whole = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = findCharacterEnd(whole);
    if (!isUtf8(whole.subarray(0, end))) return false;
    rest = whole.subarray(end);
  }
  return rest.length === 0;
}

/** Where the last character begins that has bytes missing; the end when there is none. */
function findCharacterEnd(piece: Buffer): number {
  for (let back = 1; back <= Math.min(3, piece.length); back += 1) {
    const byte = piece[piece.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? piece.length - back : piece.length;
  }
  return piece.length;
}
