/** Finds its way through JSON that is known to be valid, by its bytes; builds no values, never recurses. */

/** A place in bytes, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The value of one member of an object; the last one of the name counts, as everywhere. What is no object has none. */
export function memberOf(bytes: Buffer, object: Span, name: string): Span | undefined {
  if (!isObject(bytes, object)) return undefined;
  let found: Span | undefined;
  let at = skipSpace(bytes, object.start + 1);
  while (bytes[at] === QUOTE) {
    const key = { start: at, end: skipString(bytes, at) };
    const start = skipSpace(bytes, skipSpace(bytes, key.end) + 1);
    const end = skipValue(bytes, start);
    if (stringAt(bytes, key) === name) found = { start, end };
    at = skipSeparator(bytes, end);
  }
  return found;
}

/** A member of an object: where it begins with its name, and where its value stands. */
export interface Member {
  readonly name: string;
  readonly start: number;
  readonly value: Span;
}

/** The members of an object, in their order. What is no object has none. */
export function membersOf(bytes: Buffer, object: Span): Member[] {
  const members: Member[] = [];
  if (!isObject(bytes, object)) return members;
  let at = skipSpace(bytes, object.start + 1);
  while (bytes[at] === QUOTE) {
    const key = { start: at, end: skipString(bytes, at) };
    const start = skipSpace(bytes, skipSpace(bytes, key.end) + 1);
    const end = skipValue(bytes, start);
    members.push({ name: stringAt(bytes, key), start: key.start, value: { start, end } });
    at = skipSeparator(bytes, end);
  }
  return members;
}

export function elementsOf(bytes: Buffer, array: Span): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(bytes, array.start + 1);
  while (at < array.end && bytes[at] !== CLOSE_ARRAY) {
    const end = skipValue(bytes, at);
    elements.push({ start: at, end });
    at = skipSeparator(bytes, end);
  }
  return elements;
}

export function isObject(bytes: Buffer, { start }: Span): boolean {
  return bytes[start] === OPEN_OBJECT;
}

export function isArray(bytes: Buffer, { start }: Span): boolean {
  return bytes[start] === OPEN_ARRAY;
}

export function isString(bytes: Buffer, { start }: Span): boolean {
  return bytes[start] === QUOTE;
}

/** The meaning of a string. */
export function stringAt(bytes: Buffer, { start, end }: Span): string {
  return unquote(bytes.toString('utf8', start, end));
}

/** The meaning of a string that is text already. */
export function unquote(text: string): string {
  return text.includes('\\') ? String(parse(text)) : text.slice(1, -1);
}

/** The meaning of any text that was let pass: long texts may have raw control characters, which a parser refuses. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return JSON.parse(text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, escapeControls)) as unknown;
  }
}

function escapeControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  return text.replaceAll(/[\x00-\x1f]/g, (control) => JSON.stringify(control).slice(1, -1));
}

function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function skipSeparator(bytes: Buffer, start: number): number {
  const at = skipSpace(bytes, start);
  return bytes[at] === COMMA ? skipSpace(bytes, at + 1) : at;
}

function skipValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return skipString(bytes, start);
  let at = start;
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) {
    while (at < bytes.length && !endsScalar(bytes[at])) at += 1;
    return at;
  }
  for (let depth = 0; at < bytes.length;) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      continue;
    }
    at += 1;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    if (depth === 0) break;
  }
  return at;
}

function skipString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return bytes.length;
}

function endsScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
