/** The aggregator dies without a chance to end anything, and still nothing of it is left. Linux only, for /proc. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until, within } from '../support/deadline.ts';
import { ENDING_SERVERS as servers, fixture, STUBBORN, tree } from '../support/fixture.ts';
import { makeProject, npxEntry } from '../support/project.ts';
import { CLI, makeFolder, type ServerEntry, type Session, start, startReady } from '../support/session.ts';

/** The promise is 2.5 s; a noisy machine gets more. */
const GONE_MS = 5000;
const WAIT_MS = 60_000;

/** Ends at once, but not what it started, which holds its pipes. */
const leaver: ServerEntry = { command: 'sh', args: ['-c', 'trap "" TERM; sleep 1000 & exec true'] };

function readProc(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/** It does not bear the mark of the session, because it gets nothing of our environment. */
function findWatchdogs(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, 'cmdline').includes('mcp-watchdog'))
    .filter((pid) => readProc(pid, 'status').includes(`PPid:\t${parent}\n`))
    .map(Number);
}

async function expectGone(session: Session, watchdogs: number[] = []): Promise<void> {
  const left = (): number[] => watchdogs.filter((pid) => readProc(pid, 'cmdline') !== '');
  await until(
    GONE_MS,
    () => session.survivors().length === 0 && left().length === 0,
    () => JSON.stringify([session.survivors(), left()]),
  );
}

const deaths: [string, (session: Session) => void][] = [
  ['SIGKILL', ({ pid }) => process.kill(pid, 'SIGKILL')],
  ['SIGKILL for its whole group', ({ pid }) => process.kill(-pid, 'SIGKILL')],
  ['SIGABRT, as when memory runs out', ({ pid }) => process.kill(pid, 'SIGABRT')],
  ['SIGQUIT', ({ pid }) => process.kill(pid, 'SIGQUIT')],
];

describe.each(deaths)('after %s', (_, kill) => {
  test('nothing is left, not even what ignores the end of its input and SIGTERM', async () => {
    const session = await startReady({ servers });
    // The aggregator, five servers and two shells at least.
    expect(session.survivors().length).toBeGreaterThanOrEqual(8);
    const watchdogs = findWatchdogs(session.pid);
    expect(watchdogs).toHaveLength(1);
    kill(session);
    expect((await session.exit()).signal).not.toBeNull();
    await expectGone(session, watchdogs);
  });

  test('nothing is left of an npx tree', async () => {
    const project = makeProject();
    const session = await startReady({ servers: { a: npxEntry(project, STUBBORN) }, env: project.env });
    kill(session);
    await expectGone(session);
  });
});

test.each([2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'nothing is left after SIGKILL as soon as there are %d processes',
  async (count) => {
    const session = start({ servers: { ...servers, another: tree(STUBBORN), hung: fixture(STUBBORN) } });
    void session.initialize().catch(() => {});
    await until(
      WAIT_MS,
      () => session.survivors().length >= count,
      () => JSON.stringify(session.survivors()),
    );
    session.child.kill('SIGKILL');
    await expectGone(session);
  },
);

test('nothing is left when the parent is killed and somebody else holds its pipes', async () => {
  // The test has the other ends of the pipes, so there is neither an end of input nor a broken pipe.
  const session = await startReady({ servers, before: 'exec 3<&0; "$@" <&3 3<&- & wait; exit' });
  session.child.kill('SIGKILL');
  await expectGone(session);
});

test('nothing is left when memory runs out', async () => {
  const roomy = { env: { NODE_OPTIONS: '' } };
  const session = await startReady({
    servers: { holder: fixture(STUBBORN, roomy) },
    env: { NODE_OPTIONS: '--max-old-space-size=24' },
  });
  // Calls that nobody answers are remembered, each one.
  const write = (round: number): void => {
    const ids = Array.from({ length: 1000 }, (_, index) => `"${round}.${index}"`);
    const lines = ids.map(
      (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"holder:hold"}}\n`,
    );
    session.child.stdin.write(lines.join(''), (error) => error ?? write(round + 1));
  };
  write(0);
  const { signal } = await within(WAIT_MS, session.exited, () => 'an end for want of memory');
  expect(signal).toBe('SIGABRT');
  await expectGone(session);
});

test('nothing is left after an error that nobody catches', async () => {
  const file = join(makeFolder(), 'throw.cjs');
  writeFileSync(file, "process.on('SIGUSR2', () => { throw new Error('nobody catches this'); });");
  const session = await startReady({ servers, env: { NODE_OPTIONS: `--require=${file}` } });
  process.kill(session.pid, 'SIGUSR2');
  expect(await session.exit()).toEqual({ code: 1, signal: null });
  await expectGone(session);
});

test('what a server leaves behind goes as soon as the server has gone', async () => {
  const session = await startReady({ servers: { leaver, normal: fixture() } });
  await session.stderrMatches(/error: \[leaver\]/);
  await until(
    GONE_MS,
    () => !session.survivors().some(({ command }) => command.startsWith('sleep')),
    () => JSON.stringify(session.survivors()),
  );
  session.child.kill('SIGKILL');
  await expectGone(session);
});

test('one aggregator inside another leaves nothing either', async () => {
  const config = join(makeFolder(), 'inner.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { b: fixture(STUBBORN) } }));
  const session = await startReady({ servers: { a: { command: 'node', args: [CLI, config] } } });
  expect(await session.callText('a:b:echo')).toBe('fixture {}');
  session.child.kill('SIGKILL');
  await expectGone(session);
});

test('a clean end leaves no watchdog', async () => {
  const session = await startReady({ servers: { normal: fixture() } });
  const watchdogs = findWatchdogs(session.pid);
  expect(watchdogs).toHaveLength(1);
  expect(await session.close()).toEqual({ code: 0, signal: null });
  await expectGone(session, watchdogs);
});

test('without servers there is no watchdog', async () => {
  const session = await startReady({ servers: {} });
  expect(findWatchdogs(session.pid)).toEqual([]);
});

test('servers get neither the lifeline nor any other pipe of ours, and the watchdog nothing else', async () => {
  const session = await startReady({ servers: { a: fixture(), b: fixture() } });
  const children = session.survivors().filter(({ pid }) => pid !== session.pid);
  expect(children).toHaveLength(2);
  // What the test itself was given by others is in all processes.
  const given = listPipes(process.pid);
  const ours = new Set(listPipes(session.pid).filter((link) => !given.includes(link)));
  for (const pid of [...children.map((child) => child.pid), ...findWatchdogs(session.pid)]) {
    expect(listPipes(pid).filter((link) => ours.has(link))).toEqual([]);
  }
});

function listPipes(pid: number): string[] {
  const read = (fd: string): string => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  };
  return readdirSync(`/proc/${pid}/fd`)
    .map(read)
    .filter((link) => /^(?:socket|pipe):/.test(link));
}
