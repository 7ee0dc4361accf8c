/** One file of the cache: an index, and the bytes that it is about. Reading and writing never fail. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Content<Index> {
  readonly index: Index;
  /** The next so many bytes. */
  readonly take: (length: number) => Buffer;
}

/** The first line; another program's file, or another version's, is not read. */
const HEADER: Buffer = Buffer.from('mcp-simple-aggregator/cache/4\n');
const NEWLINE = 0x0a;

/** Undefined when there is none, or when it is not what was written, or `read` cannot make sense of it. */
export function readCacheFile<Index, Result>(
  file: string | undefined,
  read: (content: Content<Index>) => Result,
): Result | undefined {
  if (file === undefined) return undefined;
  try {
    const bytes = readFileSync(file);
    const middle = (HEADER.length + bytes.length) / 2;
    const half = bytes.subarray(HEADER.length, middle);
    // Everything stands there twice: at a start, comparing is a hundred times faster than any sum or parser.
    if (!bytes.subarray(0, HEADER.length).equals(HEADER) || !bytes.subarray(middle).equals(half))
      return undefined;
    const end = half.indexOf(NEWLINE);
    let at = end + 1;
    return read({
      index: JSON.parse(half.toString('utf8', 0, end)) as Index,
      take: (length) => half.subarray(at, (at += length)),
    });
  } catch {
    return undefined;
  }
}

export function writeCacheFile(file: string, index: unknown, body: readonly Buffer[]): void {
  const half = [Buffer.from(`${JSON.stringify(index)}\n`), ...body];
  keepFile(file, Buffer.concat([HEADER, ...half, ...half]));
}

/** A reader never sees half of it, whoever else writes it at the same time. */
function keepFile(file: string, bytes: Uint8Array): void {
  // Not the process alone: in two containers that share a home, it may have the same number.
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(draft, bytes, { mode: 0o600, flag: 'wx' });
      renameSync(draft, file);
    } catch {
      rmSync(draft, { force: true });
    }
  } catch {
    // A read-only home, a full disk: the next start is only slower.
  }
}
