/** A server that dies: whoever waited for it is told once, its tools go, and the others do not notice. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../support/deadline.ts';
import { fixture } from '../support/fixture.ts';
import type { Message } from '../support/inbox.ts';
import { makeFolder, readText, type Session, start, startReady } from '../support/session.ts';

const LIST_CHANGED = 'notifications/tools/list_changed';

/** Two servers, with one call waiting at "b" and two at "a". */
async function startWithPending(): Promise<Session> {
  const session = await startReady({ servers: { a: fixture({ name: 'a' }), b: fixture({ name: 'b' }) } });
  for (const [id, key] of [
    ['"a1"', 'a'],
    ['"b1"', 'b'],
    ['"a2"', 'a'],
  ]) {
    session.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${key}:hold"}}\n`);
  }
  await session.callText('a:echo');
  await session.callText('b:echo');
  return session;
}

function expectLost(message: Message, data: Record<string, unknown>): void {
  expect(message.error?.code).toBe(-32603);
  expect(message.error?.message).toMatch(/"a"|\ba\b/);
  expect(message.error?.data).toMatchObject({ server: 'a', ...data });
}

/** What holds after every death of "a", however it came. */
async function expectRestUnharmed(session: Session): Promise<void> {
  await session.notification(LIST_CHANGED);
  const names = await session.listNames();
  expect(names.filter((name) => name.startsWith('a:'))).toEqual([]);
  expect(names).toContain('b:echo');
  const late = await session.call('a:echo');
  expect(late.error).toBeDefined();
  await session.call('b:release');
  expect(readText(await session.reply('"b1"'))).toBe('released');
  await session.stderrMatches(/(error|warning): \[a\] /);
  expect(await session.close()).toEqual({ code: 0, signal: null });
  expect(session.inbox.untaken()).toEqual([]);
  await session.nothingLeft();
}

test.each([0, 3])('answers every pending call when a server exits with code %i', async (code) => {
  const session = await startWithPending();
  const lost = [
    await session.call('a:crash', { code }),
    await session.reply('"a1"'),
    await session.reply('"a2"'),
  ];
  for (const message of lost) {
    expectLost(message, { exitCode: code, signal: null });
    expect(message.error?.message).toMatch(new RegExp(`\\b${code}\\b`));
  }
  await expectRestUnharmed(session);
});

test.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'])(
  'answers every pending call when a server is ended by %s',
  async (signal) => {
    const session = await startWithPending();
    const lost = [
      await session.call('a:crash', { signal }),
      await session.reply('"a1"'),
      await session.reply('"a2"'),
    ];
    for (const message of lost) {
      expectLost(message, { exitCode: null, signal });
      expect(message.error?.message).toContain(signal);
    }
    await expectRestUnharmed(session);
  },
);

test('says how a server ended that did so in the middle of its answer', async () => {
  const session = await startWithPending();
  for (const message of [
    await session.call('a:cutOff', { code: 3 }),
    await session.reply('"a1"'),
    await session.reply('"a2"'),
  ])
    expectLost(message, { exitCode: 3, signal: null });
  await expectRestUnharmed(session);
  expect(session.stderr).not.toContain('stdout was dropped');
});

test('does not wait for a grandchild that holds the pipes of a dead server, and ends it', async () => {
  const session = await startWithPending();
  const lost = [
    await session.call('a:orphan', { code: 5 }),
    await session.reply('"a1"'),
    await session.reply('"a2"'),
  ];
  for (const message of lost) expectLost(message, { exitCode: 5, signal: null });
  const orphans = (): unknown[] =>
    session.survivors().filter(({ command }) => command.includes('setInterval'));
  await until(
    20_000,
    () => orphans().length === 0,
    () => JSON.stringify(orphans()),
  );
  await expectRestUnharmed(session);
});

describe('a server that lives on', () => {
  test('without its stdout counts as dead and is ended', async () => {
    const session = await startWithPending();
    const pid = Number(await session.callText('a:pid'));
    const lost = [
      await session.call('a:closeStdout'),
      await session.reply('"a1"'),
      await session.reply('"a2"'),
    ];
    for (const message of lost) expectLost(message, {});
    await until(
      20_000,
      () => !session.survivors().some((one) => one.pid === pid),
      () => `end of ${pid}`,
    );
    await expectRestUnharmed(session);
  });

  test('without its stdin counts as dead and is ended', async () => {
    const session = await startWithPending();
    const pid = Number(await session.callText('a:pid'));
    expect(await session.callText('a:closeStdin')).toBe('deaf');
    const lost = [await session.call('a:echo'), await session.reply('"a1"'), await session.reply('"a2"')];
    for (const message of lost) expectLost(message, {});
    await until(
      20_000,
      () => !session.survivors().some((one) => one.pid === pid),
      () => `end of ${pid}`,
    );
    await expectRestUnharmed(session);
  });
});

test('delivers what a server said before it died', async () => {
  const session = await startWithPending();
  const bytes = 1024 * 1024;
  expect(await session.callText('a:lastWords', { bytes, code: 1 })).toHaveLength(bytes);
  for (const id of ['"a1"', '"a2"']) expectLost(await session.reply(id), { exitCode: 1, signal: null });
  await expectRestUnharmed(session);
});

test('answers calls that waited for a server that dies at start-up', async () => {
  const record = join(makeFolder(), 'record');
  const servers = {
    a: fixture({ after: record, dieAt: 'initialize', code: 6 }),
    b: fixture({ name: 'b', record }),
  };
  const session = start({ servers });
  await session.initialize();
  const [early, other] = await Promise.all([session.call('a:echo'), session.callText('b:echo')]);
  expect(early.error?.code).toBe(-32602);
  expect(early.error?.message).toBe('Tool not found: a:echo');
  expect(other).toBe('b {}');
  await session.stderrMatches(/error: \[a\] .*\b6\b/);
});

test('survives the death of every server', async () => {
  const session = await startWithPending();
  await session.call('a:crash', { code: 1 });
  await session.call('b:crash', { code: 1 });
  for (const id of ['"a1"', '"a2"', '"b1"']) expect((await session.reply(id)).error?.code).toBe(-32603);
  expect(await session.listTools()).toEqual([]);
  expect((await session.request('ping')).result).toEqual({});
  expect(await session.close()).toEqual({ code: 0, signal: null });
});
