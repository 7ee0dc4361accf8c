/** The aggregator is killed at any instant: no process of it is left, and its manifest named them all. Linux only, for /proc. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRecords } from '../../src/process/manifest.ts';
import { fixture } from '../support/fixture.ts';
import { makeFolder, type ServerEntry, type Session, start } from '../support/session.ts';
import { chooseSeed, Random } from './random.ts';
import { PATIENCE_MS, scale } from './scale.ts';

const STARTS = scale(4, 100);
const AT_ONCE = 4;
/** By then everything has been up for a while. */
const LATEST_MS = 1500;

const stubborn = { ignoreEof: true, ignoreSigterm: true };
const servers: Record<string, ServerEntry> = {
  normal: fixture(),
  deaf: fixture({ ignoreEof: true }),
  stubborn: fixture(stubborn),
  waiting: { command: 'sh', args: ['-c', 'trap "" TERM; sleep 1000 & wait; true'] },
  leaving: { command: 'sh', args: ['-c', 'trap "" TERM; sleep 1000 & exec true'] },
};

/** Whether it leads a group of its own, as every server's process does. */
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
  const leaders = session.survivors().filter(({ pid }) => isLeader(pid));
  // One may have been started right then, and not be written down yet; the watchdog knows it by its mark.
  expect(leaders.filter(({ pid }) => !named.has(pid)).length).toBeLessThanOrEqual(1);
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
        const instant = random.below(LATEST_MS);
        await new Promise((resolve) => setTimeout(resolve, instant));
        await expectNothingLeft(session, manifest);
      });
      await Promise.all(endings);
    }
  },
  PATIENCE_MS,
);
