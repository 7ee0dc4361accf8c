/** Progress and cancellation: each reaches the one whose request it is about, under its own token or id. */
import { expect, test } from 'vitest';
import { passing, Recording } from '../../support/passing.ts';
import { memberText } from '../../support/raw.ts';
import { type Session, start, startReady } from '../../support/session.ts';

const progress = (token: string, rest = '"progress":0.50,"total":1.0,"message":"half"'): string =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},${rest}}}`;
const cancelled = (id: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"r"}}`;

function hold(session: Session, tool: string, id: string, token: string): void {
  const params = `{"name":"${tool}","arguments":{},"_meta":{"progressToken":${token}}}`;
  session.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
}

const heard = (session: Session, method: string): string[] =>
  session.inbox.messages.filter((one) => one.method === method).map(({ raw }) => raw);

test.each(['7', '"7"', '"tök\\u0065n"', '-3', '1234567890123456'])(
  'passes progress on under the client’s own token %s',
  async (token) => {
    const session = await startReady({ servers: { a: passing() } });
    hold(session, 'a:hold', '"h"', token);
    await session.call('a:say', { lines: [progress(token)] });
    expect((await session.notification('notifications/progress')).raw).toBe(progress(token));
    await session.call('a:release');
    expect((await session.reply('"h"')).error).toBeUndefined();
  },
);

test.each([
  ['1.0', '1'],
  ['1e3', '1000'],
  ['-0', '0'],
  ['12345678901234567890', '12345678901234567000'],
  ['"\\u00e9/"', '"é\\/"'],
  ['""', '""'],
])('knows the client’s token %s again when the server writes it %s', async (token, written) => {
  const session = await startReady({ servers: { a: passing() } });
  hold(session, 'a:hold', '"h"', token);
  await session.call('a:say', { lines: [progress(written)] });
  expect((await session.notification('notifications/progress')).raw).toBe(progress(token));
});

test('drops progress that a server reports for the request of another, or for one that is done', async () => {
  const session = await startReady({ servers: { a: passing(), b: passing() } });
  hold(session, 'a:hold', '"h"', '1');
  await session.call('b:say', { lines: [progress('1'), progress('"1"'), progress('2')] });
  await session.call('a:say', { lines: [progress('1', '"progress":1')] });
  await session.call('a:release');
  await session.reply('"h"');
  await session.call('a:say', { lines: [progress('1', '"progress":2')] });
  expect(heard(session, 'notifications/progress')).toEqual([progress('1', '"progress":1')]);
});

test('keeps two requests with the same token at two servers apart', async () => {
  const session = await startReady({ servers: { a: passing(), b: passing() } });
  hold(session, 'a:hold', '"a"', '1');
  hold(session, 'b:hold', '"b"', '1');
  await session.call('a:release');
  await session.reply('"a"');
  await session.call('b:say', { lines: [progress('1')] });
  await session.call('a:say', { lines: [progress('1', '"progress":9')] });
  expect(heard(session, 'notifications/progress')).toEqual([progress('1')]);
});

test.each(['5', '"five"', '"f\\u00efve"', '5.0'])(
  'passes the cancellation of request %s on to the server that has it',
  async (id) => {
    const [a, b] = [new Recording(), new Recording()];
    const servers = { a: passing({ record: a.file }), b: passing({ record: b.file }) };
    const session = await startReady({ servers });
    hold(session, 'b:hold', id, '1');
    await b.line(({ params }) => params?.['name'] === 'hold');
    session.write(`${cancelled(id)}\n`);
    const held = await b.line(({ params }) => params?.['name'] === 'hold');
    const { params } = await b.first('notifications/cancelled');
    expect(params).toEqual({ requestId: held.id, reason: 'r' });
    await session.call('b:release');
    await session.call('a:echo');
    expect(a.of('notifications/cancelled')).toEqual([]);
    const answers = session.inbox.messages.filter((one) => one.id === id);
    expect(answers).toEqual([]);
  },
);

test('never starts a request that is cancelled before its server is up', async () => {
  const [gate, record] = [new Recording(), new Recording()];
  const servers = {
    late: passing({ after: [gate.file, 'go'], record: record.file }),
    gate: passing({ record: gate.file }),
  };
  const session = start({ servers });
  await session.initialize();
  await session.call('gate:echo');
  hold(session, 'late:hold', '"h"', '1');
  session.write(`${cancelled('"h"')}\n`);
  await session.call('gate:echo', { go: true });
  expect((await session.call('late:echo')).error).toBeUndefined();
  expect(record.of('tools/call')).toHaveLength(1);
  expect(record.of('notifications/cancelled')).toEqual([]);
});

test('passes the client’s progress on under the server’s own token', async () => {
  const [a, b] = [new Recording(), new Recording()];
  const servers = { a: passing({ record: a.file }), b: passing({ record: b.file }) };
  const session = await startReady({ servers }, { capabilities: { sampling: {} } });
  const ask = (who: string): object => ({
    id: 1,
    method: 'sampling/createMessage',
    params: { who, messages: [], maxTokens: 5, _meta: { progressToken: 'mine', other: 1 } },
  });
  const asked = [session.call('a:ask', ask('a'))];
  const first = await session.question('sampling/createMessage');
  asked.push(session.call('b:ask', ask('b')));
  const second = await session.question('sampling/createMessage');
  const tokens = [first, second].map(({ raw }): unknown =>
    JSON.parse(memberText(raw, 'params', '_meta', 'progressToken') ?? ''),
  );
  expect(tokens[0]).not.toBe(tokens[1]);
  session.notify('notifications/progress', { progressToken: tokens[1], progress: 2 });
  session.notify('notifications/progress', { progressToken: tokens[0], progress: 1 });
  expect((await b.first('notifications/progress')).params).toEqual({ progressToken: 'mine', progress: 2 });
  expect((await a.first('notifications/progress')).params).toEqual({ progressToken: 'mine', progress: 1 });
  session.answer(first, {});
  session.answer(second, {});
  await Promise.all(asked);
});

test('passes on that a server takes its own question back, and no other', async () => {
  const session = await startReady(
    { servers: { a: passing(), b: passing() } },
    { capabilities: { roots: {} } },
  );
  const asking = { name: 'a:ask', arguments: { id: 'q', method: 'roots/list' } };
  session.write(`{"jsonrpc":"2.0","id":"asked","method":"tools/call","params":${JSON.stringify(asking)}}\n`);
  const question = await session.question('roots/list');
  const guesses = ['"q"', '1', question.id ?? ''].map((id) => cancelled(id));
  await session.call('b:say', { lines: guesses });
  expect(heard(session, 'notifications/cancelled')).toEqual([]);
  await session.call('a:say', { lines: [cancelled('"q"')] });
  const { raw } = await session.notification('notifications/cancelled');
  expect(raw).toBe(cancelled(question.id ?? ''));
  session.answer(question, { roots: [] });
  await session.call('a:echo');
  expect(session.inbox.messages.filter(({ id }) => id === '"asked"')).toEqual([]);
});

test('lets no server cancel a request of the client', async () => {
  const session = await startReady({ servers: { a: passing(), b: passing() } });
  hold(session, 'a:hold', '"h"', '1');
  await session.call('b:say', { lines: [cancelled('"h"')] });
  await session.call('a:say', { lines: [cancelled('"h"')] });
  await session.call('a:release');
  expect((await session.reply('"h"')).error).toBeUndefined();
  expect(heard(session, 'notifications/cancelled')).toEqual([]);
});
