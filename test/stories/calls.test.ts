/** Calls in raw lines: every byte arrives as it went, and every request is answered once, by the right server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { LENIENT } from '../support/judge.ts';
import type { Message } from '../support/inbox.ts';
import { memberText, memberTexts } from '../support/raw.ts';
import { makeFolder, readText, type Session, start, startReady } from '../support/session.ts';

const callLine = (id: string, name: string, args = '{}'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`;

const openingLine =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"story","version":"1"}}}';

const startOne = (): Promise<Session> => startReady({ servers: { a: fixture({ name: 'a' }) } });

const alive = async (session: Session): Promise<void> => {
  expect((await session.request('ping')).result).toEqual({});
  expect(await session.callText('a:echo', { still: 'here' })).toBe('a {"still":"here"}');
};

/** Sends a line to a server of its own and gives the line that this server received. */
async function recordCall(line: string, id: string): Promise<string> {
  const record = join(makeFolder(), 'record');
  const session = await startReady({ servers: { a: fixture({ record }) } });
  await session.exchange(line, id);
  const lines = readFileSync(record, 'utf8').split('\n');
  return lines.find((recorded) => recorded.includes('"tools/call"')) ?? '';
}

describe('ids', () => {
  const ids = ['0', '-1', '1', '1.0', '1.5', '1e3', '9007199254740993', '12345678901234567890123'];
  const texts = ['"1"', '""', '"1.0"', '"a b"', '"\\u00e9\\n\\"\\\\"', '"é"', '"__proto__"', '"\\ud800"'];

  test('come back as they went, whatever their kind, all in flight together', async () => {
    const session = await startOne();
    const all = [...ids, ...texts];
    session.write(all.map((id, n) => `${callLine(id, 'a:echo', `{"n":${n}}`)}\n`).join(''));
    for (const [n, id] of all.entries()) expect(readText(await session.reply(id))).toBe(`a {"n":${n}}`);
  });

  test('come back as they went in errors and in answers of the aggregator itself', async () => {
    const session = await startOne();
    for (const id of [...ids, ...texts]) {
      expect((await session.exchange(callLine(id, 'nope'), id)).error?.code).toBe(-32602);
      expect((await session.request('ping', undefined, id)).result).toEqual({});
    }
  });

  test('that are used twice at a time are answered twice', async () => {
    const session = await startOne();
    session.write(
      `${callLine('7', 'a:hold')}\n${callLine('7', 'a:echo', '{"n":1}')}\n${callLine('7', 'a:echo', '{"n":2}')}\n`,
    );
    const echoes = [readText(await session.reply('7')), readText(await session.reply('7'))];
    expect(echoes.sort()).toEqual(['a {"n":1}', 'a {"n":2}']);
    expect(await session.callText('a:release')).toBe('done');
    expect(readText(await session.reply('7'))).toBe('released');
  });

  test('that are used twice while the server is still starting are answered twice', async () => {
    const record = join(makeFolder(), 'record');
    const servers = { a: fixture({ name: 'a', after: record }), b: fixture({ record }) };
    const session = start({ servers });
    session.write(
      `${openingLine}\n${callLine('7', 'a:echo', '{"n":1}')}\n${callLine('7', 'a:echo', '{"n":2}')}\n`,
    );
    const echoes = [readText(await session.reply('7')), readText(await session.reply('7'))];
    expect(echoes.sort()).toEqual(['a {"n":1}', 'a {"n":2}']);
  });

  test.each(['null', 'true', '{"a":1}', '[1]'])('of the kind %s are refused without an id', async (id) => {
    const session = await startOne();
    const reply = await session.exchange(callLine(id, 'a:echo'), undefined);
    expect(reply.error?.code).toBe(-32600);
    expect(
      (await session.exchange(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, undefined)).error?.code,
    ).toBe(-32600);
    await alive(session);
  });
});

describe('malformed input', () => {
  const notJson = ['garbage', '{"jsonrpc":"2.0","id":1', "{'a':1}", '{"a":1}}', '\u0000', '{"a":"\t"}'];

  test('that is no JSON is answered with a parse error without an id', async () => {
    const session = await startOne();
    for (const line of notJson) expect((await session.exchange(line, undefined)).error?.code).toBe(-32700);
    session.write(
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('","method":"ping"}\n'),
      ]),
    );
    expect((await session.reply(undefined)).error?.code).toBe(-32700);
    await alive(session);
  });

  test.each([
    ['a number', '42'],
    ['a text', '"ping"'],
    ['null', 'null'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'],
    ['an empty batch', '[]'],
    ['an empty object', '{}'],
    ['a request without jsonrpc', '{"id":5,"method":"ping"}'],
    ['a request of another JSON-RPC', '{"jsonrpc":"1.0","id":5,"method":"ping"}'],
    ['a method that is no text', '{"jsonrpc":"2.0","id":5,"method":7}'],
    ['a method that is null', '{"jsonrpc":"2.0","id":5,"method":null}'],
    ['an id alone', '{"jsonrpc":"2.0","id":5}'],
    ['two methods', '{"jsonrpc":"2.0","id":5,"method":"ping","method":"tools/list"}'],
  ])('such as %s is an invalid request', async (_, line) => {
    const session = await startOne();
    session.write(`${line}\n`);
    const refusal = await session.refusal();
    expect(refusal.error?.code).toBe(-32600);
    expect([undefined, '5']).toContain(refusal.id);
    await alive(session);
  });

  test.each([
    ['no params', ''],
    ['params that are a list', ',"params":["a:echo"]'],
    ['no name', ',"params":{"arguments":{}}'],
    ['a name that is no text', ',"params":{"name":5}'],
  ])('such as a call with %s has invalid params', async (_, params) => {
    const session = await startOne();
    const reply = await session.exchange(`{"jsonrpc":"2.0","id":5,"method":"tools/call"${params}}`, '5');
    expect(reply.error?.code).toBe(-32602);
    await alive(session);
  });

  test('such as a method that nobody knows is answered, a notification is not', async () => {
    const session = await startOne();
    session.notify('notifications/nobody/knows');
    session.write(
      '{"jsonrpc":"2.0","id":99,"result":{}}\n{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":""}}\n',
    );
    expect((await session.request('nobody/knows')).error?.code).toBe(-32601);
    await alive(session);
    expect(session.inbox.untaken()).toEqual([]);
  });

  test('such as blank lines, a byte order mark, carriage returns and spaces is taken as it is meant', async () => {
    const session = start({ servers: { a: fixture({ name: 'a' }) } });
    session.write(`\uFEFF${openingLine}\r\n`);
    expect((await session.reply('0')).result).toBeDefined();
    session.write('\n\r\n  \n \t {"jsonrpc" : "2.0" ,"id": 5 , "method":"ping" } \r\n');
    expect((await session.reply('5')).result).toEqual({});
    await alive(session);
    expect(session.inbox.untaken()).toEqual([]);
  });

  test('such as a line that comes byte by byte is put together', async () => {
    const session = await startOne();
    for (const byte of Buffer.from(`${callLine('"é"', 'a:echo', '{"t":"ü€😀"}')}\n`))
      session.write(Buffer.from([byte]));
    expect(readText(await session.reply('"é"'))).toBe('a {"t":"ü€😀"}');
  });

  test('such as 100,000 nested lists crosses', async () => {
    const session = await startOne();
    const depth = 100_000;
    const args = `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    // Not "echo": the fixture could read it, but not write it back.
    session.write(`${callLine('5', 'a:count', args)}\n`);
    expect(readText(await session.reply('5'))).toBe('1');
  });
});

describe('on the way to the server', () => {
  test('absent arguments stay absent', async () => {
    const line = await recordCall(
      '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a:echo"}}',
      '5',
    );
    expect(memberText(line, 'params')).toBe('{"name":"echo"}');
  });

  test('nothing changes but the name of the tool', async () => {
    const args =
      '{"b":9007199254740993,"a":1.0,"10":1,"2":-0,"name":"a:echo","u":"\\u00e9\\ud800\\/","e":1e400,"__proto__":1}';
    const meta = '{"z":1,"a":2.0,"x/y":{"name":"a:echo"}}';
    const params = (name: string): string =>
      `{ "_meta":${meta},"unknown":[1.0, 1e400] ,"name" : "${name}","arguments":${args},"task":{"ttl":1.0}}`;
    const members = (name: string): [string, string][] => [
      ['extra', '{"x":1.0}'],
      ['jsonrpc', '"2.0"'],
      ['params', params(name)],
      ['method', '"tools/call"'],
    ];
    const sent = [...members('a:echo'), ['id', '5']].map(([name, text]) => `"${name}":${text}`).join(',');
    const line = await recordCall(`{${sent}}`, '5');
    expect(memberTexts(line).filter(([name]) => name !== 'id')).toEqual(members('echo'));
  });

  test('a name is understood however it is escaped', async () => {
    const params = '{"name":"\\u0061\\u003aecho","arguments":{"x":1}}';
    const line = await recordCall(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${params}}`, '5');
    expect(memberText(line, 'params')).toBe('{"name":"echo","arguments":{"x":1}}');
  });
});

describe('on the way back', () => {
  test.each([
    ['numbers', '"result":{"z":1.0,"a":9007199254740993,"10":1e400,"2":-0}'],
    [
      'unknown content and fields',
      '"result":{"content":[{"type":"hologram","x":[1.0]}],"future":{"b":1,"a":2},"_meta":{"q":1.0}}',
    ],
    ['structured content', '"result":{"structuredContent":{"n":0.10},"content":[],"isError":true}'],
    ['escapes and spaces', '"result": { "t":"\\u00e9\\ud800\\/" , "__proto__":{"x":1} }'],
    ['ids inside', '"result":{"id":1,"jsonrpc":"1.0","method":"x","error":{"id":2}}'],
    ['extra members', '"result":{},"future":1.0,"_x":{"id":3}'],
    ['an empty result', '"result":{}'],
    [
      'an error',
      '"error":{"code":-32050,"message":"No \\u00e9","data":{"n":1.0,"b":1,"a":9007199254740993}}',
    ],
    ['an error with fields of its own', '"error":{"message":"x","code":-1.0,"future":[1.0]}'],
  ])('%s cross untouched', async (_, member) => {
    const servers = { a: fixture({ tools: ['t'], replies: { t: member } }) };
    const session = await startReady({ servers, rules: LENIENT });
    const reply = await session.exchange(callLine('5', 'a:t'), '5');
    expect(reply.raw).toBe(`{"jsonrpc":"2.0","id":5,${member}}`);
  });
});

test.each([
  ['neither a result nor an error', '"other":1'],
  ['neither a result nor an error', '"result":null'],
  ['both a result and an error', '"result":{},"error":{"code":1,"message":"x"}'],
])('a call whose answer has %s fails: %s', async (what, member) => {
  const servers = { a: fixture({ name: 'a', tools: ['t', 'echo'], replies: { t: member } }) };
  const session = await startReady({ servers });
  const { error } = await session.exchange(callLine('5', 'a:t'), '5');
  expect(error?.code).toBe(-32603);
  expect(error?.message).toContain(what);
  await alive(session);
});

test.each(['nope', 'a', 'a:', 'a:nope', ':echo', 'b:echo', 'A:echo', 'a:echo ', '', 'a\n:echo', '__proto__'])(
  'says that the tool %j is not found',
  async (name) => {
    const session = await startOne();
    const { error } = await session.call(name);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toBe(`Tool not found: ${name}`);
  },
);

test('answers 300 calls in flight over three servers, each once and by the right server', async () => {
  const keys = ['a', 'b', 'c'];
  const session = await startReady({
    servers: Object.fromEntries(keys.map((key) => [key, fixture({ name: key })])),
  });
  const calls = Array.from({ length: 300 }, (_, n) => ({ id: `"call ${n}"`, key: keys[n % 3], n }));
  session.write(calls.map(({ id, key, n }) => `${callLine(id, `${key}:echo`, `{"nonce":${n}}`)}\n`).join(''));
  for (const { id, key, n } of calls) expect(readText(await session.reply(id))).toBe(`${key} {"nonce":${n}}`);
  await session.close();
  expect(session.inbox.untaken()).toEqual([]);
});

test('lets a slow tool block nobody', async () => {
  const session = await startReady({ servers: { a: fixture({ name: 'a' }), b: fixture({ name: 'b' }) } });
  session.write(`${callLine('"slow"', 'a:hold')}\n`);
  expect(await session.callText('a:echo')).toBe('a {}');
  expect(await session.callText('b:echo')).toBe('b {}');
  expect(await session.listNames()).toContain('a:hold');
  expect(session.inbox.untaken()).toEqual([]);
  await session.call('a:release');
  expect(readText(await session.reply('"slow"'))).toBe('released');
});

test('drops answers that a server does not owe', async () => {
  const servers = { a: fixture({ name: 'a' }), b: fixture({ name: 'b', announce: true }) };
  const session = await startReady({ servers });
  const held = ['5', '"5"', '"early"'];
  session.write(held.map((id) => `${callLine(id, 'a:hold')}\n`).join(''));
  expect(await session.callText('a:echo')).toBe('a {}');
  expect(await session.callText('b:forge')).toBe('own');
  expect(await session.callText('b:echo')).toBe('b {}');
  expect(session.inbox.untaken()).toEqual([]);
  await session.call('a:release');
  for (const id of held) expect(readText(await session.reply(id))).toBe('released');
  await session.close();
  expect(session.inbox.messages.filter(({ raw }: Message) => /forged|again|unasked/.test(raw))).toEqual([]);
});
