/** One file of the cache: an index, and the bytes that it is about. Reading and writing never fail. */
import { readFileSync } from 'node:fs';
import { writeWhole } from '../write-whole.ts';

export interface Content<Index> {
  readonly index: Index;
  /** The next so many bytes. */
  readonly take: (length: number) => Buffer;
}

/** The first line; another program's file, or another version's, is not read. */
const HEADER: Buffer = Buffer.from('mcp-simple-aggregator/cache/4\n');
const NEWLINE = 0x0a;

/** Undefined when there is none, or when it is not what was written. */
export function readCacheFile<Index>(file: string | undefined): Content<Index> | undefined {
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
    return {
      index: JSON.parse(half.toString('utf8', 0, end)) as Index,
      take: (length) => half.subarray(at, (at += length)),
    };
  } catch {
    return undefined;
  }
}

export function writeCacheFile(file: string, index: unknown, body: readonly Buffer[]): void {
  const half = [Buffer.from(`${JSON.stringify(index)}\n`), ...body];
  writeWhole(file, Buffer.concat([HEADER, ...half, ...half]));
}
