/** Where the members stand that routing needs, by name. Names that nobody asks for are not kept. */
import type { Span } from './json.ts';

const NAMES =
  'jsonrpc id method params result error name uri ref cursor requestId progressToken level logger taskId task _meta protocolVersion capabilities clientInfo requestState inputResponses notifications'.split(
    ' ',
  );

/** The one name of each length and first byte: comparing with it is cheaper than making a string to look up. */
const BY_SHAPE: readonly (string | undefined)[] = NAMES.reduce<(string | undefined)[]>((names, name) => {
  const shape = (name.length << 8) | name.charCodeAt(0);
  if (names[shape] !== undefined) throw new Error(`"${name}" has the shape of "${names[shape]}"`);
  names[shape] = name;
  return names;
}, []);

/** A name in which every character is escaped. */
const LONGEST_NAME_BYTES = 6 * Math.max(...NAMES.map((name) => name.length));
/** So much of a key, with its quotes, is enough to tell that it is none of ours. */
export const REMEMBERED_KEY_BYTES: number = LONGEST_NAME_BYTES + 2;

interface Place extends Span {
  readonly name: string;
  readonly next: Place | undefined;
}

export class Members {
  /** A chain: there are few, and an array would begin with room for many. */
  #last: Place | undefined;
  /** A name that came twice. */
  repeated: string | undefined;

  get(name: string): Span | undefined {
    let place = this.#last;
    while (place !== undefined && place.name !== name) place = place.next;
    return place;
  }

  add(name: string, start: number, end: number): void {
    if (this.get(name) === undefined) this.#last = { start, end, name, next: this.#last };
    else this.repeated ??= name;
  }
}

/** The name between these bytes, when it is one that is kept. */
export function readName(bytes: Buffer, start: number, end: number): string | undefined {
  const name = BY_SHAPE[((end - start) << 8) | (bytes[start] ?? 0)];
  if (name === undefined)
    return bytes.subarray(start, end).includes(0x5c) ? readEscaped(bytes, start, end) : undefined;
  for (let index = 1; index < name.length; index += 1) {
    if (bytes[start + index] !== name.charCodeAt(index)) return undefined;
  }
  return name;
}

/** A name may be written with escapes, and still be one of ours to whoever reads it next. */
function readEscaped(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start > LONGEST_NAME_BYTES) return undefined;
  const name: unknown = JSON.parse(`"${bytes.toString('utf8', start, end)}"`);
  return NAMES.find((kept) => kept === name);
}
