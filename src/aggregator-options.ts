/** What an aggregator can be told, and what counts where it is told nothing. Data only. */
import type { Log } from './log.ts';
import type { SpawnProcess } from './process/child.ts';
import type { Host } from './process/command.ts';
import type { Identity } from './protocol/handshake.ts';
import type { Writable } from './wire/outlet.ts';

/** How an aggregator serves; `name` and `version` are what clients are told that it is. */
export interface AggregatorOptions extends Identity {
  /** Takes what is to be said of servers, and each line of their stderr. */
  readonly log: Log;
  /** Where lines for the client go. */
  readonly output: Writable;
  /** Between a server's key and a tool's name; when absent, `:` or what the client can take. */
  readonly separator?: string | undefined;
  /** Give servers only a short safe list of variables besides their own `env`. */
  readonly isolateEnv?: boolean;
  /** Start a server again when it is needed after a crash. */
  readonly restart?: boolean;
  /** Start servers when they are needed, and list them from the cache until then. Includes `restart`. */
  readonly lazy?: boolean;
  /** With `lazy`: how long a server may be idle before it is stopped; 0 for ever. */
  readonly idleTimeoutMs?: number;
  /** How many servers may run at once (50). */
  readonly maxProcesses?: number;
  /** How long a server may take to be ready (30 s). */
  readonly startupTimeoutMs?: number;
  /** Where to remember what servers say of themselves; without it, nothing is. */
  readonly cacheDirectory?: string | undefined;
  /** What servers inherit; `process.env` when absent. */
  readonly env?: NodeJS.ProcessEnv;
  /** The machine that commands are looked up on; this one when absent. */
  readonly host?: Host;
  /** Starts a process; that of Node.js when absent. */
  readonly spawn?: SpawnProcess;
  /** Where processes are written down, for others to end them after a crash. */
  readonly manifest?: { add(pid: number): void } | undefined;
  /** A server did not come up. */
  readonly onServerFailed?: (key: string) => void;
}

export const DEFAULTS = { maxProcesses: 50, startupTimeoutMs: 30_000, idleTimeoutMs: 600_000 } as const;
