/** Where this program may keep what it can find out again: the platform's own place for that. Makes nothing. */
import { join } from 'node:path';

const NAME = 'mcp-simple-aggregator';

export function findCacheDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  const base = findBase(env, platform);
  return base === undefined ? undefined : join(base, NAME);
}

function findBase(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  // As the XDG specification has it: a relative path is to be ignored.
  if (env['XDG_CACHE_HOME']?.startsWith('/')) return env['XDG_CACHE_HOME'];
  if (platform === 'win32') return env['LOCALAPPDATA'] || undefined;
  const home = env['HOME'];
  if (home === undefined || !home.startsWith('/')) return undefined;
  return platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
}
