/** What servers ask the client: it arrives if the client can do it, and the answer finds its way back. */
import { describe, expect, test } from 'vitest';
import { passing, Recording } from '../../support/passing.ts';
import { memberText } from '../../support/raw.ts';
import { start, startReady } from '../../support/session.ts';

const CAPABLE = {
  capabilities: {
    sampling: { tools: {} },
    elicitation: { form: {}, url: {} },
    roots: { listChanged: true },
    tasks: {},
  },
};

const FORM = {
  mode: 'form',
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};
const URL_VISIT = { mode: 'url', elicitationId: 'e-1', url: 'https://example.com', message: 'Go' };

const QUESTIONS: [method: string, params: object | undefined, result: object][] = [
  [
    'sampling/createMessage',
    {
      messages: [{ role: 'user', content: { type: 'text', text: 'a:b' } }],
      tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
      maxTokens: 5,
    },
    { role: 'assistant', model: 'm', content: { type: 'tool_use', name: 'echo', id: '1', input: {} } },
  ],
  [
    'elicitation/create',
    { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
    { action: 'accept', content: { name: 'me' } },
  ],
  ['elicitation/create', URL_VISIT, { action: 'decline' }],
  ['roots/list', undefined, { roots: [{ uri: 'file:///x', name: 'x' }] }],
];

describe.each(QUESTIONS)('%s', (method, params, result) => {
  test('is asked and answered in the words of both sides', async () => {
    const session = await startReady({ servers: { a: passing() } }, CAPABLE);
    const asked = session.callText('a:ask', { id: 'my id', method, params });
    const question = await session.question(method);
    expect(question.params).toEqual(params);
    session.answer(question, result);
    expect(JSON.parse(await asked)).toEqual({ jsonrpc: '2.0', id: 'my id', result });
  });

  test('is refused with words of the client’s own', async () => {
    const session = await startReady({ servers: { a: passing() } }, CAPABLE);
    const asked = session.callText('a:ask', { id: 0, method, params });
    const error = { code: -1, message: 'User rejected it', data: { why: [1] } };
    session.refuse(await session.question(method), error);
    expect(JSON.parse(await asked)).toEqual({ jsonrpc: '2.0', id: 0, error });
  });

  test('is refused for a client that did not say that it can do it', async () => {
    const session = await startReady({ servers: { a: passing() } });
    const answer = JSON.parse(await session.callText('a:ask', { id: 1, method, params })) as object;
    expect(answer).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(JSON.stringify(answer)).toContain(method);
    expect(session.inbox.messages.filter((one) => one.method === method)).toEqual([]);
  });
});

test.each(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list'])(
  'refuses %s for a client without tasks',
  async (method) => {
    const session = await startReady({ servers: { a: passing() } });
    const answer = await session.callText('a:ask', { id: 1, method, params: { taskId: 't' } });
    expect(JSON.parse(answer)).toMatchObject({ id: 1, error: { code: -32601 } });
  },
);

test.each([
  [{}, 'url'],
  [{ form: {} }, 'url'],
  [{ url: {} }, 'form'],
])('asks for nothing in a mode that the client did not declare (%j)', async (modes, mode) => {
  const session = await startReady({ servers: { a: passing() } }, { capabilities: { elicitation: modes } });
  const answers = [];
  for (const params of [FORM, URL_VISIT]) {
    const asked = session.callText('a:ask', { id: params.mode, method: 'elicitation/create', params });
    if (params.mode !== mode)
      session.answer(await session.question('elicitation/create'), { action: 'cancel' });
    answers.push(JSON.parse(await asked) as object);
  }
  const message = expect.stringContaining(`"${mode}"`) as string;
  expect(answers).toContainEqual({ jsonrpc: '2.0', id: mode, error: { code: -32602, message } });
});

test('knows an answer by its id though the client writes the number in its own way', async () => {
  const session = await startReady({ servers: { a: passing() } }, { capabilities: { roots: {} } });
  for (const write of [(id: string): string => `"${id}"`, (id: string): string => `${id}.0`]) {
    const asked = session.callText('a:ask', { id: 'q', method: 'roots/list' });
    const { id } = await session.question('roots/list');
    session.write(`{"jsonrpc":"2.0","id":${write(id ?? '')},"result":{"roots":[]}}\n`);
    expect(JSON.parse(await asked)).toMatchObject({ id: 'q', result: { roots: [] } });
  }
});

test('answers a ping itself', async () => {
  const session = await startReady({ servers: { a: passing() } });
  const answer = await session.callText('a:ask', { id: 'p', method: 'ping' });
  expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
});

test('keeps the bytes of a question and of its answer', async () => {
  const record = new Recording();
  const session = await startReady({ servers: { a: passing({ record: record.file }) } }, CAPABLE);
  const params =
    '{"messages":[],"maxTokens":5,"n":1.0,"big":12345678901234567890,"\\u0061":"\\u00e9","_meta":{"x":1e2}}';
  const line = `{"jsonrpc":"2.0","method":"sampling/createMessage","params":${params},"id":"é"}`;
  await session.call('a:say', { lines: [line] });
  const question = await session.question('sampling/createMessage');
  expect(memberText(question.raw, 'params')).toBe(params);
  session.write(`{"result":{"n":2.0,"id":7},"id":${question.id},"jsonrpc":"2.0"}\n`);
  const { raw } = await record.line(({ result }) => (result as { n?: number } | undefined)?.n === 2);
  expect(raw).toBe('{"result":{"n":2.0,"id":7},"id":"é","jsonrpc":"2.0"}');
});

test('keeps two servers apart that use the same ids at the same time', async () => {
  const session = await startReady({ servers: { a: passing(), b: passing() } }, CAPABLE);
  const method = 'elicitation/create';
  const requestedSchema = { type: 'object', properties: {} };
  const ask = async (key: string, id: unknown): Promise<string> => {
    const params = { message: `${key} ${JSON.stringify(id)}`, requestedSchema };
    return session.callText(`${key}:ask`, { id, method, params });
  };
  const asked = [ask('a', 1), ask('b', 1), ask('a', '1'), ask('b', '1')];
  const questions = [];
  for (const _ of asked) questions.push(await session.question(method));
  expect(new Set(questions.map(({ id }) => id)).size).toBe(4);
  for (const question of questions.toReversed())
    session.answer(question, { for: question.params?.['message'] });
  expect((await Promise.all(asked)).map((line) => JSON.parse(line) as object)).toEqual([
    { jsonrpc: '2.0', id: 1, result: { for: 'a 1' } },
    { jsonrpc: '2.0', id: 1, result: { for: 'b 1' } },
    { jsonrpc: '2.0', id: '1', result: { for: 'a "1"' } },
    { jsonrpc: '2.0', id: '1', result: { for: 'b "1"' } },
  ]);
});

test('keeps a question apart from a request of the client with the same id', async () => {
  const session = await startReady({ servers: { a: passing() } }, CAPABLE);
  session.write('{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"a:hold"}}\n');
  const asked = session.callText('a:ask', { id: 'h', method: 'roots/list' });
  const question = await session.question('roots/list');
  session.answer(question, { roots: [] });
  expect(JSON.parse(await asked)).toMatchObject({ id: 'h', result: { roots: [] } });
  await session.call('a:release');
  expect((await session.reply('"h"')).error).toBeUndefined();
});

test('takes an answer once, and none to what nobody asked', async () => {
  const record = new Recording();
  const session = await startReady({ servers: { a: passing({ record: record.file }) } }, CAPABLE);
  const asked = session.callText('a:ask', { id: 1, method: 'roots/list' });
  const question = await session.question('roots/list');
  session.answer(question, { roots: [] });
  session.answer(question, { roots: ['again'] });
  session.write('{"jsonrpc":"2.0","id":4711,"result":{}}\n');
  await asked;
  await session.call('a:echo');
  expect(record.all().filter(({ method }) => method === undefined)).toHaveLength(1);
});

test('withdraws what a server asked when the server dies', async () => {
  const session = await startReady({ servers: { a: passing(), b: passing() } }, CAPABLE);
  const dead = session.call('a:ask', { id: 1, method: 'roots/list' });
  const first = await session.question('roots/list');
  const alive = session.callText('b:ask', { id: 1, method: 'roots/list' });
  const second = await session.question('roots/list');
  const crash = session.call('a:crash', { code: 3 });
  const { params } = await session.notification('notifications/cancelled');
  expect(String(params?.['requestId'])).toBe(first.id);
  expect(params?.['reason']).toMatch(/"a".*3/);
  expect((await crash).error?.code).toBe(-32603);
  expect((await dead).error?.code).toBe(-32603);
  session.answer(first, { roots: ['late'] });
  session.answer(second, { roots: [] });
  expect(JSON.parse(await alive)).toEqual({ jsonrpc: '2.0', id: 1, result: { roots: [] } });
  expect(session.inbox.untaken().filter(({ method }) => method === 'notifications/cancelled')).toEqual([]);
});

test('asks the client nothing before it says that it is ready', async () => {
  const record = new Recording();
  const prologue = ['{"jsonrpc":"2.0","id":1,"method":"roots/list"}'];
  const session = start({ servers: { a: passing({ prologue, record: record.file }) } });
  const clientInfo = { name: 'story', version: '1' };
  await session.request('initialize', { protocolVersion: '2025-11-25', ...CAPABLE, clientInfo });
  await record.first('resources/templates/list');
  expect((await session.request('ping')).error).toBeUndefined();
  expect((await session.call('a:echo')).error).toBeUndefined();
  expect(session.inbox.untaken()).toEqual([]);
  session.notify('notifications/initialized');
  session.answer(await session.question('roots/list'), { roots: [] });
  expect((await record.line(({ method }) => method === undefined)).result).toBeDefined();
});

test('tells all servers that the client’s roots have changed', async () => {
  const records = [new Recording(), new Recording()];
  const [a, b] = records.map(({ file }) => passing({ record: file }));
  const session = await startReady({ servers: { a: a!, b: b! } }, CAPABLE);
  session.notify('notifications/roots/list_changed');
  for (const record of records) await record.first('notifications/roots/list_changed');
});

test('passes on that an elicitation by URL is complete', async () => {
  const session = await startReady({ servers: { a: passing() } }, CAPABLE);
  const line =
    '{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e-1"}}';
  await session.call('a:say', { lines: [line] });
  expect((await session.notification('notifications/elicitation/complete')).raw).toBe(line);
});
