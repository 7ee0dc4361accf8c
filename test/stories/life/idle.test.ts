/** `--idle-timeout`: a server that nobody uses is stopped, and nobody notices. */
import { expect, test } from 'vitest';
import { until } from '../../support/deadline.ts';
import { countChanges, Home, Life, listRunning, untilRunning } from '../../support/life.ts';
import { readText, type Session } from '../../support/session.ts';

const WAIT_MS = 60_000;
const SHORT = ['--lazy', '--idle-timeout', '0.2'];

/** Two servers that are known. */
async function prepare(): Promise<{ home: Home; a: Life; b: Life }> {
  const [a, b] = [new Life(), new Life()];
  const home = new Home({ a: a.entry({ resources: ['a://one', 'a://slow'] }), b: b.entry() });
  await home.learn();
  return { home, a, b };
}

/** Waits until a server was idle for so long that it is stopped; whoever was idle before it would be stopped too. */
async function waitIdle(session: Session, key: string): Promise<void> {
  const pid = Number(await session.callText(`${key}:pid`));
  await until(
    WAIT_MS,
    () => !listRunning(session).includes(pid),
    () => `end of "${key}"`,
  );
}

test('stops an idle server, keeps its tools, and brings it back with the next call', async () => {
  const { home, a } = await prepare();
  const session = await home.startReady(SHORT);
  const names = await session.listNames();
  for (let time = 1; time <= 4; time += 1) {
    await waitIdle(session, 'a');
    expect(a.starts).toHaveLength(1 + time);
  }
  expect(await session.listNames()).toEqual(names);
  expect(await session.callText('a:echo')).toBe('life');
  expect(countChanges(session)).toBe(0);
  expect(session.stderr).toBe('');
});

test.each([600_000, null])(
  'does not stop a server that keeps a task of the client for %s ms',
  async (ttl) => {
    const [a, b] = [new Life(), new Life()];
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    const home = new Home({ a: a.entry({ capabilities: { tools: {}, tasks } }), b: b.entry() });
    await home.learn();
    const session = await home.startReady(SHORT);
    const params = { name: 'a:task', arguments: { ttl }, task: {} };
    const { result } = await session.request('tools/call', params);
    expect(result).toMatchObject({ task: { taskId: 'a:one' } });
    await waitIdle(session, 'b');
    expect(listRunning(session)).toEqual([a.starts[1]]);
  },
);

test('stops a server that was started only to learn what it has', async () => {
  const a = new Life();
  const home = new Home({ a: a.entry() });
  const session = await home.startReady(SHORT);
  await untilRunning(session, 0);
  expect(await session.listNames()).toContain('a:echo');
  expect(await session.callText('a:echo')).toBe('life');
  expect(a.starts).toHaveLength(2);
});

test('answers calls that come while the server is still ending', async () => {
  const { home, a } = await prepare();
  a.become({ stubborn: true });
  const session = await home.startReady(SHORT);
  const [, first = 0] = [await session.callText('a:echo'), a.starts[1]];
  // Its input is ended, but it stays until it is killed.
  await session.callText('b:echo');
  await untilRunning(session, 1);
  expect(listRunning(session)).toEqual([first]);
  expect(await session.callText('a:echo')).toBe('life');
  expect(a.starts).toHaveLength(3);
  await session.close();
  await session.nothingLeft();
});

test('stops a server that only talks', async () => {
  const { home, a } = await prepare();
  a.become({ chatty: true });
  const session = await home.startReady(SHORT);
  await waitIdle(session, 'a');
  expect(session.inbox.messages.some(({ method }) => method === 'notifications/message')).toBe(true);
});

test('does not stop a server that owes an answer', async () => {
  const { home, a } = await prepare();
  const session = await home.startReady(SHORT);
  session.write('{"jsonrpc":"2.0","id":"held","method":"tools/call","params":{"name":"a:hold"}}\n');
  await session.callText('a:echo');
  await waitIdle(session, 'b');
  expect(listRunning(session)).toEqual([a.starts[1]]);
  await session.callText('a:release');
  expect(readText(await session.reply('"held"'))).toBe('released');
  await untilRunning(session, 0);
});

test('does not stop a server that is asked for something that it lists nowhere', async () => {
  const { home, a } = await prepare();
  const session = await home.startReady(SHORT);
  session.write('{"jsonrpc":"2.0","id":"held","method":"resources/read","params":{"uri":"x://y/slow"}}\n');
  await until(
    WAIT_MS,
    () => a.starts.length === 2 && a.methods(1).includes('resources/read'),
    () => 'the read',
  );
  await waitIdle(session, 'b');
  expect(listRunning(session)).toEqual([a.starts[1]]);
});

test('does not stop a server that the client has subscribed to, until it unsubscribes', async () => {
  const { home, a } = await prepare();
  const session = await home.startReady(SHORT);
  await session.request('resources/subscribe', { uri: 'a://one' });
  await waitIdle(session, 'b');
  expect(listRunning(session)).toEqual([a.starts[1]]);
  await session.request('resources/unsubscribe', { uri: 'a://one' });
  await untilRunning(session, 0);
});

test('stops nothing with an idle time-out of 0, nor by default', async () => {
  const { home } = await prepare();
  const never = await home.startReady(['--lazy', '--idle-timeout', '0']);
  const byDefault = await home.startReady(['--lazy']);
  const eager = await home.startReady(['--restart']);
  await never.callText('a:echo');
  await byDefault.callText('a:echo');
  await eager.callText('a:echo');
  const short = await home.startReady(SHORT);
  await waitIdle(short, 'a');
  expect(listRunning(never)).toHaveLength(1);
  expect(listRunning(byDefault)).toHaveLength(1);
  expect(listRunning(eager)).toHaveLength(2);
});
