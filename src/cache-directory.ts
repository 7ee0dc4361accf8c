/** Where this program may keep what it can find out again: the platform's own place for that. Makes nothing. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'mcp-simple-aggregator';
const WRITABLE_BY_OTHERS = 0o022;

/** Undefined when there is none, or when others could put something there: what is found there, is run. */
export function findCacheDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  const base = findBase(env, platform);
  const directory = base && join(base, NAME);
  return directory !== undefined && isOwn(directory) ? directory : undefined;
}

/** One that is not there yet will be ours alone. */
function isOwn(directory: string): boolean {
  const { getuid } = process;
  // Windows keeps each user's places from the others.
  if (getuid === undefined) return true;
  try {
    const stats = lstatSync(directory, { throwIfNoEntry: false });
    if (stats === undefined) return true;
    return stats.isDirectory() && stats.uid === getuid() && (stats.mode & WRITABLE_BY_OTHERS) === 0;
  } catch {
    return false;
  }
}

function findBase(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  // As the XDG specification has it: a relative path is to be ignored.
  if (env['XDG_CACHE_HOME']?.startsWith('/')) return env['XDG_CACHE_HOME'];
  if (platform === 'win32') return env['LOCALAPPDATA'] || undefined;
  const home = env['HOME'];
  if (home === undefined || !home.startsWith('/')) return undefined;
  return platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
}
