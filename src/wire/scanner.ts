/**
 * Reads one line in the pieces it arrives in, checks that it is JSON, and notes where the members stand that routing
 * needs. Keeps its place between pieces, so that a long line is read while it arrives; builds no values, never recurses.
 */
import { Members, readName, REMEMBERED_KEY_BYTES } from './members.ts';
import { continueNumber, isDigit, mayEnd, type NumberPlace, startNumber } from './number.ts';
import { isAscii, type Seen, skipText } from './text.ts';

/** What has been found out about a line. */
export interface Scan {
  /** The members of the object, and of its `params`. */
  readonly members: Members;
  readonly params: Members;
  readonly isAscii: boolean;
  /** The first byte that is not space. */
  readonly opener: number | undefined;
  /** Where the line stopped being JSON. */
  readonly brokenAt: number | undefined;
}

/** Where in the grammar the scanner stands. */
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const KEY = 2;
const KEY_OR_CLOSE = 3;
const COLON = 4;
const AFTER_VALUE = 5;
const STRING = 6;
const ESCAPE = 7;
const HEX = 8;
const LITERAL = 9;
const NUMBER = 10;
const BROKEN = 11;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COMMA = 0x2c;
const MINUS = 0x2d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LITERALS = ['true', 'false', 'null'];
const SHORT_ESCAPES = '"\\/bfnrt';

export class Scanner {
  /** What has been found so far. */
  members: Members = new Members();
  #params = new Members();
  #opener: number | undefined;
  #brokenAt: number | undefined;
  #state = VALUE;
  /** The closing byte of every level that is open. */
  readonly #closers: number[] = [];
  /** How many bytes came before the current piece. */
  #offset = 0;
  readonly #seen: Seen = { bits: 0, isLongRun: false };
  #isKey = false;
  #hexLeft = 0;
  /** What is still to come of true, false or null. */
  #literalRest = '';
  #number: NumberPlace = 0;
  /** Start of the current key in the current piece, and what of it was in pieces before. */
  #keyStart = 0;
  #keyPrefix: Buffer | undefined;
  #key: string | undefined;
  #paramKey: string | undefined;
  #valueStart = 0;
  #paramStart = 0;
  #isInParams = false;

  /** Whether it has begun with something that has no end yet. */
  get isInside(): boolean {
    return this.#closers.length > 0 && this.#state !== BROKEN;
  }

  feed(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#state !== BROKEN) at = this.#step(bytes, at);
    if (this.#isKey && (this.#state === STRING || this.#state === ESCAPE || this.#state === HEX)) {
      const part = bytes.subarray(this.#keyStart);
      const whole = this.#keyPrefix ? Buffer.concat([this.#keyPrefix, part]) : part;
      // Enough to tell that it is none of ours, however much more there is of it.
      this.#keyPrefix = whole.subarray(0, REMEMBERED_KEY_BYTES);
      this.#keyStart = 0;
    }
    this.#offset += bytes.length;
  }

  /** The line is over; the next one may come. */
  finish(): Scan {
    const isWhole = this.#state === AFTER_VALUE && this.#closers.length === 0;
    const scan: Scan = {
      members: this.members,
      params: this.#params,
      isAscii: isAscii(this.#seen),
      opener: this.#opener,
      brokenAt: isWhole ? undefined : (this.#brokenAt ?? this.#offset),
    };
    this.members = new Members();
    this.#params = new Members();
    this.#opener = undefined;
    this.#brokenAt = undefined;
    this.#state = VALUE;
    this.#closers.length = 0;
    this.#offset = 0;
    this.#seen.bits = 0;
    this.#seen.isLongRun = false;
    this.#isInParams = false;
    return scan;
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case STRING:
        return this.#readString(bytes, at);
      case ESCAPE:
        return this.#readEscape(bytes, at);
      case HEX:
        return this.#readHex(bytes, at);
      case LITERAL:
        return this.#readLiteral(bytes, at);
      case NUMBER:
        return this.#readNumber(bytes, at);
      default:
        return this.#readStructure(bytes, at);
    }
  }

  #readStructure(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0;
    if (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    switch (this.#state) {
      case AFTER_VALUE:
        return this.#closers.length === 0 ? this.#break(at) : this.#next(byte, at);
      case COLON:
        if (byte !== 0x3a) return this.#break(at);
        this.#state = VALUE;
        return at + 1;
      case KEY_OR_CLOSE:
        if (byte === CLOSE_OBJECT) return this.#close(at);
      // falls through
      case KEY:
        if (byte !== QUOTE) return this.#break(at);
        this.#isKey = true;
        this.#keyStart = at;
        this.#keyPrefix = undefined;
        this.#state = STRING;
        return at + 1;
      case VALUE_OR_CLOSE:
        if (byte === CLOSE_ARRAY) return this.#close(at);
      // falls through
      default:
        return this.#open(byte, at);
    }
  }

  /** After a value inside something: the next one, or the end of what it is in. */
  #next(byte: number, at: number): number {
    const closer = this.#closers[this.#closers.length - 1];
    if (byte === closer) return this.#close(at);
    if (byte !== COMMA) return this.#break(at);
    this.#state = closer === CLOSE_OBJECT ? KEY : VALUE;
    return at + 1;
  }

  #open(byte: number, at: number): number {
    const depth = this.#closers.length;
    this.#opener ??= byte;
    if (depth === 1) this.#valueStart = this.#offset + at;
    else if (depth === 2 && this.#isInParams) this.#paramStart = this.#offset + at;
    if (byte === QUOTE) {
      this.#isKey = false;
      this.#state = STRING;
    } else if (byte === OPEN_OBJECT) {
      this.#isInParams ||= depth === 1 && this.#key === 'params' && this.#opener === OPEN_OBJECT;
      this.#closers.push(CLOSE_OBJECT);
      this.#state = KEY_OR_CLOSE;
    } else if (byte === OPEN_ARRAY) {
      this.#closers.push(CLOSE_ARRAY);
      this.#state = VALUE_OR_CLOSE;
    } else if (byte === MINUS || isDigit(byte)) {
      this.#number = startNumber(byte);
      this.#state = NUMBER;
    } else {
      return this.#openLiteral(byte, at);
    }
    return at + 1;
  }

  #openLiteral(byte: number, at: number): number {
    const literal = LITERALS.find((word) => word.charCodeAt(0) === byte);
    if (literal === undefined) return this.#break(at);
    this.#literalRest = literal.slice(1);
    this.#state = LITERAL;
    return at + 1;
  }

  #close(at: number): number {
    this.#closers.pop();
    return this.#endValue(at + 1);
  }

  /** A value ends before `at`. */
  #endValue(at: number): number {
    const depth = this.#closers.length;
    if (depth === 1 && this.#opener === OPEN_OBJECT) {
      this.#isInParams = false;
      if (this.#key !== undefined) this.members.add(this.#key, this.#valueStart, this.#offset + at);
    } else if (depth === 2 && this.#isInParams) {
      if (this.#paramKey !== undefined) this.#params.add(this.#paramKey, this.#paramStart, this.#offset + at);
    }
    this.#state = AFTER_VALUE;
    return at;
  }

  #readString(bytes: Buffer, start: number): number {
    const at = skipText(bytes, start, this.#seen);
    const byte = bytes[at];
    if (byte === QUOTE) {
      if (!this.#isKey) return this.#endValue(at + 1);
      this.#endKey(bytes, at + 1);
      this.#state = COLON;
      return at + 1;
    }
    if (byte === undefined) return at;
    if (byte !== BACKSLASH) return this.#break(at);
    this.#state = ESCAPE;
    return at + 1;
  }

  #endKey(bytes: Buffer, end: number): void {
    this.#isKey = false;
    const depth = this.#closers.length;
    const isParam = depth === 2 && this.#isInParams;
    if (depth !== 1 && !isParam) return;
    const key = this.#readKey(bytes, end);
    if (isParam) this.#paramKey = key;
    else this.#key = key;
  }

  #readKey(bytes: Buffer, end: number): string | undefined {
    if (this.#keyPrefix === undefined) return readName(bytes, this.#keyStart + 1, end - 1);
    const whole = Buffer.concat([this.#keyPrefix, bytes.subarray(this.#keyStart, end)]);
    return readName(whole, 1, whole.length - 1);
  }

  #readEscape(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0;
    if (byte === 0x75) {
      this.#hexLeft = 4;
      this.#state = HEX;
    } else if (SHORT_ESCAPES.includes(String.fromCharCode(byte))) {
      this.#state = STRING;
    } else {
      return this.#break(at);
    }
    return at + 1;
  }

  #readHex(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0;
    const letter = byte | 0x20;
    if (!isDigit(byte) && (letter < 0x61 || letter > 0x66)) return this.#break(at);
    this.#hexLeft -= 1;
    if (this.#hexLeft === 0) this.#state = STRING;
    return at + 1;
  }

  #readLiteral(bytes: Buffer, at: number): number {
    if (bytes[at] !== this.#literalRest.charCodeAt(0)) return this.#break(at);
    this.#literalRest = this.#literalRest.slice(1);
    return this.#literalRest === '' ? this.#endValue(at + 1) : at + 1;
  }

  #readNumber(bytes: Buffer, start: number): number {
    let at = start;
    for (; at < bytes.length; at += 1) {
      const next = continueNumber(this.#number, bytes[at] ?? 0);
      if (next === undefined) return mayEnd(this.#number) ? this.#endValue(at) : this.#break(at);
      this.#number = next;
    }
    return at;
  }

  #break(at: number): number {
    this.#state = BROKEN;
    this.#brokenAt = this.#offset + at;
    return at;
  }
}
