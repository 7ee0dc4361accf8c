/** Subscriptions of a client without a handshake: one covers the servers of both eras, all it brings carries its id. */
import { expect, test } from 'vitest';
import { until } from '../../support/deadline.ts';
import type { Message } from '../../support/inbox.ts';
import { KEY, modern, type ModernSession, startModern } from '../../support/modern.ts';
import { passing, Recording } from '../../support/passing.ts';
import { makeFolder, readText } from '../../support/session.ts';

const ID = `${KEY}subscriptionId`;
const CHANGED = 'notifications/tools/list_changed';
const UPDATED = 'notifications/resources/updated';

async function listen(session: ModernSession, id: string, notifications: object): Promise<Message> {
  session.begin('subscriptions/listen', { notifications }, id);
  return session.notification('notifications/subscriptions/acknowledged');
}

function readId({ params }: Message): unknown {
  return (params?.['_meta'] as Record<string, unknown> | undefined)?.[ID];
}

async function updateLegacy(session: ModernSession, uri: string): Promise<void> {
  const line = JSON.stringify({ jsonrpc: '2.0', method: UPDATED, params: { uri } });
  await session.call('old:say', { lines: [line] });
}

function heard(session: ModernSession, method: string): Message[] {
  return session.inbox.untaken().filter((message) => message.method === method);
}

test('acknowledges first, with what it honours', async () => {
  const session = startModern({ servers: { old: passing() } });
  const filter = {
    toolsListChanged: true,
    promptsListChanged: false,
    resourceSubscriptions: ['x://1'],
    other: 1,
  };
  const { params } = await listen(session, '"l"', filter);
  expect(params).toEqual({
    _meta: { [ID]: 'l' },
    notifications: { toolsListChanged: true, resourceSubscriptions: ['x://1'] },
  });
  const bad = await session.request('subscriptions/listen', {});
  expect(bad.error?.code).toBe(-32_602);
});

test('announces changed lists of servers of both eras, to each subscription that wants them', async () => {
  const session = startModern({ servers: { old: passing(), new: modern() } });
  await session.request('tools/list');
  await listen(session, '1', { toolsListChanged: true });
  await listen(session, '"two"', { toolsListChanged: true, promptsListChanged: true });
  await listen(session, '3', { promptsListChanged: true });
  for (const key of ['old', 'new']) {
    await session.call(`${key}:change`, { what: 'tools', have: { tools: ['change', 'say', key] } });
    const ids = [await session.notification(CHANGED), await session.notification(CHANGED)].map(readId);
    expect(ids).toEqual([1, 'two']);
  }
  session.cancel('1');
  await session.call('old:change', { what: 'tools', have: { tools: ['change'] } });
  expect(readId(await session.notification(CHANGED))).toBe('two');
  await session.request('tools/list');
  expect(heard(session, CHANGED)).toEqual([]);
});

test('says nothing to a client that listens to nothing', async () => {
  const session = startModern({ servers: { old: passing(), new: modern() } });
  await session.request('tools/list');
  for (const key of ['old', 'new'])
    await session.call(`${key}:change`, { what: 'tools', have: { tools: ['change'] } });
  await session.request('tools/list');
  expect(heard(session, CHANGED)).toEqual([]);
});

test('brings news of URIs from servers of both eras, until it is cancelled', async () => {
  const [old, young] = [new Recording(), new Recording()];
  const session = startModern({
    servers: {
      old: passing({ resources: ['x://old'], record: old.file }),
      new: modern({ resources: ['x://new'], record: young.file }),
    },
  });
  await listen(session, '"l"', { resourceSubscriptions: ['x://old', 'x://new'] });
  await old.first('resources/subscribe');
  await young.line(({ raw }) => raw.includes('"resourceSubscriptions":["x://new"]'));
  await session.call('new:update', { uri: 'x://new' });
  const news = await session.notification(UPDATED);
  expect(news.params).toMatchObject({ uri: 'x://new', _meta: { [ID]: 'l' } });
  await updateLegacy(session, 'x://old');
  expect((await session.notification(UPDATED)).params).toEqual({ _meta: { [ID]: 'l' }, uri: 'x://old' });
  await updateLegacy(session, 'x://other');
  await listen(session, '"second"', { resourceSubscriptions: ['x://old'] });
  await updateLegacy(session, 'x://old');
  const ids = [await session.notification(UPDATED), await session.notification(UPDATED)].map(readId);
  expect(ids).toEqual(['l', 'second']);
  session.cancel('"l"');
  await young.first('notifications/cancelled');
  await updateLegacy(session, 'x://old');
  expect(readId(await session.notification(UPDATED))).toBe('second');
  expect(old.of('resources/unsubscribe')).toEqual([]);
  session.cancel('"second"');
  await old.first('resources/unsubscribe');
  expect(heard(session, UPDATED)).toEqual([]);
});

test('listens again at servers that were started again', async () => {
  const [old, young] = [new Recording(), new Recording()];
  const session = startModern({
    servers: {
      old: passing({ resources: ['x://old'], record: old.file }),
      new: modern({ resources: ['x://new'], record: young.file }),
    },
    args: ['--restart'],
  });
  await listen(session, '"l"', { resourceSubscriptions: ['x://old', 'x://new'], toolsListChanged: true });
  await old.first('resources/subscribe');
  await young.line(({ raw }) => raw.includes('"resourceSubscriptions":["x://new"]'));
  for (const key of ['old', 'new'])
    expect((await session.call(`${key}:crash`, { code: 1 })).error).toBeDefined();
  await session.call('new:update', { uri: 'x://new' });
  expect((await session.notification(UPDATED)).params).toMatchObject({ uri: 'x://new' });
  await updateLegacy(session, 'x://old');
  expect((await session.notification(UPDATED)).params).toMatchObject({ uri: 'x://old' });
  expect(old.of('resources/subscribe')).toHaveLength(2);
});

test('ends subscriptions with an answer when everything ends', async () => {
  const session = startModern({ servers: { old: passing() } });
  await listen(session, '"l"', { toolsListChanged: true });
  const ended = session.reply('"l"');
  await session.close();
  expect((await ended).result).toMatchObject({ resultType: 'complete', _meta: { [ID]: 'l' } });
});

test('brings news of a part of what it listens to', async () => {
  const session = startModern({ servers: { old: passing({ resources: ['x://dir'] }) } });
  await session.request('resources/list');
  await listen(session, '"l"', { resourceSubscriptions: ['x://dir'] });
  await updateLegacy(session, 'x://directory');
  await updateLegacy(session, 'x://dir/file');
  expect((await session.notification(UPDATED)).params).toMatchObject({ uri: 'x://dir/file' });
});

test('a second subscription with the id of one that is open takes its place', async () => {
  const session = startModern({ servers: { old: passing() } });
  await session.request('tools/list');
  await listen(session, '"l"', { toolsListChanged: true });
  const { params } = await listen(session, '"l"', { promptsListChanged: true });
  expect(params).toMatchObject({ notifications: { promptsListChanged: true } });
  await session.call('old:change', { what: 'tools', have: { tools: ['change'] } });
  await session.call('old:change', { what: 'prompts', have: { prompts: ['p'] } });
  expect(readId(await session.notification('notifications/prompts/list_changed'))).toBe('l');
  expect(heard(session, CHANGED)).toEqual([]);
});

test.each(['answer', 'cancellation'])('a server may end ours by %s; nothing else does', async (by) => {
  const record = new Recording();
  const servers = { new: modern({ resources: ['x://1'], record: record.file }) };
  const session = startModern({ servers });
  await listen(session, '"l"', { resourceSubscriptions: ['x://1'] });
  await record.line(({ raw }) => raw.includes('"resourceSubscriptions":["x://1"]'));
  expect((await session.call('new:end', { by })).result).toBeDefined();
  expect(readText(await session.call('new:echo'))).toContain('echo');
  session.cancel('"l"');
  await session.call('new:echo');
  // What it has ended is not ended again, and not asked for at once.
  expect(record.of('notifications/cancelled')).toEqual([]);
  expect(record.of('subscriptions/listen')).toHaveLength(2);
  expect(session.inbox.untaken().filter(({ id }) => id !== undefined)).toEqual([]);
});

test('a server that nothing is heard of but lists may rest, and is heard again when it is back', async () => {
  const record = new Recording();
  const servers = { new: modern({ record: record.file }) };
  const args = ['--lazy', '--idle-timeout', '0.2'];
  const session = startModern({ servers, args, env: { XDG_CACHE_HOME: makeFolder() } });
  await session.request('tools/list');
  await listen(session, '"l"', { toolsListChanged: true });
  await until(
    20_000,
    () => session.survivors().filter(({ command }) => command.includes('modern.mjs')).length === 0,
    () => 'the server to rest',
  );
  await session.call('new:change', { what: 'tools', have: { tools: ['change', 'new'] } });
  expect(readId(await session.notification(CHANGED))).toBe('l');
});

test('a server that a URI is listened to at does not rest', async () => {
  const record = new Recording();
  const servers = { a: modern({ resources: ['x://1'], record: record.file }), b: modern() };
  const args = ['--lazy', '--idle-timeout', '0.2'];
  const session = startModern({ servers, args, env: { XDG_CACHE_HOME: makeFolder() } });
  await session.request('tools/list');
  await listen(session, '"l"', { resourceSubscriptions: ['x://1'] });
  await until(
    20_000,
    () => session.survivors().filter(({ command }) => command.includes('modern.mjs')).length === 1,
    () => 'one of two servers to rest',
  );
  await session.call('a:update', { uri: 'x://1' });
  expect((await session.notification(UPDATED)).params).toMatchObject({ uri: 'x://1' });
  expect(record.of('server/discover')).toHaveLength(1);
});

test('brings news of a task once to each subscription that has it, until that one is cancelled', async () => {
  const record = new Recording();
  const extensions = { [`${KEY}tasks`]: {} };
  const session = startModern({
    servers: { new: modern({ capabilities: { tools: {}, extensions }, record: record.file }) },
  });
  session.capabilities = { extensions };
  await session.request('tools/list');
  await listen(session, '1', { taskIds: ['new:t'] });
  await listen(session, '2', { taskIds: ['new:t', 'new:u'] });
  await record.line(({ raw }) => raw.includes('"taskIds":["u"]'));
  const update = async (): Promise<unknown[]> => {
    await session.request('tasks/update', { taskId: 'new:t' });
    return heard(session, 'notifications/tasks').map(readId);
  };
  expect(await update()).toEqual([1, 2]);
  session.cancel('1');
  expect(await update()).toEqual([1, 2, 2]);
  session.cancel('2');
  expect(await update()).toEqual([1, 2, 2]);
});
