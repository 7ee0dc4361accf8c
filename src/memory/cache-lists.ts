/** The lists of all servers in one file of the cache: in front as the client was given them, then item by item. */
import type { Rendered } from '../protocol/catalog.ts';
import { byKind, KIND_NAMES, type KindName } from '../protocol/kinds.ts';
import type { Item } from '../protocol/lists.ts';
import { type Content, readCacheFile, writeCacheFile } from './cache-file.ts';
import type { Lists } from './facts.ts';
import type { Overview } from './overview.ts';

/** What all servers together were to a client, and which servers these were. */
export interface KnownOverview extends Overview {
  readonly id: string;
}

export interface StoredLists {
  readonly overview: KnownOverview | undefined;
  /** The lists by the servers' ids. Cuts them up, so it is called when they are needed, and once. */
  readonly readItems: () => [id: string, lists: Lists][];
}

/** Bytes stand one after the other in the order of what is said of them here: how long they are. */
interface Index {
  readonly overview: OverviewEntry | undefined;
  readonly entriesLength: number;
}

interface OverviewEntry extends Omit<KnownOverview, 'lists'> {
  readonly lists: Readonly<Record<KindName, RenderedEntry>>;
}

interface RenderedEntry extends Omit<Rendered, 'bytes'> {
  readonly length: number;
}

interface Entry {
  readonly id: string;
  /** Of each item: its name, its length, and where in it the name begins and ends. So no byte need be looked at. */
  readonly lists: Readonly<Record<KindName, readonly (readonly [string, number, number, number])[]>>;
}

const NOTHING: StoredLists = { overview: undefined, readItems: () => [] };

export function readLists(file: string | undefined): StoredLists {
  const read = ({ index, take }: Content<Index>): StoredLists => {
    const overview = index.overview && readOverview(index.overview, take);
    const entries = take(index.entriesLength);
    return { overview, readItems: () => readEntries(entries, take) };
  };
  return readCacheFile(file, read) ?? NOTHING;
}

function readEntries(entries: Buffer, take: Content<Index>['take']): [string, Lists][] {
  const cut = (lists: Entry['lists']): Lists =>
    byKind((kind) =>
      lists[kind].map(([name, length, start, end]) => {
        return { name, bytes: take(length), nameSpan: { start, end } };
      }),
    );
  try {
    return (JSON.parse(entries.toString()) as Entry[]).map(({ id, lists }) => [id, cut(lists)]);
  } catch {
    return [];
  }
}

export function writeLists(
  file: string,
  overview: KnownOverview | undefined,
  all: readonly (readonly [id: string, lists: Lists])[],
): void {
  const entries = all.map(([id, lists]): Entry => {
    return { id, lists: byKind((kind) => lists[kind].map(describeItem)) };
  });
  const entryBytes = Buffer.from(JSON.stringify(entries));
  const index: Index = {
    overview: overview && {
      ...overview,
      lists: byKind((kind) => describeRendered(overview.lists[kind])),
    },
    entriesLength: entryBytes.length,
  };
  writeCacheFile(file, index, [
    ...(overview === undefined ? [] : KIND_NAMES.map((kind) => overview.lists[kind].bytes)),
    entryBytes,
    ...all.flatMap(([, lists]) => KIND_NAMES.flatMap((kind) => lists[kind].map(({ bytes }) => bytes))),
  ]);
}

function readOverview(entry: OverviewEntry, take: (length: number) => Buffer): KnownOverview {
  const lists = byKind((kind) => {
    const { length, findings } = entry.lists[kind];
    return { bytes: take(length), findings };
  });
  return { ...entry, lists };
}

function describeRendered({ bytes, findings }: Rendered): RenderedEntry {
  return { length: bytes.length, findings };
}

function describeItem({ name, bytes, nameSpan }: Item): readonly [string, number, number, number] {
  return [name, bytes.length, nameSpan.start, nameSpan.end];
}
