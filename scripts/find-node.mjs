/** Finds other versions of Node.js, from the npm packages of Node.js itself. Runs none of them. */
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { install } from './install.mjs';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'mcp-simple-aggregator-nodes');

/** Each platform has a package of its own, which needs no script to install it. */
export function nameNodePackage() {
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
}

/**
 * Where the binary of a version lies; installed on first use, and again when it is to be fresh.
 * @returns {Promise<string>} its path
 */
export async function findNode(major, { isFresh = false } = {}) {
  const folder = join(CACHE, major);
  if (isFresh) rmSync(folder, { recursive: true, force: true });
  await install(folder, [`${nameNodePackage()}@${major}`, 'npm@10']);
  const bin = join(folder, 'node_modules', nameNodePackage(), 'bin');
  // Whoever installs Node.js has these beside it; the package does not.
  for (const name of ['npm', 'npx']) {
    if (!existsSync(join(bin, name))) symlinkSync(`../../npm/bin/${name}-cli.js`, join(bin, name));
  }
  return join(bin, process.platform === 'win32' ? 'node.exe' : 'node');
}
