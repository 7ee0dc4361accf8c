/** JSON-RPC batches: only the version that has them, in both directions. */
import { describe, expect, test } from 'vitest';
import { passing, Recording } from '../../support/passing.ts';
import { type Session, startReady } from '../../support/session.ts';

const VERSION = { protocolVersion: '2025-03-26' };
const OTHERS = ['2024-11-05', '2025-06-18', '2025-11-25'];

const ask = (id: unknown, method: string, params?: unknown): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const call = (id: unknown, name: string, args: unknown = {}): object =>
  ask(id, 'tools/call', { name, arguments: args });
const sendBatch = (session: Session, messages: unknown): void =>
  session.write(`${JSON.stringify(messages)}\n`);

describe('with 2025-03-26', () => {
  test('answers the requests of a batch together, each from its own server', async () => {
    const session = await startReady(
      { servers: { a: passing({ name: 'A' }), b: passing({ name: 'B' }) } },
      VERSION,
    );
    sendBatch(session, [
      call(1, 'b:echo'),
      { jsonrpc: '2.0', method: 'notifications/vendor' },
      call('1', 'a:echo'),
      ask('p', 'ping'),
      call('x', 'c:echo'),
      ask('l', 'tools/list'),
    ]);
    const answers = await session.batch();
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(['1', '"1"', '"p"', '"x"', '"l"']));
    expect(answers).toHaveLength(5);
    const find = (id: string): string => answers.find((one) => one.id === id)?.raw ?? '';
    expect(find('1')).toContain('B {');
    expect(find('"1"')).toContain('A {');
    expect(find('"x"')).toContain('-32602');
  });

  test('answers a batch of notifications with nothing', async () => {
    const record = new Recording();
    const session = await startReady({ servers: { a: passing({ record: record.file }) } }, VERSION);
    const before = session.inbox.messages.length;
    sendBatch(session, [{ jsonrpc: '2.0', method: 'notifications/vendor' }]);
    await record.first('notifications/vendor');
    await session.request('ping');
    expect(session.inbox.messages).toHaveLength(before + 1);
  });

  test('refuses an empty batch', async () => {
    const session = await startReady({ servers: { a: passing() } }, VERSION);
    sendBatch(session, []);
    expect((await session.refusal()).error?.code).toBe(-32600);
  });

  test('refuses what is no request together with the answers', async () => {
    const session = await startReady({ servers: { a: passing({ name: 'A' }) } }, VERSION);
    const before = session.inbox.messages.length;
    session.write('[1,{"jsonrpc":"2.0","id":7},{"foo":1},{"jsonrpc":"2.0","id":"p","method":"ping"}]\n');
    const answers = await session.batch();
    expect(answers.map(({ id }) => id)).toEqual([undefined, '7', undefined, '"p"']);
    expect(answers.map(({ error }) => error?.code)).toEqual([-32600, -32600, -32600, undefined]);
    session.write('[1]\n');
    expect((await session.batch()).map(({ error }) => error?.code)).toEqual([-32600]);
    expect(session.inbox.messages.length - before).toBeLessThanOrEqual(5);
  });

  test('does not wait for a request of a batch that has no proper id, or was cancelled', async () => {
    const record = new Recording();
    const session = await startReady({ servers: { a: passing({ record: record.file }) } }, VERSION);
    sendBatch(session, [ask(null, 'ping'), 1, [], ask('p', 'ping'), call('h', 'a:hold')]);
    await record.line(({ params }) => params?.['name'] === 'hold');
    session.notify('notifications/cancelled', { requestId: 'h' });
    expect((await session.batch()).map(({ id }) => id)).toContain('"p"');
    expect((await session.request('ping')).result).toEqual({});
  });

  test('takes a batch of a server apart', async () => {
    const session = await startReady(
      { servers: { a: passing({ name: 'A' }), b: passing({ name: 'B' }) } },
      { ...VERSION, capabilities: { roots: {} } },
    );
    session.write(`${JSON.stringify(call('h', 'a:hold'))}\n`);
    const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
    const answer = { jsonrpc: '2.0', id: 'h', result: { content: [] } };
    const batch = [message, ask(1, 'roots/list'), answer, 'junk', [message]];
    await session.call('a:say', { lines: [JSON.stringify(batch)] });
    expect((await session.notification('notifications/message')).params?.['logger']).toBe('a');
    await session.question('roots/list');
    expect((await session.reply('"h"')).result).toEqual({ content: [] });
    expect(session.inbox.messages.filter(({ method }) => method === 'notifications/message')).toHaveLength(1);
  });

  test('survives arrays in arrays, however deep', async () => {
    const session = await startReady({ servers: { a: passing() } }, VERSION);
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    await session.call('a:say', { lines: [deep] });
    session.write(`${deep}\n`);
    expect((await session.request('ping')).result).toEqual({});
  });
});

test.each(OTHERS)('refuses a batch of a client of %s', async (protocolVersion) => {
  const record = new Recording();
  const session = await startReady({ servers: { a: passing({ record: record.file }) } }, { protocolVersion });
  sendBatch(session, [ask(1, 'ping'), call(2, 'a:echo')]);
  expect((await session.refusal()).error?.code).toBe(-32600);
  expect((await session.request('ping')).result).toEqual({});
  expect(record.of('tools/call')).toEqual([]);
});

test.each(OTHERS)('drops a batch of a server with %s', async (protocolVersion) => {
  const session = await startReady({ servers: { a: passing() } }, { protocolVersion });
  const batch = '[{"jsonrpc":"2.0","method":"notifications/vendor"}]';
  await session.call('a:say', { lines: [batch] });
  await session.stderrMatches(/\[a\].*array/);
  expect(session.inbox.messages.filter(({ method }) => method === 'notifications/vendor')).toEqual([]);
});
