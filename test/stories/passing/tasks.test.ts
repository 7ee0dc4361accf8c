/** Tasks of 2025-11-25, on both sides: their ids say whose they are, and nobody gets at another's. */
import { expect, test } from 'vitest';
import { passing, type PassingOptions, Recording } from '../../support/passing.ts';
import { type Session, startReady } from '../../support/session.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const CAPABLE = { capabilities: { sampling: {}, elicitation: {}, tasks: { list: {}, cancel: {} } } };

async function startTasks(a: PassingOptions = {}, b: PassingOptions = {}): Promise<Session> {
  const servers = { a: passing({ name: 'A', ...a }), b: passing({ name: 'B', ...b }) };
  return startReady({ servers }, CAPABLE);
}

async function startTask(session: Session, key: string, taskId: string): Promise<unknown> {
  const params = { name: `${key}:echo`, arguments: { taskId }, task: { ttl: 1 } };
  return (await session.request('tools/call', params)).result;
}

test('starts a task, and gives its state, its result and its end under the key of its server', async () => {
  const record = new Recording();
  const session = await startTasks({}, { record: record.file });
  expect(await startTask(session, 'a', '1')).toMatchObject({ task: { taskId: 'a:1', status: 'working' } });
  expect(await startTask(session, 'b', '1')).toMatchObject({ task: { taskId: 'b:1' } });
  const get = await session.request('tasks/get', { taskId: 'b:1' });
  expect(get.result).toMatchObject({ taskId: 'b:1', status: 'working' });
  const { result } = await session.request('tasks/result', { taskId: 'b:1' });
  expect(result).toEqual({
    content: [{ type: 'text', text: 'B 1' }],
    _meta: { [RELATED]: { taskId: 'b:1' }, taskId: 'mine' },
  });
  const cancel = await session.request('tasks/cancel', { taskId: 'b:1' });
  expect(cancel.result).toMatchObject({ taskId: 'b:1', status: 'cancelled' });
  const asked = record.all().filter(({ method }) => method?.startsWith('tasks/'));
  expect(asked.map(({ params }) => params)).toEqual([{ taskId: '1' }, { taskId: '1' }, { taskId: '1' }]);
});

test('lists the tasks of all servers that can list them, page by page', async () => {
  const refusal = '"error":{"code":-32601,"message":"No"}';
  const servers = {
    a: passing({ tasks: ['1', '2', '3'], pageSize: 2 }),
    b: passing({ tasks: ['1'], replies: { 'tasks/list': refusal } }),
    c: passing({ tasks: ['1'] }),
    d: passing({ tasks: ['1'], capabilities: { tools: {} } }),
  };
  const session = await startReady({ servers });
  const { result } = await session.request('tasks/list');
  const ids = (result as { tasks: { taskId: string }[] }).tasks.map(({ taskId }) => taskId);
  expect(ids).toEqual(['a:1', 'a:2', 'a:3', 'c:1']);
});

test('finds the task of a server whose key begins with the key of another', async () => {
  const servers = { a: passing({ name: 'A', tasks: ['1'] }), 'a:b': passing({ name: 'B', tasks: ['1'] }) };
  const session = await startReady({ servers });
  for (const [taskId, text] of Object.entries({ 'a:1': 'A 1', 'a:b:1': 'B 1' })) {
    const { result } = await session.request('tasks/result', { taskId });
    expect(result).toMatchObject({ content: [{ text }] });
  }
});

test.each(['1', 'c:1', 'a:', ''])('refuses the id %j, which no server gave', async (taskId) => {
  const session = await startTasks({ tasks: ['1'] });
  const { error } = await session.request('tasks/get', { taskId });
  expect(error?.code).toBe(-32602);
});

test('passes on the news of a task under the key of its server', async () => {
  const session = await startTasks();
  const news = { taskId: '1', status: 'completed', createdAt: 'x', lastUpdatedAt: 'x', ttl: null };
  const method = 'notifications/tasks/status';
  await session.call('b:say', { lines: [JSON.stringify({ jsonrpc: '2.0', method, params: news })] });
  expect((await session.notification(method)).params).toEqual({ ...news, taskId: 'b:1' });
});

test('relates questions, progress and log messages of a task to it, and the answers too', async () => {
  const session = await startTasks();
  const _meta = { [RELATED]: { taskId: '1' } };
  const params = {
    message: 'Who?',
    requestedSchema: { type: 'object', properties: {} },
    taskId: 'not ours',
  };
  const asked = session.callText('a:ask', {
    id: 1,
    method: 'elicitation/create',
    params: { ...params, _meta },
  });
  const question = await session.question('elicitation/create');
  const related = { [RELATED]: { taskId: 'a:1' } };
  expect(question.params).toEqual({ ...params, _meta: related });
  session.answer(question, { action: 'accept', _meta: related });
  expect(JSON.parse(await asked)).toMatchObject({ result: { action: 'accept', _meta } });
  const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1, _meta } };
  await session.call('a:say', { lines: [JSON.stringify(log)] });
  expect((await session.notification('notifications/message')).params?.['_meta']).toEqual(related);
});

test('passes progress on for as long as the task lasts', async () => {
  const session = await startTasks();
  const params = { name: 'a:echo', arguments: { taskId: '1' }, task: {}, _meta: { progressToken: 'p' } };
  await session.request('tools/call', params);
  const _meta = { [RELATED]: { taskId: '1' } };
  const method = 'notifications/progress';
  const progress = (value: number): string =>
    JSON.stringify({ jsonrpc: '2.0', method, params: { progressToken: 'p', progress: value, _meta } });
  await session.call('b:say', { lines: [progress(1)] });
  await session.call('a:say', { lines: [progress(2)] });
  expect((await session.notification(method)).params).toEqual({
    progressToken: 'p',
    progress: 2,
    _meta: { [RELATED]: { taskId: 'a:1' } },
  });
  expect(session.inbox.messages.filter((one) => one.method === method)).toHaveLength(1);
});

test('leaves alone what is called a task id and is none', async () => {
  const replies = { 'tools/call': '"result":{"taskId":"x","structuredContent":{"taskId":"y"},"content":[]}' };
  const session = await startTasks({ replies });
  const { raw } = await session.request('tools/call', { name: 'a:echo', arguments: {} }, '"r"');
  expect(raw).toBe(`{"jsonrpc":"2.0","id":"r",${replies['tools/call']}}`);
});

test('lets a server use the task that the client made for it, by the client’s own id', async () => {
  const session = await startTasks();
  const sampling = {
    id: 1,
    method: 'sampling/createMessage',
    params: { task: { ttl: 1 }, messages: [], maxTokens: 1 },
  };
  const made = session.callText('a:ask', sampling);
  const task = { taskId: 'client-1', status: 'working' };
  session.answer(await session.question('sampling/createMessage'), { task });
  expect(JSON.parse(await made)).toMatchObject({ result: { task } });
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    const asked = session.callText('a:ask', { id: 2, method, params: { taskId: 'client-1' } });
    const question = await session.question(method);
    expect(question.params).toEqual({ taskId: 'client-1' });
    session.answer(question, { taskId: 'client-1', _meta: { [RELATED]: { taskId: 'client-1' } } });
    expect(JSON.parse(await asked)).toMatchObject({
      result: { taskId: 'client-1', _meta: { [RELATED]: { taskId: 'client-1' } } },
    });
  }
});

test('keeps the tasks that the client made for one server from the others', async () => {
  const [a, b] = [new Recording(), new Recording()];
  const session = await startTasks({ record: a.file }, { record: b.file });
  for (const key of ['a', 'b']) {
    const sampling = {
      id: 1,
      method: 'sampling/createMessage',
      params: { task: {}, messages: [], maxTokens: 1 },
    };
    const made = session.callText(`${key}:ask`, sampling);
    const task = { taskId: `for-${key}`, status: 'working' };
    session.answer(await session.question('sampling/createMessage'), { task });
    await made;
  }
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    const refused = await session.callText('b:ask', { id: 2, method, params: { taskId: 'for-a' } });
    expect(JSON.parse(refused)).toMatchObject({ id: 2, error: { code: -32602 } });
  }
  const listed = session.callText('b:ask', { id: 3, method: 'tasks/list' });
  const tasks = ['for-a', 'for-b', 'other'].map((taskId) => ({ taskId, status: 'working' }));
  session.answer(await session.question('tasks/list'), { tasks, nextCursor: 'c' });
  expect(JSON.parse(await listed)).toMatchObject({ result: { tasks: [tasks[1]], nextCursor: 'c' } });
  session.notify('notifications/tasks/status', { taskId: 'for-a', status: 'completed' });
  await a.first('notifications/tasks/status');
  await session.call('b:echo');
  expect(b.of('notifications/tasks/status')).toEqual([]);
});
