/** A folder for PATH in which scripts find their shell, but no Node.js: PATH as a client with windows may have it. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './session.ts';

export function makeShellFolder(): string {
  const folder = makeFolder();
  for (const tool of ['sh', 'env']) symlinkSync(findTool(tool), join(folder, tool));
  return folder;
}

function findTool(name: string): string {
  const path = ['/bin', '/usr/bin'].map((directory) => join(directory, name)).find(existsSync);
  if (path === undefined) throw new Error(`This test needs "${name}"`);
  return path;
}
