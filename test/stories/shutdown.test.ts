/** The end, however it comes: every process goes, and what could still be delivered is. */
import { describe, expect, test } from 'vitest';
import { until, within } from '../support/deadline.ts';
import { ENDING_SERVERS as servers, fixture, STUBBORN } from '../support/fixture.ts';
import { makeProject, npxEntry } from '../support/project.ts';
import { readText, type Session, start, startReady } from '../support/session.ts';

/** The promise is 1.8 s; a noisy machine gets more. */
const GONE_MS = 5000;

const line = (id: string, name: string): string =>
  `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"${name}","arguments":{"id":"${id}"}}}\n`;

async function expectGone(session: Session, code: number): Promise<void> {
  const left = (): string => JSON.stringify(session.survivors());
  expect(await within(GONE_MS, session.exit(), left)).toEqual({ code, signal: null });
  await until(GONE_MS, () => session.survivors().length === 0, left);
}

const endings: [string, number, (session: Session) => void][] = [
  ['the client closes stdin', 0, (session) => session.child.stdin.end()],
  ['the client closes stdout', 0, (session) => void session.child.stdout.destroy()],
  ['SIGTERM comes', 143, (session) => void session.child.kill('SIGTERM')],
  ['SIGINT comes', 130, (session) => void session.child.kill('SIGINT')],
  ['SIGHUP comes', 129, (session) => void session.child.kill('SIGHUP')],
  [
    'the client closes stdout and goes on talking',
    0,
    (session) => {
      session.child.stdout.destroy();
      session.write('{"jsonrpc":"2.0","id":"unread","method":"ping"}\n');
    },
  ],
];

describe.each(endings)('when %s', (_, code, end) => {
  test('nothing is left, not even what ignores the end of its input and SIGTERM', async () => {
    const session = await startReady({ servers });
    // The aggregator, five servers and two shells at least.
    expect(session.survivors().length).toBeGreaterThanOrEqual(8);
    end(session);
    await expectGone(session, code);
  });

  test('nothing is left of servers that were still starting', async () => {
    const session = start({ servers: { ...servers, hung: fixture({ ...STUBBORN, hang: 'initialize' }) } });
    await until(
      20_000,
      () => session.survivors().length > 3,
      () => JSON.stringify(session.survivors()),
    );
    end(session);
    await expectGone(session, code);
  });
});

test.each([endings[0], endings[2]].filter((ending) => ending !== undefined))(
  'nothing is left of an npx tree when %s',
  async (_, code, end) => {
    const project = makeProject();
    const session = await startReady({ servers: { a: npxEntry(project, STUBBORN) }, env: project.env });
    end(session);
    await expectGone(session, code);
  },
);

test('a second signal does not disturb the first', async () => {
  const session = await startReady({ servers });
  session.child.kill('SIGTERM');
  session.child.kill('SIGINT');
  const { code } = await within(GONE_MS, session.exit(), () => JSON.stringify(session.survivors()));
  expect([143, 130]).toContain(code);
  await until(
    GONE_MS,
    () => session.survivors().length === 0,
    () => JSON.stringify(session.survivors()),
  );
});

test('calls in flight when the client closes stdin are still answered', async () => {
  const session = await startReady({
    servers: { a: fixture({ name: 'a' }), b: fixture({ name: 'b', ignoreEof: true }) },
  });
  const ids = Array.from({ length: 50 }, (_, n) => `call ${n}`);
  session.write(
    line('held', 'b:hold') + ids.map((id, n) => line(id, n % 2 === 0 ? 'a:echo' : 'b:echo')).join(''),
  );
  session.write(line('release', 'b:release'));
  await expectGoneAfterEnd(session);
  for (const [n, id] of ids.entries()) {
    expect(readText(await session.reply(`"${id}"`))).toBe(`${n % 2 === 0 ? 'a' : 'b'} {"id":"${id}"}`);
  }
  expect(readText(await session.reply('"held"'))).toBe('released');
  expect(readText(await session.reply('"release"'))).toBe('done');
});

test('an answer that a server gives on its way out is delivered', async () => {
  const session = await startReady({ servers: { a: fixture({ lastAnswer: 'late' }) } });
  session.write(line('held', 'a:hold'));
  await expectGoneAfterEnd(session);
  expect(readText(await session.reply('"held"'))).toBe('late');
});

test('a large answer that is under way when the client closes stdin arrives whole', async () => {
  const session = await startReady({ servers: { a: fixture() } });
  const bytes = 8 * 1024 * 1024;
  const reply = session.callText('a:big', { bytes });
  await expectGoneAfterEnd(session);
  expect(await reply).toHaveLength(bytes);
});

test('a call that nobody answers does not hold up the end', async () => {
  const session = await startReady({ servers: { a: fixture() } });
  session.write('{"jsonrpc":"2.0","id":"held","method":"tools/call","params":{"name":"a:hold"}}\n');
  await session.callText('a:echo');
  await expectGoneAfterEnd(session);
});

test('a client that does not read does not hold up the end', async () => {
  const session = await startReady({ servers: { a: fixture() } });
  // What is left in the pipe comes out at the exit, cut where the command gave up.
  session.child.stdout.pause().removeAllListeners('data');
  for (let n = 0; n < 20; n += 1) {
    session.write(
      `{"jsonrpc":"2.0","id":"${n}","method":"tools/call","params":{"name":"a:big","arguments":{"bytes":1048576}}}\n`,
    );
  }
  session.child.stdin.end();
  const exit = await within(GONE_MS, session.exited, () => JSON.stringify(session.survivors()));
  expect(exit).toEqual({ code: 0, signal: null });
  await until(
    GONE_MS,
    () => session.survivors().length === 0,
    () => JSON.stringify(session.survivors()),
  );
});

test('a last line without its end is still read', async () => {
  const session = start({ servers: {} });
  await session.initialize();
  session.write('{"jsonrpc":"2.0","id":"last","method":"ping"}');
  await expectGoneAfterEnd(session);
  expect((await session.reply('"last"')).result).toEqual({});
});

test('nothing is announced on the way out', async () => {
  const session = await startReady({ servers });
  await expectGoneAfterEnd(session);
  expect(session.inbox.untaken()).toEqual([]);
  expect(session.stderr).toBe('');
});

async function expectGoneAfterEnd(session: Session): Promise<void> {
  session.child.stdin.end();
  await expectGone(session, 0);
}
