/** Ends what a killed run left behind, as its terminator manifest names it; nothing that only bears the same number. */
import { readFileSync } from 'node:fs';
import { signalGroup } from '../process/group.ts';
import { hasEnded, type IdentitySources, readIdentity, SYSTEM } from '../process/identity.ts';
import { type ManifestRecord, readRecords } from '../process/manifest.ts';
import { describeFileProblem } from '../system-error.ts';
import { UsageError } from './arguments.ts';

/** What became of a process since it was written down. */
type Finding = 'same' | 'gone' | 'other' | 'orphaned' | 'unknown';

/** To follow the number. */
const WORDS: Readonly<Record<Exclude<Finding, 'same'>, string>> = {
  gone: 'gone already',
  other: 'another process has this number now, left alone',
  unknown: 'the manifest does not say when it was started, left alone',
  orphaned: 'gone, but its group is not, and nobody can say whose that is, left alone',
};

const ADVICE = 'give the file that --terminator-manifest named';
const FAILED = 1;
const TERMINATE_WAIT_MS = 1000;
const KILL_WAIT_MS = 1000;
const POLL_MS = 20;

/** Gives the exit code: 0 when nothing of the run is left, 1 when something is. A file of no use is a mistake. */
export async function terminate(
  path: string,
  print: (line: string) => void,
  sources: IdentitySources = SYSTEM,
): Promise<number> {
  const records = loadRecords(path, print, sources);
  const same: number[] = [];
  let exitCode = 0;
  for (const record of records) {
    const finding = examine(record, sources);
    if (finding === 'same') same.push(record.pid);
    else print(`Process ${record.pid}: ${WORDS[finding]}`);
    if (finding === 'orphaned' || finding === 'unknown') {
      print(`  If it is yours, end it with: kill -- -${record.pid}`);
      exitCode = FAILED;
    }
  }
  const left = await end(same, sources.platform);
  for (const pid of same) {
    print(
      `Process ${pid}: ${left.includes(pid) ? 'still there after SIGKILL' : 'ended, with all that it started'}`,
    );
  }
  return left.length > 0 ? FAILED : exitCode;
}

function loadRecords(
  path: string,
  print: (line: string) => void,
  { platform }: IdentitySources,
): ManifestRecord[] {
  if (platform === 'win32') {
    throw new UsageError(
      'Windows does not say when a process was started: end what is left in the Task Manager',
    );
  }
  const text = readText(path);
  const records = readRecords(text);
  if (records.length > 0) return records;
  if (text.trim() !== '') {
    throw new UsageError(
      `"${path}" names no process with the time of its start, so nothing was ended: ${ADVICE}`,
    );
  }
  print(`"${path}" is empty: the last run ended in order, there is nothing to end`);
  return [];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`"${path}" cannot be read (${describeFileProblem(error)}): ${ADVICE}`, {
      cause: error,
    });
  }
}

function examine({ pid, identity }: ManifestRecord, sources: IdentitySources): Finding {
  // After a new start of the machine, the numbers mean nothing.
  if (identity !== undefined && identity.boot !== readIdentity(process.pid, sources)?.boot) return 'gone';
  if (hasEnded(pid, sources.platform)) return 'gone';
  const current = readIdentity(pid, sources);
  if (current === undefined) return 'orphaned';
  if (identity === undefined) return 'unknown';
  return identity.start === current.start ? 'same' : 'other';
}

/** Gives those that are still there. A group keeps its number while any of it lives, so no other can be hit. */
async function end(pids: readonly number[], platform: NodeJS.Platform): Promise<readonly number[]> {
  let left = pids;
  for (const [signal, waitMs] of [
    ['SIGTERM', TERMINATE_WAIT_MS],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    for (const pid of left) signalGroup(pid, signal, platform);
    for (let waited = 0; waited <= waitMs; waited += POLL_MS) {
      left = left.filter((pid) => !hasEnded(pid, platform));
      if (left.length === 0) return [];
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  return left;
}
