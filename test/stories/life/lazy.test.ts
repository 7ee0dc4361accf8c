/** `--lazy`: servers are listed from what they said before, and started when somebody needs them. */
import { describe, expect, test } from 'vitest';
import { countChanges, Home, Life, listRunning } from '../../support/life.ts';
import type { Session } from '../../support/session.ts';

const LIST_CHANGED = 'notifications/tools/list_changed';

/** A config of two servers that have been started once before. */
async function prepare(): Promise<{ home: Home; a: Life; b: Life }> {
  const [a, b] = [new Life(), new Life()];
  const home = new Home({
    a: a.entry({ name: 'a', instructions: 'Ask a first.', resources: ['a://one', 'a://slow'] }),
    b: b.entry({ name: 'b', instructions: 'b is “for\nlater”.' }),
  });
  await home.learn();
  return { home, a, b };
}

/** Nothing but the command itself. */
function expectAlone(session: Session): void {
  expect(session.survivors().map(({ pid }) => pid)).toEqual([session.pid]);
}

test('starts a server that was never seen once, to learn what it has', async () => {
  const { home, a, b } = await prepare();
  expect([a.starts.length, b.starts.length]).toEqual([1, 1]);
  const eager = await home.startReady([]);
  const names = await eager.listNames();
  const resources = (await eager.request('resources/list')).result;
  await eager.close();
  expect(names).toContain('a:echo');

  const session = home.start();
  await session.initialize();
  expect(await session.listNames()).toEqual(names);
  expect((await session.request('resources/list')).result).toEqual(resources);
  expectAlone(session);
  await session.close();
  expect([a.starts.length, b.starts.length]).toEqual([2, 2]);
  expect(countChanges(session)).toBe(0);
});

test('starts nothing for what can be answered without', async () => {
  const { home, a, b } = await prepare();
  const session = home.start();
  await session.initialize();
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'ping']) {
    expect((await session.request(method)).error).toBeUndefined();
  }
  await session.request('logging/setLevel', { level: 'error' });
  session.notify('notifications/roots/list_changed');
  expect((await session.call('a:nothing')).error?.code).toBe(-32602);
  expectAlone(session);
  await session.close();
  expect([a.starts.length, b.starts.length]).toEqual([1, 1]);
});

describe('starts one server and no other', () => {
  test.each<[string, (session: Session) => Promise<unknown>, string]>([
    ['a tool is called', (session) => session.callText('a:echo'), 'tools/call'],
    [
      'a resource is read',
      (session) => session.request('resources/read', { uri: 'a://one' }),
      'resources/read',
    ],
    [
      'a resource is subscribed to',
      (session) => session.request('resources/subscribe', { uri: 'a://one' }),
      'resources/subscribe',
    ],
    [
      'a resource is read under the key of its server',
      (session) => session.request('resources/read', { uri: 'a+a://hidden' }),
      'resources/read',
    ],
  ])('when %s', async (_, use, method) => {
    const { home, a, b } = await prepare();
    const session = await home.startReady();
    expect(await use(session)).not.toHaveProperty('error.code');
    expect(listRunning(session)).toEqual([a.starts[1]]);
    expect(b.starts).toHaveLength(1);
    expect(a.methods(1).filter((one) => one === method)).toHaveLength(1);
    await session.close();
    expect(countChanges(session)).toBe(0);
    await session.nothingLeft();
  });
});

test('starts one process for any number of first calls', async () => {
  const { home, a } = await prepare();
  const session = await home.startReady();
  const pids = await Promise.all(Array.from({ length: 30 }, () => session.callText('a:pid')));
  expect(new Set(pids)).toEqual(new Set([String(a.starts[1])]));
  expect(a.starts).toHaveLength(2);
});

test('brings a server back that died, as with --restart', async () => {
  const { home, a } = await prepare();
  const session = await home.startReady();
  expect((await session.call('a:write')).error?.message).toMatch(/unknown$/);
  expect(await session.callText('a:write')).toBe('2');
  expect(a.starts).toHaveLength(3);
  expect(countChanges(session)).toBe(0);
});

test('gives a server that starts late the log level of the client', async () => {
  const { home, a } = await prepare();
  const session = await home.startReady();
  await session.request('logging/setLevel', { level: 'critical' });
  await session.callText('a:echo');
  expect(a.params(1, 'logging/setLevel')).toEqual([{ level: 'critical' }]);
  expect(a.methods(1).indexOf('logging/setLevel')).toBeLessThan(a.methods(1).indexOf('tools/call'));
});

test.each([[['--lazy']], [[]]])(
  'tells the instructions of known servers, each under its key, with %j',
  async (args) => {
    const { home } = await prepare();
    const session = home.start(args);
    const { instructions } = (await session.initialize()).result as { instructions: string };
    expect(instructions).toBe('a: Ask a first.\n\nb: b is “for\nlater”.');
  },
);

describe('when a server has something else than before', () => {
  test('the client hears of it as soon as the server is started, and the next start knows', async () => {
    const { home, a } = await prepare();
    a.become({ tools: ['echo', 'change'] });
    const session = await home.startReady();
    expect(await session.listNames()).toContain('a:pid');
    expect(await session.callText('a:echo')).toBe('a');
    await session.notification(LIST_CHANGED);
    const names = await session.listNames();
    expect(names.filter((name) => name.startsWith('a:'))).toEqual(['a:echo', 'a:change']);
    await session.close();

    const next = await home.startReady();
    expect(await next.listNames()).toEqual(names);
    expectAlone(next);
  });

  test('and says so while it runs, the next start knows that too', async () => {
    const { home } = await prepare();
    const session = await home.startReady();
    await session.callText('a:change', { tools: ['pid'] });
    await session.notification(LIST_CHANGED);
    const names = await session.listNames();
    expect(names.filter((name) => name.startsWith('a:'))).toEqual(['a:pid']);
    await session.close();

    const next = await home.startReady();
    expect(await next.listNames()).toEqual(names);
    expectAlone(next);
  });

  test('a server that had nothing is started again to find out', async () => {
    const a = new Life();
    const home = new Home({ a: a.entry({ tools: [] }) });
    await home.learn();
    a.become({ tools: ['echo'] });
    const session = await home.startReady();
    expect(await session.listNames()).toEqual(['a:echo']);
  });
});

describe('a server counts as never seen', () => {
  test.each<[string, (a: Life) => ReturnType<Life['entry']>]>([
    ['an argument', (a) => a.entry({ name: 'other' })],
    ['a variable', (a) => a.entry({}, { env: { TOKEN: 'two' } })],
    ['the folder', (a) => a.entry({}, { env: { TOKEN: 'one' }, cwd: a.folder })],
  ])('when %s in its entry is another', async (_, change) => {
    const a = new Life();
    const home = new Home({ a: a.entry({}, { env: { TOKEN: 'one' } }) });
    await home.learn();
    a.become({ tools: ['pid'] });
    home.configure({ a: change(a) });
    const session = await home.startReady();
    expect(await session.listNames()).toEqual(['a:pid']);
    expect(a.starts).toHaveLength(2);
  });

  test('but not when only its place in the file is another', async () => {
    const { home, a, b } = await prepare();
    const entries = {
      b: b.entry({ name: 'b', instructions: 'b is “for\nlater”.' }),
      renamed: a.entry({ name: 'a', instructions: 'Ask a first.', resources: ['a://one', 'a://slow'] }),
    };
    home.configure(entries);
    const session = await home.startReady();
    const names = await session.listNames();
    expect(names[0]).toBe('b:echo');
    expect(names).toContain('renamed:echo');
    expectAlone(session);
  });
});
