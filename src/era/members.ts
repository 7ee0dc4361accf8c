/** Puts members into an object and takes members out of it, as splices of the line that it stands in. */
import { memberOf, type Member, membersOf, type Span } from '../wire/json.ts';
import type { Splice } from '../wire/splice.ts';

const SPACE = 0x20;
const CLOSE_OBJECT = 0x7d;

/** Puts members at the front of an object; they are JSON text. */
export function insertMembers(bytes: Buffer, object: Span, members: string): Splice {
  const at = object.start + 1;
  let next = at;
  while ((bytes[next] ?? CLOSE_OBJECT) <= SPACE) next += 1;
  const isEmpty = bytes[next] === CLOSE_OBJECT;
  return { span: { start: at, end: at }, bytes: Buffer.from(isEmpty ? members : `${members},`) };
}

/** Takes members out, whole runs of them at a time so that the commas come out right. */
export function removeMembers(bytes: Buffer, object: Span, isOut: (name: string) => boolean): Splice[] {
  const members = membersOf(bytes, object);
  const splices: Splice[] = [];
  for (let first = 0; first < members.length; first += 1) {
    if (!isOut(members[first]?.name ?? '')) continue;
    let last = first;
    while (last + 1 < members.length && isOut(members[last + 1]?.name ?? '')) last += 1;
    splices.push({ span: spanOfRun(members, first, last), bytes: Buffer.alloc(0) });
    first = last;
  }
  return splices;
}

/** Puts members into the `_meta` of an object; one of the name that is there already gives way. */
export function insertMeta(bytes: Buffer, object: Span, members: Readonly<Record<string, string>>): Splice[] {
  const meta = memberOf(bytes, object, '_meta');
  const text = Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',');
  if (meta === undefined) return [insertMembers(bytes, object, `"_meta":{${text}}`)];
  const rest = membersOf(bytes, meta).filter(({ name }) => !Object.hasOwn(members, name));
  const kept = rest.map(({ start, value }) => bytes.toString('latin1', start, value.end)).join(',');
  const all = Buffer.from(`{${text}${kept === '' ? '' : ','}`);
  return [{ span: meta, bytes: Buffer.concat([all, Buffer.from(kept, 'latin1'), Buffer.from('}')]) }];
}

function spanOfRun(members: readonly Member[], first: number, last: number): Span {
  const start = members[first]?.start ?? 0;
  const end = members[last]?.value.end ?? 0;
  const next = members[last + 1];
  if (next !== undefined) return { start, end: next.start };
  return { start: members[first - 1]?.value.end ?? start, end };
}
