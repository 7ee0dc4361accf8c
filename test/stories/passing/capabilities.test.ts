/** What the two sides are told of each other, and that it can be relied on. */
import { expect, test } from 'vitest';
import { passing, Recording } from '../../support/passing.ts';
import { start, startReady } from '../../support/session.ts';

interface Welcome {
  capabilities: Record<string, unknown>;
}

test('tells the client all that its servers may turn out to have while they are starting', async () => {
  const session = start({ servers: { a: passing() } });
  const { result } = await session.initialize();
  expect(result).toMatchObject({
    capabilities: {
      completions: {},
      logging: {},
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      tools: { listChanged: true },
    },
  });
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
  'speaks of no tasks to a client of %s',
  async (version) => {
    const session = start({ servers: { a: passing() } });
    const { result } = await session.initialize({ protocolVersion: version });
    expect((result as Welcome).capabilities).not.toHaveProperty('tasks');
  },
);

test('tells every server the client’s capabilities and name', async () => {
  const records = [new Recording(), new Recording()];
  const [a, b] = records.map(({ file }) => passing({ record: file }));
  const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, vendor: { x: [1] } };
  const clientInfo = { name: 'a client', version: '7', title: 'A Client' };
  await startReady({ servers: { a: a!, b: b! } }, { capabilities, clientInfo });
  for (const record of records) {
    const { params } = await record.first('initialize');
    expect(params).toEqual({ protocolVersion: '2025-11-25', capabilities, clientInfo });
  }
});

test('asks a server only for the lists that it says it has', async () => {
  const record = new Recording();
  const servers = { a: passing({ record: record.file, capabilities: { prompts: {} }, prompts: ['p'] }) };
  const session = await startReady({ servers });
  expect((await session.request('prompts/list')).result).toEqual({ prompts: [{ name: 'a:p' }] });
  const asked = record.all().map(({ method }) => method);
  expect(asked).toEqual(['initialize', 'notifications/initialized', 'prompts/list']);
});

test('counts a list that a server advertises and refuses as empty, and keeps what else it has', async () => {
  const broken = '"error":{"code":-32601,"message":"Method not found"}';
  const replies = {
    'resources/list': broken,
    'resources/templates/list': '"error":{"code":-32603,"message":"Internal"}',
    'prompts/list': '"result":{"prompts":null}',
  };
  const servers = {
    a: passing({ replies, tools: ['echo'], hidden: ['x://a'] }),
    b: passing({ prompts: ['p'], resources: ['x://b'], resourceTemplates: ['x://{b}'] }),
  };
  const session = await startReady({ servers });
  expect((await session.listNames())[0]).toBe('a:echo');
  expect((await session.request('prompts/list')).result).toEqual({ prompts: [{ name: 'b:p' }] });
  expect((await session.request('resources/list')).result).toEqual({
    resources: [{ uri: 'x://b', name: 'x://b' }],
  });
  expect((await session.request('resources/templates/list')).result).toEqual({
    resourceTemplates: [{ uriTemplate: 'x://{b}', name: 'x://{b}' }],
  });
  await session.stderrMatches(/\[a\].*resources\/templates\/list/);
});
