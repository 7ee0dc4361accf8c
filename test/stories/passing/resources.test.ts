/** Resources: listed with the URIs they have, and read at the server they belong to, listed or not. */
import { expect, test } from 'vitest';
import { passing, type PassingOptions, Recording } from '../../support/passing.ts';
import { type Session, startReady } from '../../support/session.ts';

const recorded = (options: PassingOptions, { file }: Recording): ReturnType<typeof passing> =>
  passing({ ...options, record: file });

async function read(session: Session, uri: string): Promise<unknown> {
  const { result, error } = await session.request('resources/read', { uri });
  return (result as { contents: { text: string }[] } | undefined)?.contents[0]?.text ?? error;
}

async function listUris(session: Session): Promise<string[]> {
  const { result } = await session.request('resources/list');
  return (result as { resources: { uri: string }[] }).resources.map(({ uri }) => uri);
}

test('lists resources and templates of all servers as they were written', async () => {
  const resource = { uri: 'x://1', size: 12345, annotations: { priority: 0.5 }, vendor: [], name: 'one' };
  const template = { uriTemplate: 'x://{n}', name: 'any', icons: [{ src: 'x://1' }] };
  const servers = {
    a: passing({ resources: [resource, 'x://2', 'x://3'], resourceTemplates: [template], pageSize: 2 }),
    b: passing({ resources: ['y://1'], resourceTemplates: ['y://{n}'] }),
  };
  const session = await startReady({ servers });
  expect(await listUris(session)).toEqual(['x://1', 'x://2', 'x://3', 'y://1']);
  const { raw } = await session.request('resources/list');
  expect(raw).toContain(JSON.stringify(resource));
  const { result } = await session.request('resources/templates/list');
  expect(result).toEqual({ resourceTemplates: [template, { uriTemplate: 'y://{n}', name: 'y://{n}' }] });
});

test('reads a listed resource at its server and nowhere else', async () => {
  const record = new Recording();
  const servers = {
    a: recorded({ name: 'A', resources: ['x://1'], hidden: ['x://2'] }, record),
    b: passing({ name: 'B', resources: ['x://2'] }),
  };
  const session = await startReady({ servers });
  expect(await read(session, 'x://2')).toBe('B x://2');
  expect(await read(session, 'x://1')).toBe('A x://1');
  expect(record.of('resources/read').map(({ params }) => params)).toEqual([{ uri: 'x://1' }]);
});

test('reaches a URI that two servers claim at both', async () => {
  const servers = {
    a: passing({ name: 'A', resources: ['x://1'] }),
    b: passing({ name: 'B', resources: ['x://1', 'x://2'] }),
    c: passing({ name: 'C', resources: ['x://1'] }),
  };
  const session = await startReady({ servers });
  expect(await listUris(session)).toEqual(['x://1', 'b+x://1', 'x://2', 'c+x://1']);
  expect(await read(session, 'x://1')).toBe('A x://1');
  expect(await read(session, 'b+x://1')).toBe('B x://1');
  expect(await read(session, 'c+x://1')).toBe('C x://1');
  expect(await read(session, 'a+x://1')).toBe('A x://1');
});

test('keeps to the first server of a template, though another was read by its key', async () => {
  const all = { resourceTemplates: ['x://{n}'], hidden: ['x://7'] };
  const servers = { a: passing({ name: 'A', ...all }), b: passing({ name: 'B', ...all }) };
  const session = await startReady({ servers });
  expect(await read(session, 'b+x://7')).toBe('B x://7');
  expect(await read(session, 'x://7')).toBe('A x://7');
  expect(await read(session, 'b+x://7')).toBe('B x://7');
});

test('reads by the longest key that stands in front', async () => {
  const servers = {
    a: passing({ name: 'A', hidden: ['x://1'] }),
    'a+b': passing({ name: 'B', hidden: ['x://1'] }),
  };
  const session = await startReady({ servers });
  expect(await read(session, 'a+b+x://1')).toBe('B x://1');
  expect(await read(session, 'a+x://1')).toBe('A x://1');
});

test('reads an unlisted URI at the server that gave a link to it', async () => {
  const record = new Recording();
  const servers = {
    a: recorded({ name: 'A', hidden: ['x://hidden'] }, record),
    b: passing({ name: 'B', hidden: ['x://hidden'] }),
  };
  const session = await startReady({ servers });
  await session.call('b:links', { uris: ['x://hidden'] });
  expect(await read(session, 'x://hidden')).toBe('B x://hidden');
  expect(record.of('resources/read')).toEqual([]);
});

test.each([{ ui: { resourceUri: 'ui://b/page' } }, { 'ui/resourceUri': 'ui://b/page' }])(
  'reads the page of an MCP App at the server whose tool links to it (%j)',
  async (_meta) => {
    const tool = { name: 'show', inputSchema: { type: 'object' }, _meta };
    const servers = {
      a: passing({ name: 'A', hidden: ['ui://b/page'] }),
      b: passing({ name: 'B', hidden: ['ui://b/page'], tools: [tool] }),
    };
    const session = await startReady({ servers });
    expect(await read(session, 'ui://b/page')).toBe('B ui://b/page');
  },
);

test('reads an unlisted URI at the server with a template for it', async () => {
  const record = new Recording();
  const servers = {
    a: recorded({ name: 'A', hidden: ['x://7/end'], resourceTemplates: ['x://{n}/start'] }, record),
    b: passing({ name: 'B', hidden: ['x://7/end'], resourceTemplates: ['x://{n}/end'] }),
  };
  const session = await startReady({ servers });
  expect(await read(session, 'x://7/end')).toBe('B x://7/end');
  expect(record.of('resources/read')).toEqual([]);
});

test('takes a template at its word though the scheme begins like a key', async () => {
  const servers = {
    git: passing({ name: 'G', hidden: ['git+ssh://7'], resourceTemplates: ['git+ssh://{n}'] }),
    ssh: passing({ name: 'S', hidden: ['ssh://7'] }),
  };
  const session = await startReady({ servers });
  expect(await read(session, 'git+ssh://7')).toBe('G git+ssh://7');
});

test.each([-32002, -32602, -32603])(
  'asks one server after the other for a URI that nothing speaks of (%i)',
  async (code) => {
    const record = new Recording();
    const servers = {
      a: recorded({ name: 'A', notFound: code }, record),
      b: passing({ name: 'B', hidden: ['x://hidden'] }),
    };
    const session = await startReady({ servers });
    expect(await read(session, 'x://hidden')).toBe('B x://hidden');
    expect(await read(session, 'x://hidden')).toBe('B x://hidden');
    expect(record.of('resources/read')).toHaveLength(1);
  },
);

test('says what the servers say when none of them has it', async () => {
  const session = await startReady({ servers: { a: passing(), b: passing() } });
  const { error } = await session.request('resources/read', { uri: 'x://no' });
  expect(error).toEqual({ code: -32002, message: 'Resource not found', data: { uri: 'x://no' } });
});

test('says in the server’s own bytes what went wrong, rather than that another does not have it', async () => {
  const error =
    '"error":{"code":-32603,"message":"disk","data":{"n":12345678901234567890,"f":1.0},"extra":1}';
  const servers = {
    a: passing(),
    b: passing({ replies: { 'resources/read': error } }),
    c: passing(),
  };
  const session = await startReady({ servers });
  const { raw } = await session.request('resources/read', { uri: 'x://no' }, '77');
  expect(raw).toBe(`{"jsonrpc":"2.0","id":77,${error}}`);
});

test('asks on when a server dies of being asked', async () => {
  const servers = {
    a: passing({ hold: ['resources/read'] }),
    b: passing({ name: 'B', hidden: ['x://hidden'] }),
  };
  const session = await startReady({ servers });
  session.write('{"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":"x://hidden"}}\n');
  session.write(
    '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"a:crash","arguments":{}}}\n',
  );
  expect((await session.reply('"r"')).result).toMatchObject({ contents: [{ text: 'B x://hidden' }] });
});

test('does not ask a server that has no resources', async () => {
  const record = new Recording();
  const servers = { a: recorded({ capabilities: { tools: {} } }, record) };
  const session = await startReady({ servers });
  const { error } = await session.request('resources/read', { uri: 'x://no' });
  expect(error).toMatchObject({ code: -32602, message: 'Resource not found: x://no' });
  expect(record.of('resources/read')).toEqual([]);
});

test('keeps the bytes of what is read', async () => {
  const contents = '[{"uri":"x://1","blob":"AAAA","n":1.0,"n2":12345678901234567890,"\\u0061":"\\u00e9"}]';
  const replies = { 'resources/read': `"result":{"contents":${contents},"_meta":{"v":1.50}}` };
  const session = await startReady({ servers: { a: passing({ resources: ['x://1'], replies }) } });
  const { raw } = await session.request('resources/read', { uri: 'x://1' }, '77');
  expect(raw).toBe(`{"jsonrpc":"2.0","id":77,${replies['resources/read']}}`);
});

test('passes progress of a server on that is asked whether it has a URI', async () => {
  const record = new Recording();
  const session = await startReady({ servers: { a: recorded({ hold: ['resources/read'] }, record) } });
  const params = '{"uri":"x://1","_meta":{"progressToken":"t"}}';
  session.write(`{"jsonrpc":"2.0","id":"r","method":"resources/read","params":${params}}\n`);
  await record.first('resources/read');
  const line =
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}';
  await session.call('a:say', { lines: [line] });
  expect((await session.notification('notifications/progress')).raw).toBe(line);
});

test('does not answer what was cancelled while one server after the other was asked', async () => {
  const [a, b] = [new Recording(), new Recording()];
  const servers = { a: recorded({ hold: ['resources/read'] }, a), b: recorded({ hidden: ['x://1'] }, b) };
  const session = await startReady({ servers });
  session.write('{"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":"x://1"}}\n');
  await a.first('resources/read');
  session.notify('notifications/cancelled', { requestId: 'r' });
  await session.call('a:release');
  await session.call('b:echo');
  expect(session.inbox.messages.filter(({ id }) => id === '"r"')).toEqual([]);
  expect(a.of('notifications/cancelled').map(({ params }) => params)).toEqual([{ requestId: 'r' }]);
  expect(b.of('resources/read')).toEqual([]);
});
