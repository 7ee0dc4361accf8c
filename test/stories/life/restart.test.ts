/** `--restart`: whoever needs a server that has died brings it back, once, and nothing runs twice behind the user's back. */
import { describe, expect, test } from 'vitest';
import { until } from '../../support/deadline.ts';
import { countChanges, Life, listRunning, untilRunning } from '../../support/life.ts';
import { readText, type Session, start, startReady } from '../../support/session.ts';

const args = ['--restart'];
const WAIT_MS = 20_000;

/** Sends calls in one write and gives their replies. */
async function callAll(session: Session, names: readonly string[]): Promise<Map<string, string>> {
  const id = (index: number): string => `"${names[index]} ${index}"`;
  const lines = names.map((name, index) =>
    JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id(index)), method: 'tools/call', params: { name } }),
  );
  session.write(`${lines.join('\n')}\n`);
  const replies = await Promise.all(names.map((_, index) => session.reply(id(index))));
  return new Map(replies.map((reply, index) => [id(index), reply.error?.message ?? readText(reply)]));
}

function countAnswers(session: Session, id: string): number {
  return session.inbox.messages.filter((message) => message.id === id && message.method === undefined).length;
}

test('starts a server again with the next call, and its tools stay listed', async () => {
  const [a, b] = [new Life(), new Life()];
  const session = await startReady({ servers: { a: a.entry(), b: b.entry() }, args });
  const names = await session.listNames();
  const first = await session.callText('a:pid');
  const crash = await session.call('a:crash', { code: 3 });
  expect(crash.error?.data).toEqual({ server: 'a', exitCode: 3, signal: null });
  expect(await session.listNames()).toEqual(names);
  expect(a.starts).toHaveLength(1);

  const second = await session.callText('a:pid');
  expect(second).not.toBe(first);
  expect(a.starts.map(String)).toEqual([first, second]);
  expect(b.starts).toHaveLength(1);
  expect(await session.listNames()).toEqual(names);
  await session.stderrMatches(/error: \[a\] .*\b3\b.*the next call starts it again/);
  await session.close();
  expect(countChanges(session)).toBe(0);
  await session.nothingLeft();
});

test('starts one process for any number of calls at once, and answers each from it', async () => {
  const a = new Life();
  const session = await startReady({ servers: { a: a.entry() }, args });
  await session.call('a:crash');
  const replies = await callAll(
    session,
    Array.from({ length: 50 }, () => 'a:pid'),
  );
  expect(a.starts).toHaveLength(2);
  expect(new Set(replies.values())).toEqual(new Set([String(a.starts[1])]));
  expect(listRunning(session)).toEqual([a.starts[1]]);
});

describe('a call that the dead server cannot have seen', () => {
  test('runs in the next process, as when it has closed its stdin', async () => {
    const a = new Life();
    const session = await startReady({ servers: { a: a.entry() }, args });
    await session.callText('a:deafen');
    const replies = await callAll(session, ['a:pid', 'a:echo', 'a:pid']);
    const second = String(a.starts[1]);
    expect([...replies.values()]).toEqual([second, 'life', second]);
    expect(a.starts).toHaveLength(2);
  });

  test('runs in the next process, as when it is gone and what it started holds its pipes', async () => {
    const a = new Life();
    const { command, args: own = [] } = a.entry();
    const script = 'sleep 1000 & exec "$@"';
    const entry = { command: 'sh', args: ['-c', script, 'sh', command, ...own] };
    const session = await startReady({ servers: { a: entry }, args });
    const first = Number(await session.callText('a:pid'));
    process.kill(first, 'SIGKILL');
    await until(
      WAIT_MS,
      () => !isThere(first),
      () => 'the end of the server',
    );
    const replies = await callAll(session, ['a:pid', 'a:pid']);
    expect(new Set(replies.values())).toEqual(new Set([String(a.starts[1])]));
    await session.close();
    await session.nothingLeft();
  });

  test('is refused with the reason when nobody starts the server again', async () => {
    const a = new Life();
    const session = await startReady({ servers: { a: a.entry() } });
    await session.callText('a:deafen');
    const { error } = await session.call('a:echo');
    expect(error?.message).toBe('Server "a" is not available: it closed its stdin');
  });
});

/** Whether anybody has yet to take note of its end. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a call in flight when the server dies', () => {
  test('is not repeated, and the caller hears that the outcome is unknown', async () => {
    const a = new Life();
    const session = await startReady({ servers: { a: a.entry() }, args });
    const lost = await session.call('a:write');
    expect(lost.error?.code).toBe(-32603);
    expect(lost.error?.message).toMatch(/^Server "a" exited with code 5 before it answered; .* is unknown$/);
    expect(await session.callText('a:echo')).toBe('life');
    expect(a.runs).toEqual(['write']);
    expect(await session.callText('a:write')).toBe('2');
  });

  test.each([
    ['reads only', 'peek'],
    ['may be repeated', 'put'],
  ])('is sent again when the tool says that it %s', async (_, tool) => {
    const a = new Life();
    const session = await startReady({ servers: { a: a.entry() }, args });
    expect(await session.callText(`a:${tool}`)).toBe('2');
    expect(a.runs).toEqual([tool, tool]);
    expect(a.starts).toHaveLength(2);
  });

  test('is answered exactly once, whatever it is and whoever else was in flight', async () => {
    const a = new Life();
    const session = await startReady({ servers: { a: a.entry() }, args });
    const names = ['a:hold', 'a:hold', 'a:peek', 'a:write', 'a:echo'];
    const replies = await callAll(session, names);
    const values = [...replies.values()];
    expect(values[0]).toMatch(/unknown$/);
    expect(values[1]).toMatch(/unknown$/);
    expect(values[2]).toBe('2');
    // These two were on their way when the first one killed it.
    expect(values[3]).toMatch(/unknown$/);
    expect(values[4]).toMatch(/unknown$/);
    await session.close();
    for (const id of replies.keys()) expect(countAnswers(session, id)).toBe(1);
    expect(session.inbox.untaken()).toEqual([]);
  });

  test('is given up when its repetition kills the server too, and leaves a start for others', async () => {
    const a = new Life();
    const session = await startReady({ servers: { a: a.entry() }, args });
    const doomed = await session.call('a:doom');
    expect(doomed.error?.code).toBe(-32603);
    expect(doomed.error?.message).toMatch(/"a"/);
    expect(a.starts).toHaveLength(2);
    expect((await session.call('a:pid')).error).toBeUndefined();
    await session.close();
    expect(session.inbox.untaken()).toEqual([]);
  });
});

test('gives up after three starts within a minute and says so, while the others go on', async () => {
  const [a, b] = [new Life(), new Life()];
  const session = await startReady({ servers: { a: a.entry(), b: b.entry() }, args });
  for (let crash = 0; crash < 3; crash += 1) {
    expect((await session.call('a:crash')).error?.message).toMatch(/unknown$/);
  }
  for (let call = 0; call < 3; call += 1) {
    const refused = await session.call('a:echo');
    expect(refused.error?.message).toMatch(
      /^Server "a" is not available: it was started 3 times within 60 s .* again in \d+ s$/,
    );
  }
  expect(a.starts).toHaveLength(3);
  expect(await session.callText('b:echo')).toBe('life');
  expect(await session.listNames()).toContain('a:echo');
  expect(countChanges(session)).toBe(0);
});

test('puts log level and subscriptions back in place before the call that woke it', async () => {
  const a = new Life();
  const resources = ['life://one', 'life://two', 'life://three'];
  const session = await startReady({ servers: { a: a.entry({ resources }) }, args });
  await session.request('logging/setLevel', { level: 'warning' });
  for (const uri of resources) await session.request('resources/subscribe', { uri });
  await session.request('resources/unsubscribe', { uri: 'life://two' });
  await session.call('a:crash');

  await session.callText('a:update', { uri: 'life://one' });
  const updated = await session.notification('notifications/resources/updated');
  expect(updated.params).toEqual({ uri: 'life://one' });
  expect(a.params(1, 'logging/setLevel')).toEqual([{ level: 'warning' }]);
  expect(a.params(1, 'resources/subscribe')).toEqual([{ uri: 'life://one' }, { uri: 'life://three' }]);
  const methods = a.methods(1);
  const call = methods.indexOf('tools/call');
  expect(methods.indexOf('logging/setLevel')).toBeLessThan(call);
  expect(methods.lastIndexOf('resources/subscribe')).toBeLessThan(call);
});

test('tells everybody who waited when the server does not come back, and tries again later', async () => {
  const a = new Life();
  const session = await startReady({ servers: { a: a.entry() }, args });
  await session.call('a:crash');
  a.become({ exit: 9 });
  const replies = await callAll(session, ['a:echo', 'a:peek', 'a:write']);
  for (const reply of replies.values()) {
    expect(reply).toBe('Server "a" is not available: it exited with code 9 while it was starting');
  }
  expect(a.starts).toHaveLength(2);
  expect(await session.listNames()).toContain('a:echo');
  a.become({});
  expect(await session.callText('a:echo')).toBe('life');
  expect(countChanges(session)).toBe(0);
});

test('announces what a server has that comes back with something else', async () => {
  const a = new Life();
  const session = await startReady({ servers: { a: a.entry() }, args });
  await session.call('a:crash');
  a.become({ tools: ['echo', 'pid'] });
  expect(await session.callText('a:echo')).toBe('life');
  await session.notification('notifications/tools/list_changed');
  expect(await session.listNames()).toEqual(['a:echo', 'a:pid']);
});

test('keeps a list that the server does not give after its new start', async () => {
  const a = new Life();
  const session = await startReady({ servers: { a: a.entry() }, args: [...args, '--startup-timeout', '1'] });
  const names = await session.listNames();
  a.become({ hang: 'tools/list' });
  await session.call('a:crash');
  expect(await session.callText('a:echo')).toBe('life');
  await session.stderrMatches(/warning: \[a\] tools\/list failed: .* not answered within 1 s/);
  expect(await session.listNames()).toEqual(names);
  expect(countChanges(session)).toBe(0);
});

test('drops a call that is cancelled while the server is coming back', async () => {
  const a = new Life();
  const session = await startReady({ servers: { a: a.entry() }, args });
  await session.call('a:crash');
  session.write('{"jsonrpc":"2.0","id":"gone","method":"tools/call","params":{"name":"a:write"}}\n');
  session.notify('notifications/cancelled', { requestId: 'gone' });
  expect(await session.callText('a:echo')).toBe('life');
  expect(a.runs).toEqual([]);
  await session.close();
  expect(session.inbox.untaken()).toEqual([]);
});

test('reads a list again that changed while it was read for the first time', async () => {
  const a = new Life();
  const session = start({ servers: { a: a.entry({ tools: ['echo'], changeAtOnce: ['echo', 'pid'] }) } });
  await session.initialize();
  await session.listTools();
  await session.notification('notifications/tools/list_changed');
  expect(await session.listNames()).toEqual(['a:echo', 'a:pid']);
});

test('leaves no process behind after many deaths', async () => {
  const lives = Array.from({ length: 3 }, () => new Life());
  const servers = Object.fromEntries(lives.map((life, index) => [`s${index}`, life.entry()]));
  const session = await startReady({ servers, args });
  for (const key of Object.keys(servers))
    await callAll(session, [`${key}:hold`, `${key}:crash`, `${key}:pid`]);
  await untilRunning(session, 0);
  await Promise.all(Object.keys(servers).map((key) => session.callText(`${key}:echo`)));
  expect(listRunning(session)).toHaveLength(3);
  await session.close();
  await session.nothingLeft();
});
