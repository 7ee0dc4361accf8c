/** A client without a handshake and servers with one: nothing new reaches the server, nothing is missing for the client. */
import { expect, test } from 'vitest';
import { KEY, type ModernSession, readQuestions, startModern } from '../../support/modern.ts';
import { passing, Recording } from '../../support/passing.ts';
import { CLI, readText } from '../../support/session.ts';

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
const ELICIT = { id: 7, method: 'elicitation/create', params: FORM };
const SAMPLE = { id: 8, method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } };
const ACCEPT = { action: 'accept', content: { name: 'Ann' } };

async function open(options: Parameters<typeof passing>[0] = {}): Promise<[ModernSession, Recording]> {
  const record = new Recording();
  const session = startModern({ servers: { a: passing({ record: record.file, ...options }) } });
  await session.request('tools/list');
  return [session, record];
}

test('takes off what only the client’s era knows, and completes results', async () => {
  const [session, record] = await open({ resources: ['x://1'], prompts: ['p'] });
  const answer = await session.request('tools/call', {
    name: 'a:echo',
    arguments: { n: 1 },
    _meta: { traceparent: '00-1', 'vendor/key': 2 },
  });
  expect(answer.result).toMatchObject({
    resultType: 'complete',
    _meta: { [`${KEY}serverInfo`]: { name: 'passing', version: '1' } },
  });
  expect(JSON.parse(readText(answer).slice('passing '.length))).toEqual({
    name: 'echo',
    arguments: { n: 1 },
    _meta: { traceparent: '00-1', 'vendor/key': 2 },
  });
  expect((await session.request('resources/read', { uri: 'x://1' })).result).toMatchObject({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    contents: [{ uri: 'x://1' }],
  });
  expect((await session.request('prompts/get', { name: 'a:p' })).result).toMatchObject({
    resultType: 'complete',
  });
  const complete = { ref: { type: 'ref/prompt', name: 'a:p' }, argument: { name: 'x', value: '' } };
  expect((await session.request('completion/complete', complete)).result).toMatchObject({
    resultType: 'complete',
  });
  expect(record.of('initialize')[0]?.params).toMatchObject({
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'story' },
  });
  expect(record.of('initialize')[0]?.params?.['capabilities']).toEqual({
    elicitation: { form: {}, url: {} },
    sampling: {},
  });
  const later = record.all().filter(({ method }) => method !== 'server/discover');
  expect(later.map(({ raw }) => raw).join('\n')).not.toContain(KEY);
});

test('says in the client’s era that there is no such resource, listed or not', async () => {
  const [session] = await open({ resources: [{ uri: 'x://gone', name: 'gone' }], notFound: -32_002 });
  expect((await session.request('resources/read', { uri: 'x://other' })).error?.code).toBe(-32_602);
  const [other] = await open({
    resources: ['x://1'],
    replies: { 'resources/read': '"error":{"code":-32002,"message":"Not there"}' },
  });
  expect((await other.request('resources/read', { uri: 'x://1' })).error).toMatchObject({
    code: -32_602,
    message: 'Not there',
  });
});

test('reads a resource that is in no list', async () => {
  const [session] = await open({ hidden: ['x://hidden'] });
  expect((await session.request('resources/read', { uri: 'x://hidden' })).result).toMatchObject({
    resultType: 'complete',
    contents: [{ uri: 'x://hidden' }],
  });
});

test('is asked, told of progress and heard by a server whose resource is in no list', async () => {
  const record = new Recording();
  const hidden = passing({ hidden: ['x://hidden'], hold: ['resources/read'], record: record.file });
  const session = startModern({ servers: { none: passing(), a: hidden } });
  const read = { uri: 'x://hidden', _meta: { progressToken: 'p' } };
  session.begin('resources/read', read, '"r"');
  await record.first('resources/read');
  const progress = '"method":"notifications/progress","params":{"progressToken":"p","progress":1}';
  const lines = [`{"jsonrpc":"2.0",${progress}}`, JSON.stringify({ jsonrpc: '2.0', ...ELICIT })];
  const { capabilities } = session;
  session.capabilities = {};
  await session.call('a:say', { lines });
  session.capabilities = capabilities;
  expect((await session.notification('notifications/progress')).params).toMatchObject({ progress: 1 });
  const { inputRequests, requestState } = readQuestions(await session.reply('"r"'));
  const [name = ''] = Object.keys(inputRequests);
  session.begin('resources/read', { ...read, requestState, inputResponses: { [name]: ACCEPT } }, '"again"');
  expect((await record.line(({ id, method }) => id === ELICIT.id && method === undefined)).result).toEqual(
    ACCEPT,
  );
  session.cancel('"again"');
  expect((await record.first('notifications/cancelled')).params).toEqual({ requestId: 'r' });
  expect(record.of('resources/read')).toHaveLength(1);
});

test.each([
  ['elicitation', ELICIT, ACCEPT],
  ['sampling', SAMPLE, { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }],
  ['roots', { id: 9, method: 'roots/list' }, { roots: [] }],
])(
  'asks for %s with the call in flight, and the call goes on when the client comes back',
  async (_, question, answer) => {
    const [session, record] = await open();
    const asked = readQuestions(await session.call('a:ask', question));
    const [[name, request] = []] = Object.entries(asked.inputRequests);
    expect(request).toEqual({
      method: question.method,
      ...('params' in question && { params: question.params }),
    });
    const done = await session.request('tools/call', {
      name: 'a:ask',
      arguments: question,
      inputResponses: { [name ?? '']: answer },
      requestState: asked.requestState,
    });
    expect(JSON.parse(readText(done))).toEqual({ jsonrpc: '2.0', id: question.id, result: answer });
    expect(done.result).toMatchObject({ resultType: 'complete' });
    expect(record.of('tools/call')).toHaveLength(1);
  },
);

test('refuses tokens that are forged, foreign, used up or for another request', async () => {
  const [session, record] = await open();
  const asked = readQuestions(await session.call('a:ask', ELICIT));
  const [name = ''] = Object.keys(asked.inputRequests);
  const retry = { name: 'a:ask', arguments: ELICIT, inputResponses: { [name]: ACCEPT } };
  const send = async (params: Record<string, unknown>): Promise<number | undefined> =>
    (await session.request('tools/call', params)).error?.code;
  expect(await send({ ...retry, requestState: 'aggregator-00000000-0000-4000-8000-000000000000' })).toBe(
    -32_602,
  );
  expect(await send({ ...retry, requestState: 'of another server' })).toBe(-32_602);
  expect(await send({ ...retry, name: 'a:echo', requestState: asked.requestState })).toBe(-32_602);
  expect(await send({ ...retry, requestState: asked.requestState })).toBeUndefined();
  expect(await send({ ...retry, requestState: asked.requestState })).toBe(-32_602);
  expect(record.of('tools/call')).toHaveLength(1);
});

test('asks again for what the client answered with what is no answer', async () => {
  const [session] = await open();
  let asked = readQuestions(await session.call('a:ask', ELICIT));
  for (const nothing of [null, 5, 'accept', []]) {
    const [name = ''] = Object.keys(asked.inputRequests);
    const inputResponses = { [name]: nothing };
    const retry = { name: 'a:ask', arguments: ELICIT, inputResponses, requestState: asked.requestState };
    asked = readQuestions(await session.request('tools/call', retry));
    expect(Object.values(asked.inputRequests)).toEqual([{ method: ELICIT.method, params: FORM }]);
  }
});

test('shakes hands under some name for a client that gives none', async () => {
  const record = new Recording();
  const session = startModern({ servers: { a: passing({ record: record.file }) } });
  await session.request('tools/list', { _meta: { [`${KEY}clientInfo`]: { title: 'No name' } } });
  expect((await record.first('initialize')).params?.['clientInfo']).toEqual({
    name: 'unknown',
    version: '0',
  });
});

test('asks again for what the client left out, and for what the server asked meanwhile', async () => {
  const [session] = await open();
  const first = readQuestions(await session.call('a:ask', ELICIT));
  const retry = { name: 'a:ask', arguments: ELICIT };
  const second = readQuestions(
    await session.request('tools/call', { ...retry, inputResponses: {}, requestState: first.requestState }),
  );
  expect(Object.values(second.inputRequests)).toEqual(Object.values(first.inputRequests));
  expect(second.requestState).not.toBe(first.requestState);
  // A call that could not be asked for this: the question waits for the one that can.
  const { capabilities } = session;
  session.capabilities = {};
  await session.call('a:say', { lines: [JSON.stringify({ jsonrpc: '2.0', ...SAMPLE })] });
  session.capabilities = capabilities;
  const third = readQuestions(
    await session.request('tools/call', { ...retry, inputResponses: {}, requestState: second.requestState }),
  );
  expect(Object.values(third.inputRequests).map(({ method }) => method)).toEqual([
    'elicitation/create',
    'sampling/createMessage',
  ]);
});

test('refuses to a server what the client did not declare, and what comes with no call', async () => {
  const [session, record] = await open({
    prologue: ['{"jsonrpc":"2.0","id":"early","method":"roots/list"}'],
  });
  expect(await record.line(({ id }) => id === 'early')).toMatchObject({ error: { code: -32_601 } });
  session.capabilities = { elicitation: {} };
  expect(readText(await session.call('a:ask', SAMPLE))).toContain('"code":-32601');
  expect(readText(await session.call('a:ask', { ...ELICIT, params: { mode: 'url', url: 'u' } }))).toContain(
    '-32601',
  );
});

test('turns the demand for a visit to a URL into a question', async () => {
  const elicitations = [{ mode: 'url', elicitationId: 'e', url: 'https://example.com', message: 'Go' }];
  const error = JSON.stringify({ code: -32_042, message: 'URL', data: { elicitations } });
  const [session, record] = await open({ replies: { 'tools/call': `"error":${error}` } });
  const { inputRequests } = readQuestions(await session.call('a:echo'));
  expect(Object.values(inputRequests)).toEqual([
    { method: 'elicitation/create', params: { mode: 'url', url: 'https://example.com', message: 'Go' } },
  ]);
  const [name = ''] = Object.keys(inputRequests);
  await session.request('tools/call', { name: 'a:echo', inputResponses: { [name]: { action: 'accept' } } });
  expect(record.of('tools/call')[1]?.params).toEqual({ name: 'echo', _meta: {} });
  session.capabilities = {};
  expect((await session.call('a:echo')).error).toMatchObject({
    code: -32_021,
    data: { requiredCapabilities: { elicitation: { url: {} } } },
  });
});

test('passes logs only for a request that asked for them', async () => {
  const [session, record] = await open();
  const log = (level: string): string =>
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data: level } });
  await session.call('a:say', { lines: [log('error')] });
  session.logLevel = 'warning';
  await session.call('a:say', { lines: [log('info'), log('error')] });
  const { params } = await session.notification('notifications/message');
  expect(params).toMatchObject({ level: 'error', logger: 'a' });
  expect(session.inbox.untaken().filter(({ method }) => method === 'notifications/message')).toEqual([]);
  expect(record.of('logging/setLevel').map(({ params: sent }) => sent)).toEqual([{ level: 'warning' }]);
});

test('carries progress, also under the token of the request with which the client comes back', async () => {
  const [session] = await open();
  const progress = (progressToken: unknown, n: number): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress: n },
    });
  const asked = readQuestions(
    await session.request('tools/call', {
      name: 'a:ask',
      arguments: ELICIT,
      _meta: { progressToken: 'one' },
    }),
  );
  await session.call('a:say', { lines: [progress('one', 1)] });
  session.begin(
    'tools/call',
    { name: 'a:ask', requestState: asked.requestState, inputResponses: {}, _meta: { progressToken: 2 } },
    '"r"',
  );
  const again = readQuestions(await session.reply('"r"'));
  expect(session.inbox.untaken().filter(({ method }) => method === 'notifications/progress')).toEqual([]);
  expect(again.requestState).toBeDefined();
  const plain = { name: 'a:say', arguments: { lines: [progress('p', 1)] }, _meta: { progressToken: 'p' } };
  await session.request('tools/call', plain);
  expect((await session.notification('notifications/progress')).params).toMatchObject({ progressToken: 'p' });
});

test('carries a cancellation', async () => {
  const [session, record] = await open();
  session.begin('tools/call', { name: 'a:hold', arguments: {} }, '"h"');
  await record.first('tools/call');
  const { meta } = session;
  session.notify('notifications/cancelled', { requestId: 'h', reason: 'Late', _meta: meta });
  const { params } = await record.first('notifications/cancelled');
  expect(params).toEqual({ requestId: 'h', reason: 'Late', _meta: {} });
});

test('carries a cancellation to the call that the client came back to', async () => {
  const [session, record] = await open();
  session.begin('tools/call', { name: 'a:ask', arguments: ELICIT }, '"first"');
  const asked = readQuestions(await session.reply('"first"'));
  session.begin('tools/call', { name: 'a:ask', requestState: asked.requestState }, '"second"');
  const again = readQuestions(await session.reply('"second"'));
  session.cancel('"second"');
  expect((await record.first('notifications/cancelled')).params).toEqual({ requestId: 'first' });
  expect(await record.line(({ id }) => id === ELICIT.id)).toMatchObject({ error: { code: -32_603 } });
  const retry = { name: 'a:ask', arguments: ELICIT, requestState: again.requestState };
  expect((await session.request('tools/call', retry)).error?.code).toBe(-32_602);
  expect(record.of('tools/call')).toHaveLength(1);
});

test('takes each answer to the question that it is for, when two calls ask at once', async () => {
  const [session, record] = await open();
  const questions = [ELICIT, { ...ELICIT, id: 'other', params: { ...FORM, message: 'Age?' } }];
  for (const [index, question] of questions.entries())
    session.begin('tools/call', { name: 'a:ask', arguments: question }, `"c${index}"`);
  const asked = [readQuestions(await session.reply('"c0"')), readQuestions(await session.reply('"c1"'))];
  const answers = await Promise.all(
    asked.map(async ({ inputRequests, requestState }, index) => {
      const responses = Object.entries(inputRequests).map(([name, { params }]) => [
        name,
        { action: 'accept', content: { to: params['message'] } },
      ]);
      const inputResponses = Object.fromEntries(responses) as object;
      const retry = { name: 'a:ask', arguments: questions[index], inputResponses, requestState };
      return session.request('tools/call', retry, `"r${index}"`);
    }),
  );
  expect(answers.map((answer) => JSON.parse(readText(answer)) as object)).toMatchObject([
    { id: 7, result: { content: { to: 'Name?' } } },
    { id: 'other', result: { content: { to: 'Age?' } } },
  ]);
  expect(record.of('tools/call')).toHaveLength(2);
});

test('comes back through an aggregator to a server behind another', async () => {
  const inner = startModern({ servers: { b: passing() } });
  const servers = { a: { command: 'node', args: [CLI, '--config', inner.configFile] } };
  const session = startModern({ servers });
  const asked = readQuestions(await session.call('a:b:ask', ELICIT));
  const [name = ''] = Object.keys(asked.inputRequests);
  const done = await session.request('tools/call', {
    name: 'a:b:ask',
    arguments: ELICIT,
    inputResponses: { [name]: ACCEPT },
    requestState: asked.requestState,
  });
  expect(JSON.parse(readText(done))).toMatchObject({ result: ACCEPT });
});

test('does not read a resource again for a token that it does not know', async () => {
  const [session, record] = await open({ hidden: ['x://hidden'] });
  const retry = { uri: 'x://hidden', requestState: 'unknown', inputResponses: {} };
  expect((await session.request('resources/read', retry)).error?.code).toBe(-32_602);
  expect(record.of('resources/read')).toEqual([]);
});

test('asks with each call only what that call says its client can do', async () => {
  const [session] = await open();
  const all = session.capabilities;
  session.capabilities = { sampling: {} };
  expect(readText(await session.call('a:ask', ELICIT))).toContain('-32601');
  session.capabilities = all;
  expect(readQuestions(await session.call('a:ask', ELICIT)).requestState).toBeDefined();
});

test('passes no logs of a call while its client is away', async () => {
  const [session] = await open();
  const line = JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'error' },
  });
  session.logLevel = 'debug';
  readQuestions(await session.call('a:ask', ELICIT));
  session.logLevel = undefined;
  await session.call('a:say', { lines: [line] });
  expect(session.inbox.untaken().filter(({ method }) => method === 'notifications/message')).toEqual([]);
});

test('takes the claim off what the client says to all', async () => {
  const [session, record] = await open();
  session.notify('vendor/news', { x: 1, _meta: { ...session.meta, y: 2 } });
  expect((await record.first('vendor/news')).params).toEqual({ x: 1, _meta: { y: 2 } });
});

test('calls a tool that insists on a task as one, and gives its result', async () => {
  const tool = { name: 'slow', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } };
  const [session, record] = await open({ tools: [tool] });
  const answer = await session.call('a:slow', { taskId: 't1' });
  expect(readText(answer)).toBe('passing t1');
  expect(answer.result).toMatchObject({ resultType: 'complete' });
  expect(record.of('tools/call')[0]?.params?.['task']).toEqual({});
});

test('asks for no task because the client did, to whom that means nothing', async () => {
  const insisting = { name: 'slow', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } };
  const [session, record] = await open({ tools: ['echo', insisting] });
  const call = (name: string): Record<string, unknown> => ({
    name,
    arguments: { taskId: 't1' },
    task: { ttl: 5 },
  });
  expect((await session.request('tools/call', call('a:echo'))).result).toMatchObject({
    resultType: 'complete',
    content: [{ type: 'text' }],
  });
  expect(readText(await session.request('tools/call', call('a:slow')))).toBe('passing t1');
  const [first, second] = record.of('tools/call').map(({ raw }) => raw);
  expect(first).not.toContain('"task"');
  expect(second?.match(/"task":[^,]*\}/g)).toEqual(['"task":{}']);
});

test('ends the task when the client cancels the call', async () => {
  const tool = { name: 'slow', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } };
  const [session, record] = await open({ tools: [tool], hold: ['tasks/result'] });
  session.begin('tools/call', { name: 'a:slow', arguments: { taskId: 't1' } }, '"s"');
  await record.first('tasks/result');
  session.cancel('"s"');
  expect((await record.first('tasks/cancel')).params).toEqual({ taskId: 't1' });
});

test('answers with the failure when the server dies while the client is away', async () => {
  const [session] = await open();
  const asked = readQuestions(await session.call('a:ask', ELICIT));
  await session.call('a:crash', { code: 3 });
  const back = await session.request('tools/call', { name: 'a:ask', requestState: asked.requestState });
  expect(back.error?.message).toContain('exited with code 3');
});
