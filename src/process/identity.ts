/** Tells a process from a later one with the same number, by when it was started. Ends nothing. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isGroupGone } from './group.ts';

export interface ProcessIdentity {
  /** Ticks since the start of the machine on Linux, seconds since 1970 elsewhere. */
  readonly start: string;
  /** Which start of the machine; "-" where `start` says it all. */
  readonly boot: string;
}

/** Where to look. */
export interface IdentitySources {
  readonly platform: NodeJS.Platform;
  readonly readFile: (path: string) => string;
  readonly run: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => string;
}

interface ProcessStat {
  /** One letter; Z for a process that has ended and whose parent has not taken note. */
  readonly state: string;
  readonly group: number;
  readonly start: string;
}

export const SYSTEM: IdentitySources = {
  platform: process.platform,
  readFile: (path) => readFileSync(path, 'latin1'),
  run: (file, args, env) =>
    execFileSync(file, args, { env, encoding: 'latin1', stdio: ['ignore', 'pipe', 'ignore'] }),
};

const BOOT_FILE = '/proc/sys/kernel/random/boot_id';
/** Where the fields are behind the name, which is the second of them all. */
const STATE = 0;
const GROUP = 2;
const START = 19;

/** Undefined when there is no such process, or nobody to ask. */
export function readIdentity(pid: number, sources: IdentitySources = SYSTEM): ProcessIdentity | undefined {
  if (sources.platform === 'win32') return undefined;
  if (sources.platform !== 'linux') return askPs(pid, sources);
  const stat = readStat(pid, sources);
  try {
    return stat && { start: stat.start, boot: sources.readFile(BOOT_FILE).trim() };
  } catch {
    return undefined;
  }
}

/** Whether nothing of the group runs any more. What has ended may stay for long if nobody takes note, as in a container. */
export function hasEnded(pid: number, platform: NodeJS.Platform): boolean {
  if (isGroupGone(pid, platform)) return true;
  if (platform !== 'linux') return false;
  const stats = readdirSync('/proc').map((name) => readStat(Number(name)));
  return stats.every((stat) => stat?.group !== pid || stat.state === 'Z');
}

/** What Linux says of a process; undefined when there is none. */
export function readStat(pid: number, { readFile }: IdentitySources = SYSTEM): ProcessStat | undefined {
  try {
    const text = readFile(`/proc/${pid}/stat`);
    // The name is in parentheses and may have spaces and parentheses of its own.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, group, start] = [fields[STATE], fields[GROUP], fields[START]];
    if (state === undefined || start === undefined) return undefined;
    return { state, group: Number(group), start };
  } catch {
    return undefined;
  }
}

function askPs(pid: number, { run }: IdentitySources): ProcessIdentity | undefined {
  try {
    // The time is printed for people, so it is asked for in one language and one time zone.
    const text = run('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { LC_ALL: 'C', TZ: 'UTC0' });
    const start = Date.parse(`${text.trim()} UTC`);
    return Number.isNaN(start) ? undefined : { start: String(start / 1000), boot: '-' };
  } catch {
    return undefined;
  }
}
