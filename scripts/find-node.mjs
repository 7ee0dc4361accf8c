/** Finds other versions of Node.js, from the npm package of Node.js itself. Runs none of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'mcp-simple-aggregator-nodes');

/** Where the binary of a version lies; installed on first use, and again with `--fresh`. */
export function findNode(major, isFresh) {
  const folder = join(CACHE, major);
  const binary = join(folder, 'node_modules/node/bin/node');
  // Made last of all, so that an installation that was cut short is not taken for a whole one.
  if (existsSync(join(dirname(binary), 'npx')) && !isFresh) return binary;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = [`node@${major}`, 'npm@10'];
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', ...packages], {
    stdio: 'inherit',
  });
  // Whoever installs Node.js has these beside it; the package does not.
  for (const name of ['npm', 'npx']) symlinkSync(`../../npm/bin/${name}-cli.js`, join(dirname(binary), name));
  return binary;
}
