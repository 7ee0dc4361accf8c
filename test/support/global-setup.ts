/** Gives the whole run a cache folder of its own, so that no test reads or writes the user's, and removes it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'msa-cache-'));
  // Read by every worker, which are all started after this.
  process.env['XDG_CACHE_HOME'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
