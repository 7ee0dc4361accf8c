/** Reads a server's complete list, page by page, and cuts it into items in their own bytes. Sends nothing itself. */
import type { Envelope } from '../wire/envelope.ts';
import { elementsOf, isArray, isObject, isString, memberOf, type Span, stringAt } from '../wire/json.ts';
import type { Kind } from './kinds.ts';

/** One thing that a server lists. */
export interface Item {
  /** What the server calls it: a name, or a URI. */
  readonly name: string;
  readonly bytes: Buffer;
  /** Where in the bytes the name stands, quotes included. */
  readonly nameSpan: Span;
}

export interface ServerList {
  readonly items: readonly Item[];
  /** Sentences about what was left out, and why. */
  readonly findings: readonly string[];
  /** The server did not give it, though it may have one. */
  readonly isUnread?: true;
}

/** Asks the server; params are JSON text. */
export type Ask = (method: string, params?: string) => Promise<Envelope>;

const PAGE_LIMIT = 1000;

export const EMPTY_LIST: ServerList = { items: [], findings: [] };

export async function readList(ask: Ask, kind: Kind): Promise<ServerList> {
  const items = new Map<string, Item>();
  const findings: string[] = [];
  const seen = new Set<string>();
  let params: string | undefined;
  for (let page = 1; ; page += 1) {
    const reply = await askPage(ask, kind.list, params);
    if (reply instanceof Error) {
      findings.push(`${kind.list}: page ${page} failed; the list ends there: ${reply.message}`);
      break;
    }
    const cursor = readPage(reply, kind, items, findings);
    if (cursor === undefined) break;
    if (seen.has(cursor)) {
      findings.push(`${kind.list}: the server gave the same cursor twice; the list ends there`);
      break;
    }
    if (page === PAGE_LIMIT) {
      findings.push(`${kind.list}: the server has more than ${PAGE_LIMIT} pages; the rest is left out`);
      break;
    }
    seen.add(cursor);
    params = `{"cursor":${cursor}}`;
  }
  return { items: [...items.values()], findings };
}

/** An error on a later page leaves the pages before it; on the first, there is no list. */
async function askPage(ask: Ask, method: string, params: string | undefined): Promise<Envelope | Error> {
  try {
    return await ask(method, params);
  } catch (error) {
    if (params !== undefined && error instanceof Error) return error;
    throw error;
  }
}

/** Whether two lists have the same items in the same bytes. */
export function isSameList(one: readonly Item[], other: readonly Item[]): boolean {
  return (
    one.length === other.length && one.every(({ bytes }, index) => other[index]?.bytes.equals(bytes) === true)
  );
}

/** Adds what is on one page; gives the raw text of the cursor of the next. */
function readPage(
  reply: Envelope,
  kind: Kind,
  items: Map<string, Item>,
  findings: string[],
): string | undefined {
  const { line, result } = reply;
  if (result === undefined || !isObject(line, result)) {
    findings.push(`${kind.list}: the result is not an object; it counts as empty`);
    return undefined;
  }
  const array = memberOf(line, result, kind.member);
  if (array === undefined || !isArray(line, array)) {
    findings.push(`${kind.list}: the result has no array "${kind.member}"; it counts as empty`);
    return undefined;
  }
  for (const span of elementsOf(line, array)) addItem(line, span, kind, items, findings);
  const cursor = memberOf(line, result, 'nextCursor');
  return cursor && isString(line, cursor) ? line.toString('utf8', cursor.start, cursor.end) : undefined;
}

function addItem(line: Buffer, span: Span, kind: Kind, items: Map<string, Item>, findings: string[]): void {
  const named = isObject(line, span) ? memberOf(line, span, kind.field) : undefined;
  if (named === undefined || !isString(line, named)) {
    findings.push(`${kind.list}: an entry without a "${kind.field}" is left out`);
    return;
  }
  const name = stringAt(line, named);
  if (items.has(name)) {
    findings.push(`${kind.list}: ${JSON.stringify(name)} is listed twice; the first one is kept`);
    return;
  }
  items.set(name, {
    name,
    bytes: line.subarray(span.start, span.end),
    nameSpan: { start: named.start - span.start, end: named.end - span.start },
  });
}
