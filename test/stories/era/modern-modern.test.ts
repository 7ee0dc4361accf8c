/** A client and servers without a handshake: everything passes as it is, but for names. */
import { expect, test } from 'vitest';
import {
  ALL,
  KEY,
  modern,
  type ModernOptions,
  type ModernSession,
  startModern,
} from '../../support/modern.ts';
import { passing, Recording } from '../../support/passing.ts';
import { memberText } from '../../support/raw.ts';
import { readText } from '../../support/session.ts';

async function open(options: ModernOptions = {}): Promise<[ModernSession, Recording]> {
  const record = new Recording();
  const session = startModern({ servers: { a: modern({ record: record.file, ...options }) } });
  await session.request('tools/list');
  return [session, record];
}

test('passes requests as they are, but for the name', async () => {
  const [session, record] = await open();
  const params = '{"arguments":{"big":12345678901234567890,"n":1.0},"name":"a:echo","_meta":META}';
  const meta = JSON.stringify({ ...session.meta, progressToken: 1, 'vendor/x': null });
  await session.exchange(
    `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":${params.replace('META', meta)}}`,
    '"x"',
  );
  expect(memberText(record.of('tools/call')[0]?.raw ?? '', 'params')).toBe(
    params.replace('META', meta).replace('a:echo', 'echo'),
  );
});

test.each([
  '"result":{"resultType":"complete","content":[],"structuredContent":[1.0,null,12345678901234567890]}',
  '"result":{"resultType":"complete","content":[],"structuredContent":null,"_meta":{"x":1}}',
  '"result":{"resultType":"vendor/type","anything":true}',
  '"result":{"resultType":"input_required","requestState":"opaque \\u00e9","inputRequests":{}}',
  '"error":{"code":-32021,"message":"No","data":{"requiredCapabilities":{"sampling":{}}}}',
])('passes answers as they are: %s', async (member) => {
  const [session] = await open();
  const { raw } = await session.call('a:raw', { member });
  expect(raw.slice(0, -1).endsWith(member)).toBe(true);
});

test('passes news that it does not know, but not under the id of a subscription of our own', async () => {
  const [session, record] = await open();
  const { id } = await record.first('subscriptions/listen');
  const params = { _meta: { [`${KEY}subscriptionId`]: id, 'vendor/x': 1 }, y: 2 };
  await session.call('a:say', { lines: [JSON.stringify({ jsonrpc: '2.0', method: 'vendor/news', params })] });
  const news = await session.notification('vendor/news');
  expect(news.params).toEqual({ _meta: { 'vendor/x': 1 }, y: 2 });
});

test('passes questions and the answers to them', async () => {
  const [session] = await open();
  const rounds = [{ r: { method: 'roots/list' } }];
  const asked = await session.call('a:ask', { rounds });
  expect(asked.result).toEqual({ resultType: 'input_required', inputRequests: rounds[0], requestState: '1' });
  const retry = {
    name: 'a:ask',
    arguments: { rounds },
    requestState: '1',
    inputResponses: { r: { roots: [] } },
  };
  const params = JSON.parse(readText(await session.request('tools/call', retry))) as object;
  expect(params).toMatchObject({ requestState: '1', inputResponses: { r: { roots: [] } } });
});

test('brings the answers for a resource in no list to the server that asked, past one that cannot have', async () => {
  const servers = { old: passing(), a: modern({ hidden: ['x://secret?'] }) };
  const session = startModern({ servers });
  const asked = await session.request('resources/read', { uri: 'x://secret?' });
  expect(asked.result).toMatchObject({ resultType: 'input_required' });
  const retry = { uri: 'x://secret?', requestState: 'its own', inputResponses: { r: { roots: [] } } };
  expect((await session.request('resources/read', retry)).result).toMatchObject({ contents: [{}] });
});

test('passes cache hints of what it reads', async () => {
  const [session] = await open({ resources: ['x://1'], hidden: ['x://2'] });
  for (const uri of ['x://1', 'x://2']) {
    expect((await session.request('resources/read', { uri })).result).toMatchObject({
      ttlMs: 5,
      cacheScope: 'public',
    });
  }
});

test('carries progress, cancellation and logs', async () => {
  const [session, record] = await open();
  session.begin('tools/call', { name: 'a:hold', _meta: { progressToken: 'p' } }, '"h"');
  expect((await session.notification('notifications/progress')).params).toMatchObject({ progressToken: 'p' });
  session.cancel('"h"');
  expect((await record.first('notifications/cancelled')).params).toEqual({ requestId: 'h' });
  session.logLevel = 'info';
  expect(readText(await session.call('a:log', { level: 'info' }))).toBe('info');
  expect((await session.notification('notifications/message')).params).toMatchObject({ logger: 'a' });
});

test('keeps apart the tasks of two servers that have the same id', async () => {
  const records = { a: new Recording(), b: new Recording() };
  const capabilities = { ...ALL, extensions: { [`${KEY}tasks`]: {} } };
  const start = ({ file }: Recording): ReturnType<typeof modern> => modern({ record: file, capabilities });
  const session = startModern({ servers: { a: start(records.a), b: start(records.b) } });
  session.capabilities = { extensions: { [`${KEY}tasks`]: {} } };
  for (const key of ['a', 'b'])
    expect((await session.call(`${key}:task`, { taskId: 't' })).result).toMatchObject({ taskId: `${key}:t` });
  session.begin('subscriptions/listen', { notifications: { taskIds: ['b:t'] } }, '"l"');
  await records.b.line(({ raw }) => raw.includes('"taskIds":["t"]'));
  const inputResponses = { q: { action: 'accept', content: { taskId: 't' } } };
  await session.request('tasks/update', { taskId: 'a:t', inputResponses });
  await session.request('tasks/update', { taskId: 'b:t', inputResponses });
  expect((await session.notification('notifications/tasks')).params).toMatchObject({ taskId: 'b:t' });
  for (const record of Object.values(records))
    expect(record.of('tasks/update').map(({ params }) => params)).toMatchObject([
      { taskId: 't', inputResponses },
    ]);
});

test('says to a client without the extension for tasks that it lacks that, whoever the task is of', async () => {
  const [session] = await open();
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect((await session.request(method, { taskId: 'nobody:t' })).error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { [`${KEY}tasks`]: {} } } },
    });
});

test('passes the extension for tasks, with ids that say whose they are', async () => {
  const capabilities = { ...ALL, extensions: { [`${KEY}tasks`]: {} } };
  const [session, record] = await open({ capabilities });
  session.begin('subscriptions/listen', { notifications: { taskIds: ['a:t'] } }, '"early"');
  expect((await session.reply('"early"')).error).toMatchObject({
    code: -32_021,
    data: { requiredCapabilities: { extensions: { [`${KEY}tasks`]: {} } } },
  });
  session.capabilities = { extensions: { [`${KEY}tasks`]: {} } };
  expect((await session.request('server/discover')).result).toMatchObject({
    capabilities: { extensions: { [`${KEY}tasks`]: {} } },
  });
  expect((await session.call('a:task', { taskId: 't' })).result).toMatchObject({
    resultType: 'task',
    taskId: 'a:t',
  });
  expect((await session.request('tasks/get', { taskId: 'a:t' })).result).toMatchObject({ taskId: 'a:t' });
  session.begin('subscriptions/listen', { notifications: { taskIds: ['a:t', 'nobody:t'] } }, '"l"');
  const { params } = await session.notification('notifications/subscriptions/acknowledged');
  expect(params?.['notifications']).toEqual({ taskIds: ['a:t'] });
  // The server is asked with the claim of this request, not of the first.
  expect((await record.line(({ raw }) => raw.includes('"taskIds":["t"]'))).raw).toContain('"extensions"');
  expect((await session.request('tasks/update', { taskId: 'a:t' })).result).toMatchObject({});
  expect((await session.notification('notifications/tasks')).params).toMatchObject({
    taskId: 'a:t',
    _meta: { [`${KEY}subscriptionId`]: 'l' },
  });
  await session.request('tasks/cancel', { taskId: 'a:t' });
  expect(record.of('tasks/cancel')[0]?.params).toMatchObject({ taskId: 't' });
  expect((await session.request('tasks/get', { taskId: 'b:t' })).error?.code).toBe(-32_602);
});
