/** Writes what can be found out again to a file for our user alone: whole or not at all, and without a word when it cannot. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A reader never sees half a file; on a full disk or in a read-only home, the next start is only slower. */
export function writeWhole(file: string, bytes: Buffer): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, bytes, { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // As if there were no cache.
  }
}
