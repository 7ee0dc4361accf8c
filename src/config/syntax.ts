/** Reads JSON as a person wrote it: keeps the order of names, sees repeated ones, explains errors. */
import { findLine, type Place, showPlace, WORD_ENDS } from './excerpt.ts';

/** An object is a Map: in a plain one "10" would move to the front and "__proto__" would be no name like any other. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | ReadonlyMap<string, JsonValue>;

/** The way from the top of the file to a value. */
export type Steps = readonly (string | number)[];

/** A name that stands more than once in one object. */
export interface Duplicate {
  readonly steps: Steps;
  readonly lines: readonly number[];
}

export interface Reading {
  readonly value: JsonValue;
  readonly duplicates: readonly Duplicate[];
}

/** Why a text is not JSON, and where. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly place: Place;
  readonly steps: Steps;

  constructor(reason: string, place: Place, steps: Steps) {
    super(reason);
    this.place = place;
    this.steps = steps;
  }
}

/** Deeper than any config; it keeps a hostile file from exhausting the stack. */
const MAX_DEPTH = 256;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const [TAB, LF, CR, SPACE] = [9, 10, 13, 32];

/** Throws a JsonSyntaxError for the first thing that is not JSON. */
export function readJson(text: string): Reading {
  const reader = new Reader(text);
  return { value: reader.readFile(), duplicates: reader.duplicates };
}

class Reader {
  readonly duplicates: Duplicate[] = [];
  readonly #text: string;
  readonly #steps: (string | number)[] = [];
  /** Start and end of each name that has been recognised: nothing else in quotes may be shown. */
  readonly #names = new Map<number, number>();
  // Not \p{Cc}: preparing a class of Unicode takes longer than reading a whole config.
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  readonly #special = /["\\\u0000-\u001F]/g;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  readFile(): JsonValue {
    this.#skipSpace();
    if (this.#at === this.#text.length) this.#fail(0, 'the file is empty: expected {"mcpServers": {…}}');
    const value = this.#readValue();
    this.#skipSpace();
    const expected = 'expected nothing after the end: is there a bracket too many?';
    if (this.#at < this.#text.length) this.#fail(this.#at, this.#explain(expected));
    return value;
  }

  #readValue(): JsonValue {
    this.#skipSpace();
    const start = this.#text[this.#at];
    if (start === '{') return this.#readObject();
    if (start === '[') return this.#readArray();
    return start === '"' ? this.#readString() : this.#readWord();
  }

  #readObject(): ReadonlyMap<string, JsonValue> {
    const object = new Map<string, JsonValue>();
    const lines = new Map<string, number[]>();
    const opening = this.#enter();
    if (this.#takes('}')) return object;
    do {
      const line = this.#line;
      const name = this.#readName(opening);
      const places = lines.get(name) ?? [];
      places.push(line);
      lines.set(name, places);
      this.#steps.push(name);
      object.set(name, this.#readValue());
      this.#steps.pop();
    } while (this.#continues('}', opening));
    for (const [name, places] of lines) {
      if (places.length > 1) this.duplicates.push({ steps: [...this.#steps, name], lines: places });
    }
    return object;
  }

  #readArray(): readonly JsonValue[] {
    const array: JsonValue[] = [];
    const opening = this.#enter();
    if (this.#takes(']')) return array;
    do {
      this.#steps.push(array.length);
      array.push(this.#readValue());
      this.#steps.pop();
    } while (this.#continues(']', opening));
    return array;
  }

  #readName(opening: number): string {
    const start = this.#at;
    if (this.#text[start] !== '"') this.#failBefore(opening, 'expected a name in double quotes');
    const name = this.#readString();
    const end = this.#at;
    if (!this.#takes(':')) {
      this.#failBefore(opening, 'expected ":" after the name: is a double quote missing, or one too many?');
    }
    this.#names.set(start, end);
    return name;
  }

  #readString(): string {
    const start = this.#at;
    let escaped = false;
    for (let at = start + 1; ; at += 1) {
      // At start-up no loop of ours runs as fast as this search.
      this.#special.lastIndex = at;
      at = this.#special.exec(this.#text)?.index ?? this.#text.length;
      const char = this.#text[at];
      if (char === '"') {
        this.#at = at + 1;
        const raw = this.#text.slice(start, this.#at);
        return escaped ? String(JSON.parse(raw)) : raw.slice(1, -1);
      }
      if (char === '\\') {
        escaped = true;
        at += this.#measureEscape(at);
      } else if (char === undefined || char === '\n' || char === '\r') {
        this.#fail(start, 'the closing double quote of this text is missing on its line');
      } else if (char < ' ') {
        this.#fail(at, 'a tab or control character inside a text: write "\\t" for a tab');
      }
    }
  }

  /** How many characters follow the backslash. */
  #measureEscape(at: number): number {
    const next = this.#text[at + 1] ?? '';
    if (next === 'u' && /^[\da-fA-F]{4}$/.test(this.#text.slice(at + 2, at + 6))) return 5;
    if (next !== '' && '"\\/bfnrt'.includes(next)) return 1;
    return this.#fail(at, 'a backslash is written twice in JSON, as in "C:\\\\folder"');
  }

  #readWord(): JsonValue {
    const start = this.#at;
    let end = start;
    while (end < this.#text.length && !WORD_ENDS.includes(this.#text.charAt(end))) end += 1;
    const word = this.#text.slice(start, end);
    this.#at = end;
    if (/^(?:true|false|null)$/.test(word)) return word === 'null' ? null : word === 'true';
    if (NUMBER.test(word)) return Number(word);
    this.#at = start;
    if (start === this.#text.length) this.#fail(start, 'the file ends where a value is expected');
    return this.#fail(start, this.#explain('expected a value: a text stands in double quotes'));
  }

  #enter(): number {
    if (this.#steps.length >= MAX_DEPTH) this.#fail(this.#at, `nested more than ${MAX_DEPTH} levels deep`);
    return this.#at++;
  }

  #takes(char: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  /** After an item: true when a comma announces the next one, false at the end of the object or array. */
  #continues(close: string, opening: number): boolean {
    const end = this.#at;
    if (this.#takes(close)) return false;
    const start = this.#at;
    if (this.#takes(',')) {
      this.#skipSpace();
      const next = this.#text[this.#at] ?? '';
      if (next === '}' || next === ']') this.#fail(start, `a comma too many: remove it, "${next}" follows`);
      return true;
    }
    const found = this.#text[start] ?? '';
    if (found === '"' && start > end) this.#fail(end, 'a comma is missing here');
    if (found === '}' || found === ']') {
      const line = findLine(this.#text, opening);
      this.#fail(start, `expected "${close}" to close line ${line}, found "${found}"`);
    }
    const quoted = start === end && this.#text[end - 1] === '"';
    const advice = quoted ? 'a double quote inside a text is written \\"' : 'is a comma missing?';
    return this.#failBefore(opening, `expected "," or "${close}": ${advice}`);
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== SPACE && code !== LF && code !== TAB && code !== CR) return;
      this.#at += 1;
      if (code === LF || (code === CR && this.#text[this.#at] !== '\n')) this.#line += 1;
    }
  }

  /** The usual mistakes by name; otherwise what was expected. */
  #explain(expected: string): string {
    const found = this.#text.slice(this.#at, this.#at + 10);
    if (/^(?:\/[/*]|#)/.test(found)) return 'JSON has no comments: remove this one';
    if (/^['`‘’‚‛“”„‟«»]/.test(found)) return 'JSON knows only the straight double quote ("): use it here';
    if (/^[^\S \t\r\n]|^\p{C}/u.test(found)) return 'JSON does not know this invisible character: delete it';
    if (/^(?:True|False|None|undefined|NaN)\b/.test(found)) return 'no word of JSON: use true, false or null';
    if (found.startsWith(',')) return 'a comma too many: nothing stands before it';
    return expected;
  }

  #failBefore(opening: number, expected: string): never {
    if (this.#at < this.#text.length) this.#fail(this.#at, this.#explain(expected));
    const line = findLine(this.#text, opening);
    const found = `the file ends, but the "${this.#text.charAt(opening)}" of line ${line} is not closed`;
    return this.#fail(this.#at, found);
  }

  #fail(offset: number, reason: string): never {
    // At the end of the file the last line that has something is worth more than an empty one.
    const at = offset === this.#text.length ? this.#text.trimEnd().length : offset;
    throw new JsonSyntaxError(reason, showPlace(this.#text, at, this.#names), this.#steps);
  }
}
