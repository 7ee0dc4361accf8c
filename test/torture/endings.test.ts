/** The aggregator is killed at any instant: no process of it is left, and its manifest named them all. Linux only, for /proc. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIdentity } from '../../src/process/identity.ts';
import { readRecords } from '../../src/process/manifest.ts';
import { until } from '../support/deadline.ts';
import { fixture } from '../support/fixture.ts';
import { makeFolder, type ServerEntry, type Session, start } from '../support/session.ts';
import { chooseSeed, Random } from './random.ts';
import { PATIENCE_MS, scale } from './scale.ts';

const STARTS = scale(4, 100);
const AT_ONCE = 4;
const WAIT_MS = 60_000;
/** The aggregator, four servers that stay, and what one of them starts. */
const MOST_PROCESSES = 6;
const LATEST_MS = 50;

const stubborn = { ignoreEof: true, ignoreSigterm: true };
const servers: Record<string, ServerEntry> = {
  normal: fixture(),
  deaf: fixture({ ignoreEof: true }),
  stubborn: fixture(stubborn),
  waiting: { command: 'sh', args: ['-c', 'trap "" TERM; sleep 1000 & wait; true'] },
  leaving: { command: 'sh', args: ['-c', 'trap "" TERM; sleep 1000 & exec true'] },
};

/** Those that lead a group of their own, as every server's process does; the last one to be started is the last. */
function findLeaders(session: Session): number[] {
  const leaders = session.survivors().flatMap(({ pid }) => {
    const identity = readIdentity(pid);
    return identity !== undefined && isLeader(pid) ? [{ pid, start: Number(identity.start) }] : [];
  });
  return leaders.toSorted((one, other) => one.start - other.start).map(({ pid }) => pid);
}

function isLeader(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === pid;
  } catch {
    return false;
  }
}

async function expectNothingLeft(session: Session, manifest: string): Promise<void> {
  session.child.kill('SIGKILL');
  await session.exited;
  // It may have been killed before it had opened the file.
  const text = existsSync(manifest) ? readFileSync(manifest, 'utf8') : '';
  expect(text === '' || text.endsWith('\n')).toBe(true);
  const named = new Set(readRecords(text).map(({ pid }) => pid));
  // The last one may not have been written down yet; the watchdog knows it by its mark.
  const older = findLeaders(session).slice(0, -1);
  expect(older.filter((pid) => !named.has(pid))).toEqual([]);
  await session.nothingLeft();
}

test(
  `${STARTS} starts, each killed at another instant`,
  async () => {
    const random = new Random(chooseSeed('endings'));
    for (let done = 0; done < STARTS; done += AT_ONCE) {
      const endings = Array.from({ length: AT_ONCE }, async () => {
        const manifest = join(makeFolder(), 'manifest');
        const session = start({ servers, args: ['--restart', '--terminator-manifest', manifest] });
        session.write('{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n');
        const [count, instant] = [1 + random.below(MOST_PROCESSES), random.below(LATEST_MS)];
        await until(
          WAIT_MS,
          () => session.survivors().length >= count,
          () => `${count} processes`,
        );
        await new Promise((resolve) => setTimeout(resolve, instant));
        await expectNothingLeft(session, manifest);
      });
      await Promise.all(endings);
    }
  },
  PATIENCE_MS,
);
