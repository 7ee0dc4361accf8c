/** Items of a server's list, made by the reader that makes them in the program. Asks nobody. */
import { KINDS, type KindName } from '../../src/protocol/kinds.ts';
import { type Item, readList, type ServerList } from '../../src/protocol/lists.ts';
import { readMessage } from './message.ts';

/** Reads the raw results of successive pages; `asked` receives the params of each request. */
export async function readPages(
  results: readonly string[] | ((page: number) => string),
  { kind = 'tools', asked = [] }: { kind?: KindName; asked?: (string | undefined)[] } = {},
): Promise<ServerList> {
  const pageAt = typeof results === 'function' ? results : (page: number): string => results[page] ?? 'null';
  return readList((method, params) => {
    if (method !== KINDS[kind].list) throw new Error(`Asked for ${method}`);
    asked.push(params);
    return Promise.resolve(readMessage(`{"jsonrpc":"2.0","id":1,"result":${pageAt(asked.length - 1)}}`));
  }, KINDS[kind]);
}

/** Items from their raw text. */
export async function itemsOf(texts: readonly string[], kind: KindName = 'tools'): Promise<readonly Item[]> {
  return (await readPages([`{"${KINDS[kind].member}":[${texts.join(',')}]}`], { kind })).items;
}

/** Items that have a name and nothing else. */
export async function namedItems(names: readonly string[]): Promise<readonly Item[]> {
  return itemsOf(names.map((name) => JSON.stringify({ name })));
}
