/** Which era a message and a server are of: told by the message itself, and found out with the server. */
import { expect, test } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { ALL, KEY, modern, startModern } from '../../support/modern.ts';
import { passing, Recording } from '../../support/passing.ts';
import { makeFolder, readText, start } from '../../support/session.ts';

const CAPABILITIES = { [`${KEY}clientCapabilities`]: {} };

test('answers server/discover at once, while servers are still starting', async () => {
  const session = startModern({ servers: { hung: fixture({ hang: 'initialize' }) } });
  expect((await session.request('server/discover')).result).toMatchObject({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true } },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [`${KEY}serverInfo`]: { name: expect.any(String) as unknown } },
  });
});

test('lets a client ask for the era and then decide for the handshake', async () => {
  const record = new Recording();
  const servers = { a: passing({ record: record.file }), b: modern({ legacyToo: true }) };
  const session = start({ servers });
  const _meta = { [`${KEY}protocolVersion`]: '2026-07-28', ...CAPABILITIES };
  expect((await session.request('server/discover', { _meta })).result).toBeDefined();
  await session.initialize();
  expect(await session.listNames()).toContain('a:echo');
  expect(record.of('server/discover')).toEqual([]);
  expect(await session.callText('b:echo', { x: 1 })).toBe('modern 1 {"name":"echo","arguments":{"x":1}}');
});

test('refuses versions that it does not have, and claims that are not complete', async () => {
  const session = start({ servers: { a: passing() } });
  const old = { [`${KEY}protocolVersion`]: '1900-01-01', ...CAPABILITIES };
  expect((await session.request('tools/list', { _meta: old })).error).toMatchObject({
    code: -32_022,
    data: { supported: ['2026-07-28'], requested: '1900-01-01' },
  });
  const bare = { [`${KEY}protocolVersion`]: '2026-07-28' };
  expect((await session.request('tools/list', { _meta: bare })).error?.code).toBe(-32_602);
  expect((await session.request('server/discover', {})).error?.code).toBe(-32_602);
  expect((await session.request('tools/list', { _meta: CAPABILITIES })).error?.code).toBe(-32_602);
});

test.each([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'tasks/list',
  'tasks/result',
  'vendor/thing',
])('knows no %s without a handshake', async (method) => {
  const session = startModern({ servers: { a: passing() } });
  expect((await session.request(method, { level: 'info', uri: 'x://1' })).error?.code).toBe(-32_601);
});

test('opens a server that can do both in the era of the client, and translates nothing', async () => {
  const record = new Recording();
  const servers = { a: modern({ legacyToo: true, record: record.file }) };
  const session = startModern({ servers });
  await session.request('tools/list');
  expect(record.of('initialize')).toEqual([]);
  expect(readText(await session.call('a:echo'))).toContain('protocolVersion');
});

test('opens a server without a handshake for a client with one', async () => {
  const session = start({ servers: { a: modern({ instructions: 'Be kind' }), b: passing() } });
  await session.initialize();
  expect(await session.listNames()).toEqual(expect.arrayContaining(['a:echo', 'b:echo']));
  expect(await session.callText('a:echo')).toContain(
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28"',
  );
});

test('opens a server that ignores the question for its era, and remembers that', async () => {
  const record = new Recording();
  const cache = makeFolder();
  const servers = { a: fixture({ tools: ['echo'], hang: 'server/discover', record: record.file }) };
  const env = { XDG_CACHE_HOME: cache };
  const first = startModern({ servers, env });
  expect((await first.request('tools/list')).result).toMatchObject({ tools: [{ name: 'a:echo' }] });
  expect(readText(await first.call('a:echo'))).toBe('fixture {}');
  await first.close();
  const second = startModern({ argv: () => ['--config', first.configFile], env });
  expect(readText(await second.call('a:echo'))).toBe('fixture {}');
  await second.close();
  // A client with a handshake asks no such thing, and does not make us forget.
  const third = start({ argv: () => ['--config', first.configFile], env });
  await third.initialize();
  await third.listTools();
  await third.close();
  const fourth = startModern({ argv: () => ['--config', first.configFile], env });
  expect(readText(await fourth.call('a:echo'))).toBe('fixture {}');
  expect(record.of('server/discover')).toHaveLength(1);
  expect(record.of('initialize')).toHaveLength(4);
});

test('remembers that also of a server that was known before', async () => {
  const record = new Recording();
  const servers = { a: fixture({ tools: ['echo'], hang: 'server/discover', record: record.file }) };
  const env = { XDG_CACHE_HOME: makeFolder() };
  const first = start({ servers, env, args: ['--lazy'] });
  await first.initialize();
  expect(await first.callText('a:echo')).toBe('fixture {}');
  await first.close();
  for (let time = 0; time < 2; time += 1) {
    const next = startModern({ argv: () => ['--config', first.configFile, '--lazy'], env });
    expect(readText(await next.call('a:echo'))).toBe('fixture {}');
    await next.close();
  }
  expect(record.of('server/discover')).toHaveLength(1);
  // Each time one process, though the call came before anything was started.
  expect(record.of('initialize')).toHaveLength(3);
});

test('starts a server again that dies of the question for its era', async () => {
  const record = new Recording();
  const servers = { a: fixture({ tools: ['echo'], dieAt: 'server/discover', record: record.file }) };
  const session = startModern({ servers });
  expect((await session.request('tools/list')).result).toMatchObject({ tools: [{ name: 'a:echo' }] });
  expect(readText(await session.call('a:echo'))).toBe('fixture {}');
  expect(record.of('server/discover')).toHaveLength(1);
  expect(record.of('initialize')).toHaveLength(1);
});

test.each([
  ['answers the question for its era and dies', { dieAfter: 'server/discover' }],
  ['refuses the handshake because of the question', { handshakeFirst: true }],
])('starts a server afresh that %s, and remembers that', async (_, faults) => {
  const record = new Recording();
  const servers = { a: fixture({ tools: ['echo'], record: record.file, ...faults }) };
  const env = { XDG_CACHE_HOME: makeFolder() };
  const first = startModern({ servers, env });
  expect(readText(await first.call('a:echo'))).toBe('fixture {}');
  expect(first.stderr).toBe('');
  await first.close();
  const second = startModern({ argv: () => ['--config', first.configFile], env });
  expect(readText(await second.call('a:echo'))).toBe('fixture {}');
  await second.close();
  expect(record.of('server/discover')).toHaveLength(1);
});

test('gives up a server that refuses the handshake afresh, too', async () => {
  const record = new Recording();
  const servers = { a: fixture({ dieAt: 'initialize', code: 4, record: record.file }) };
  const session = startModern({ servers });
  expect((await session.request('tools/list')).result).toMatchObject({ tools: [] });
  expect(session.stderr).toContain('[a] Not started: it exited with code 4 while it was starting');
  expect(record.of('initialize')).toHaveLength(2);
});

test('offers together what servers of both eras have', async () => {
  const servers = {
    a: modern({ tools: ['one'], prompts: ['p'], resources: ['x://a'] }),
    b: passing({ tools: ['two'], prompts: ['p'], resources: ['x://b'] }),
  };
  const session = startModern({ servers });
  const tools = await session.request('tools/list');
  expect(tools.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
  expect(tools.result).toMatchObject({ tools: [{ name: 'a:one' }, { name: 'b:two' }] });
  expect((await session.request('prompts/list')).result).toMatchObject({
    prompts: [{ name: 'a:p' }, { name: 'b:p' }],
  });
  expect((await session.request('resources/list')).result).toMatchObject({
    resources: [{ uri: 'x://a' }, { uri: 'x://b' }],
  });
  expect((await session.request('server/discover')).result).toMatchObject({
    capabilities: { completions: {}, logging: ALL.logging },
  });
});

test('starts a slow server again that dies of the question when it comes to read it', async () => {
  const [slow, silent] = [new Recording(), new Recording()];
  const servers = {
    // The handshake with it shows that the time for the question is over.
    silent: fixture({ hang: 'server/discover', record: silent.file }),
    slow: fixture({
      tools: ['echo'],
      dieAt: 'server/discover',
      record: slow.file,
      after: silent.file,
      afterText: '"initialize"',
    }),
  };
  const session = startModern({ servers });
  expect(readText(await session.call('slow:echo'))).toBe('fixture {}');
  expect(slow.of('server/discover')).toHaveLength(1);
});

test('speaks the client’s era with a server that was only slow to answer', async () => {
  const silent = new Recording();
  const servers = {
    silent: fixture({ hang: 'server/discover', record: silent.file }),
    slow: modern({ legacyToo: true, after: [silent.file, '"initialize"'] }),
  };
  const session = startModern({ servers });
  expect(readText(await session.call('slow:echo'))).toContain('protocolVersion');
});

test('does not count the start that the question cost against those that a server may have', async () => {
  const record = new Recording();
  const servers = { a: fixture({ tools: ['crash', 'echo'], dieAt: 'server/discover', record: record.file }) };
  const session = startModern({ servers, args: ['--restart', '--max-processes', '1'] });
  for (let time = 0; time < 2; time += 1) expect((await session.call('a:crash')).error).toBeDefined();
  expect(readText(await session.call('a:echo'))).toBe('fixture {}');
  expect(record.of('initialize')).toHaveLength(3);
});
