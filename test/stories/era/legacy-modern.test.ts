/** A client with a handshake and servers without one: the client notices nothing, the server is told everything. */
import { expect, test } from 'vitest';
import { ALL, KEY, modern, type ModernOptions } from '../../support/modern.ts';
import { Recording } from '../../support/passing.ts';
import { readText, type Session, start } from '../../support/session.ts';

const FORM = { mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
const ASK_NAME = { name: { method: 'elicitation/create', params: FORM } };
const ASK_MODEL = { model: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } } };
const ASK_ROOTS = { roots: { method: 'roots/list' } };
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: { listChanged: true }, tasks: { list: {} } };

async function open(
  options: ModernOptions = {},
  capabilities: Record<string, unknown> = CAPABILITIES,
): Promise<[Session, Recording]> {
  const record = new Recording();
  const session = start({ servers: { a: modern({ record: record.file, ...options }) } });
  await session.initialize({ capabilities });
  await session.listTools();
  return [session, record];
}

/** Answers the next question of this kind. */
async function answer(session: Session, method: string, member: string): Promise<unknown> {
  const { id, params } = await session.question(method);
  session.write(`{"jsonrpc":"2.0","id":${id},${member}}\n`);
  return params;
}

test('adds the claim of the client to each request', async () => {
  const [session, record] = await open();
  const params = { name: 'a:echo', arguments: { n: 1 }, _meta: { traceparent: '00-1' } };
  const text = readText(await session.request('tools/call', params));
  expect(JSON.parse(text.slice('modern 1 '.length))).toEqual({
    name: 'echo',
    arguments: { n: 1 },
    _meta: {
      [`${KEY}protocolVersion`]: '2026-07-28',
      [`${KEY}clientInfo`]: { name: 'story', version: '1' },
      [`${KEY}clientCapabilities`]: { elicitation: { form: {} }, sampling: {}, roots: {} },
      traceparent: '00-1',
    },
  });
  expect(record.of('initialize')).toHaveLength(1);
  expect(record.of('notifications/initialized')).toEqual([]);
});

test('asks the client what the server wants to know, round after round, and makes the call again', async () => {
  const [session, record] = await open();
  const done = session.call('a:ask', { rounds: [{ ...ASK_NAME, ...ASK_MODEL }, ASK_ROOTS] });
  expect(
    await answer(session, 'elicitation/create', '"result":{"action":"accept","content":{"n":1.0}}'),
  ).toEqual(FORM);
  await answer(session, 'sampling/createMessage', '"result":{"model":"m"}');
  await answer(session, 'roots/list', '"result":{"roots":[]}');
  const params = JSON.parse(readText(await done)) as Record<string, unknown>;
  expect(params).toMatchObject({ name: 'ask', requestState: '2', inputResponses: { roots: { roots: [] } } });
  const [first, second, third] = record.of('tools/call');
  expect(new Set([first?.id, second?.id, third?.id]).size).toBe(3);
  expect(second?.raw).toContain('"name":{"action":"accept","content":{"n":1.0}}');
  expect(second?.params).toMatchObject({ requestState: '1', arguments: first?.params?.['arguments'] });
});

test('asks a server again that only wants to be asked again, but not for ever', async () => {
  const [session] = await open();
  expect(await session.callText('a:again', { times: 2 })).toBe('again 2');
  expect((await session.call('a:again', { times: 100 })).error?.message).toContain('more than 8 times');
});

test('fails the call with the words of a client that cannot answer', async () => {
  const [session, record] = await open();
  const done = session.call('a:ask', { rounds: [ASK_MODEL] });
  await answer(session, 'sampling/createMessage', '"error":{"code":-1,"message":"User rejected"}');
  expect((await done).error).toEqual({ code: -1, message: 'User rejected' });
  expect(record.of('tools/call')).toHaveLength(1);
});

test('asks the client nothing that it did not declare', async () => {
  const [session] = await open({}, { roots: {} });
  expect((await session.call('a:ask', { rounds: [ASK_NAME] })).error?.message).toContain(
    'elicitation/create',
  );
});

test.each([
  ['does not say what it wants to know', {}, 'did not say for which'],
  [
    'wants to know too much at once',
    Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [index, ASK_ROOTS.roots])),
    'more input than',
  ],
])('fails the call of a server that %s', async (_, inputRequests, reason) => {
  const [session] = await open();
  const member = `"result":${JSON.stringify({ resultType: 'input_required', inputRequests })}`;
  expect((await session.call('a:raw', { member })).error?.message).toContain(reason);
  expect(session.inbox.untaken()).toEqual([]);
});

test('gives every URL an id, which the handshake era wants', async () => {
  const [session] = await open({}, { elicitation: { url: {} } });
  const url = { mode: 'url', message: 'Go', url: 'https://example.com' };
  const done = session.call('a:ask', { rounds: [{ u: { method: 'elicitation/create', params: url } }] });
  const params = await answer(session, 'elicitation/create', '"result":{"action":"accept"}');
  expect(params).toMatchObject({ ...url, elicitationId: expect.any(String) as unknown });
  expect((await done).result).toBeDefined();
});

test('takes questions back when the client cancels, and makes no further call', async () => {
  const [session, record] = await open();
  session.write(
    `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"a:ask","arguments":${JSON.stringify({ rounds: [ASK_NAME] })}}}\n`,
  );
  const question = await session.question('elicitation/create');
  session.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}\n');
  const { params } = await session.notification('notifications/cancelled');
  expect(JSON.stringify(params?.['requestId'])).toBe(question.id);
  session.write(`{"jsonrpc":"2.0","id":${question.id},"result":{"action":"accept"}}\n`);
  expect(await session.callText('a:echo')).toContain('echo');
  expect(record.of('tools/call')).toHaveLength(2);
  // It had answered, so there was nothing that it could have stopped.
  expect(record.of('notifications/cancelled')).toEqual([]);
});

test('tells the server the log level of the client, and passes its logs', async () => {
  const [session] = await open();
  expect(await session.callText('a:log', { level: 'error' })).toBe('undefined');
  expect((await session.request('logging/setLevel', { level: 'warning' })).result).toEqual({});
  expect(await session.callText('a:log', { level: 'error' })).toBe('warning');
  expect((await session.notification('notifications/message')).params).toMatchObject({ logger: 'a' });
});

test('hears of changed lists without asking', async () => {
  const [session] = await open({ tools: ['change', 'echo'] });
  await session.call('a:change', { what: 'tools', have: { tools: ['change', 'new'] } });
  const { params } = await session.notification('notifications/tools/list_changed');
  expect(params).toBeUndefined();
  expect(await session.listNames()).toEqual(['a:change', 'a:new']);
});

test('subscribes and unsubscribes', async () => {
  const [session, record] = await open({ resources: ['x://1'] });
  expect((await session.request('resources/subscribe', { uri: 'x://1' })).result).toEqual({});
  await session.call('a:update', { uri: 'x://1' });
  const { params } = await session.notification('notifications/resources/updated');
  expect(params).toMatchObject({ uri: 'x://1' });
  expect(JSON.stringify(params)).not.toContain(KEY);
  expect((await session.request('resources/unsubscribe', { uri: 'x://1' })).result).toEqual({});
  await session.call('a:update', { uri: 'x://1' });
  expect(
    session.inbox.untaken().filter(({ method }) => method === 'notifications/resources/updated'),
  ).toEqual([]);
  expect(record.of('resources/subscribe')).toEqual([]);
});

test('subscribes to a URI that is in no list', async () => {
  const [session] = await open({ hidden: ['x://2'] });
  expect((await session.request('resources/subscribe', { uri: 'x://2' })).result).toEqual({});
  await session.call('a:update', { uri: 'x://2' });
  expect((await session.notification('notifications/resources/updated')).params).toEqual({
    uri: 'x://2',
    _meta: {},
  });
});

test('carries progress and cancellation', async () => {
  const [session, record] = await open();
  session.write(
    '{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"a:hold","_meta":{"progressToken":5}}}\n',
  );
  expect((await session.notification('notifications/progress')).params).toEqual({
    progressToken: 5,
    progress: 1,
  });
  session.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"h"}}\n');
  expect((await record.first('notifications/cancelled')).params).toEqual({ requestId: 'h' });
});

test('passes resources, prompts, completions, and answers pings itself', async () => {
  const [session, record] = await open({
    resources: ['x://1'],
    prompts: ['p'],
    hidden: ['x://2'],
    capabilities: ALL,
  });
  expect((await session.request('resources/read', { uri: 'x://1' })).result).toMatchObject({
    contents: [{}],
  });
  expect((await session.request('resources/read', { uri: 'x://2' })).result).toMatchObject({
    contents: [{}],
  });
  expect((await session.request('resources/read', { uri: 'x://3' })).error?.code).toBe(-32_602);
  expect((await session.request('prompts/get', { name: 'a:p' })).result).toMatchObject({ messages: [{}] });
  const complete = { ref: { type: 'ref/prompt', name: 'a:p' }, argument: { name: 'x', value: '' } };
  expect((await session.request('completion/complete', complete)).result).toMatchObject({ completion: {} });
  expect((await session.request('ping')).result).toEqual({});
  expect(record.of('ping')).toEqual([]);
  expect((await session.request('tasks/update', { taskId: 'a:1' })).error?.code).toBe(-32_602);
});

test('asks what a server wants to know before it gives a resource that is in no list', async () => {
  const [session] = await open({ hidden: ['x://secret?'] });
  const done = session.request('resources/read', { uri: 'x://secret?' });
  await answer(session, 'roots/list', '"result":{"roots":[]}');
  expect((await done).result).toMatchObject({ contents: [{ text: 'modern x://secret?' }] });
});

test('gives a server nothing of tasks that the client would not understand', async () => {
  const extensions = { [`${KEY}tasks`]: {}, 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } };
  const [session] = await open({}, { extensions });
  const text = await session.callText('a:echo');
  expect(JSON.parse(text.slice('modern 1 '.length))).toMatchObject({
    _meta: { [`${KEY}clientCapabilities`]: { extensions: { 'io.modelcontextprotocol/ui': {} } } },
  });
  expect(text).not.toContain(`${KEY}tasks`);
});

test('does not pass a log level on that is none', async () => {
  const [session] = await open();
  await session.request('logging/setLevel', { level: 'loud' });
  expect(await session.callText('a:log', { level: 'error' })).toBe('undefined');
});
