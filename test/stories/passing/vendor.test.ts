/** What no table knows: methods and notifications of vendors, and tools called by their bare names. */
import { expect, test } from 'vitest';
import { passing, Recording } from '../../support/passing.ts';
import { start, startReady } from '../../support/session.ts';

test('forwards a vendor’s notification of a server as it is', async () => {
  const session = await startReady({ servers: { a: passing() } });
  const lines = [
    '{"jsonrpc":"2.0","method":"notifications/vendor/thing","params":{"n":1.0,"taskIds":[]}}',
    '{"method":"vendor/other","jsonrpc":"2.0"}',
  ];
  await session.call('a:say', { lines });
  expect((await session.notification('notifications/vendor/thing')).raw).toBe(lines[0]);
  expect((await session.notification('vendor/other')).raw).toBe(lines[1]);
});

test('forwards a vendor’s notification of the client to all servers', async () => {
  const records = [new Recording(), new Recording()];
  const [a, b] = records.map(({ file }) => passing({ record: file }));
  const session = await startReady({ servers: { a: a!, b: b! } });
  session.notify('notifications/vendor/thing', { x: 1 });
  for (const record of records) {
    expect((await record.first('notifications/vendor/thing')).params).toEqual({ x: 1 });
  }
});

test('gives no server a call that has no id', async () => {
  const record = new Recording();
  const session = await startReady({ servers: { a: passing({ record: record.file }) } });
  session.notify('tools/call', { name: 'echo' });
  session.notify('notifications/vendor/thing');
  await record.first('notifications/vendor/thing');
  expect(record.of('tools/call')).toEqual([]);
});

test.each(['vendor/thing', 'resources/unknown', 'constructor', '__proto__'])(
  'refuses the request %s, which nobody can own',
  async (method) => {
    const record = new Recording();
    const session = await startReady({ servers: { a: passing({ record: record.file }) } });
    const { error } = await session.request(method, { name: 'a:echo' });
    expect(error).toMatchObject({ code: -32601, message: `Method not found: ${method}` });
    expect(record.of(method)).toEqual([]);
  },
);

test('asks the client what a vendor’s server asks', async () => {
  const session = await startReady({ servers: { a: passing() } });
  const asked = session.callText('a:ask', { id: 1, method: 'vendor/thing', params: { x: 1 } });
  const question = await session.question('vendor/thing');
  expect(question.params).toEqual({ x: 1 });
  session.refuse(question, { code: -32601, message: 'Method not found' });
  expect(JSON.parse(await asked)).toMatchObject({ id: 1, error: { code: -32601 } });
});

test('takes a tool by its bare name when exactly one server has it', async () => {
  const servers = {
    a: passing({ name: 'A', tools: ['one', 'both'] }),
    b: passing({ name: 'B', tools: ['two', 'both', 'a:one'] }),
  };
  const session = await startReady({ servers });
  expect(await session.callText('one')).toMatch(/^A .*"name":"one"/);
  expect(await session.callText('two')).toMatch(/^B .*"name":"two"/);
  expect(await session.callText('a:one')).toMatch(/^A .*"name":"one"/);
  expect((await session.call('both')).error).toMatchObject({
    code: -32602,
    message: 'Tool not found: both',
  });
});

test('takes a tool by its bare name before any list was asked for, when all servers have been heard', async () => {
  const gate = new Recording();
  const servers = {
    a: passing({ name: 'A', tools: ['one', 'both'] }),
    gate: passing({ name: 'G', record: gate.file }),
    late: passing({ name: 'L', tools: ['both'], after: [gate.file, 'go'] }),
  };
  const session = start({ servers });
  await session.initialize();
  const [one, both] = [session.callText('one'), session.call('both')];
  session.write('{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"one"}}\n');
  session.notify('notifications/cancelled', { requestId: 'c' });
  await session.call('gate:echo', { go: true });
  expect(await one).toMatch(/^A .*"name":"one"/);
  expect((await both).error).toMatchObject({ code: -32602, message: 'Tool not found: both' });
  expect(session.inbox.messages.filter(({ id }) => id === '"c"')).toEqual([]);
});
