/** The merged list: complete, in order, each name once, every definition as its server wrote it. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { elementTexts, memberText, memberTexts } from '../support/raw.ts';
import { makeFolder, type ServerEntry, type Session, start, startReady } from '../support/session.ts';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);

async function listAs(session: Session, name: string): Promise<string[]> {
  await session.initialize({ clientInfo: { name, version: '1' } });
  return session.listNames();
}

test('lists every page of every server', async () => {
  const servers = {
    a: fixture({ tools: numbered(25), pageSize: 4 }),
    b: fixture({ tools: numbered(3), pageSize: 1 }),
  };
  const session = await startReady({ servers });
  const expected = [...numbered(25).map((name) => `a:${name}`), ...numbered(3).map((name) => `b:${name}`)];
  expect(await session.listNames()).toEqual(expected);
});

test('stops at a cursor that comes again', async () => {
  const servers = { a: fixture({ tools: ['x'], cursor: 'repeated' }), b: fixture({ tools: ['y'] }) };
  const session = await startReady({ servers });
  expect(await session.listNames()).toEqual(['a:x', 'b:y']);
  await session.stderrMatches(/\[a\] .*cursor/i);
});

test('stops after a thousand pages', async () => {
  const servers = { a: fixture({ cursor: 'endless' }), b: fixture({ tools: ['y'] }) };
  const session = await startReady({ servers });
  expect(await session.listNames()).toEqual([...numbered(1000).map((name) => `a:${name}`), 'b:y']);
  await session.stderrMatches(/\[a\] .*pages/i);
});

test('keeps the order of the config whichever server is ready first, every time', async () => {
  const record = join(makeFolder(), 'record');
  const servers: [string, ServerEntry][] = [
    ['z', fixture({ tools: ['b', 'a'], after: record })],
    ['m', fixture({ tools: ['d', 'c'], record })],
    ['7', fixture({ tools: ['e'] })],
  ];
  const session = await startReady({ servers });
  const first = await session.request('tools/list', undefined, '"x"');
  const second = await session.request('tools/list', {}, '"x"');
  expect((first.result as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
    'z:b',
    'z:a',
    'm:d',
    'm:c',
    '7:e',
  ]);
  expect(second.raw).toBe(first.raw);
});

test('gives definitions as they were written, but for the name', async () => {
  const schema =
    '{"type":"object","properties":{"name":{"const":9007199254740993},"b":{"default":1.0}},"10":1,"2":2}';
  const before = `{"z":{"name":"inner"} , "inputSchema": ${schema},"description":"\\u00e9\\ud800 \\/"`;
  const after = `"_meta":{"x":1.0,"name":"meta"},"future":[1e400,-0],"annotations":{"readOnlyHint":true}}`;
  const name = '"tool \\"1\\""';
  const session = await startReady({
    servers: { a: fixture({ tools: [`${before},"name": ${name},${after}`] }) },
  });
  const { raw } = await session.request('tools/list');
  const [tool = ''] = elementTexts(memberText(raw, 'result', 'tools') ?? '');
  expect(tool.startsWith(`${before},"name": `)).toBe(true);
  expect(tool.endsWith(`,${after}`)).toBe(true);
  expect(memberTexts(tool).map(([key]) => key)).toEqual([
    'z',
    'inputSchema',
    'description',
    'name',
    '_meta',
    'future',
    'annotations',
  ]);
  expect(JSON.parse(memberText(tool, 'name') ?? '')).toBe('a:tool "1"');
  expect(await session.callText('a:tool "1"')).toBe('fixture {}');
});

test.each([
  ['the longer key comes first', ['a:b', 'a']],
  ['the shorter key comes first', ['a', 'a:b']],
])('gives a name that two servers spell to the longer key when %s', async (_, order) => {
  const servers: Record<string, ServerEntry> = {
    a: fixture({ name: 'short', tools: ['b:c', 'x:y'] }),
    'a:b': fixture({ name: 'long', tools: ['c', 'd'] }),
  };
  const session = await startReady({ servers: order.map((key) => [key, servers[key] as ServerEntry]) });
  expect((await session.listNames()).sort()).toEqual(['a:b:c', 'a:b:d', 'a:x:y']);
  expect(await session.callText('a:b:c')).toBe('long {}');
  expect(await session.callText('a:b:d')).toBe('long {}');
  expect(await session.callText('a:x:y')).toBe('short {}');
  await session.stderrMatches(/warning: .*a:b:c/);
});

test('keeps a tool once that its server lists twice', async () => {
  const twice = ['first', 'y', 'second'].map((title) =>
    title === 'y' ? title : `{"name":"x","title":"${title}","inputSchema":{"type":"object"}}`,
  );
  const session = await startReady({ servers: { a: fixture({ tools: twice }) } });
  const tools = await session.listTools();
  expect(tools.map(({ name, title }) => [name, title])).toEqual([
    ['a:x', 'first'],
    ['a:y', undefined],
  ]);
  await session.stderrMatches(/warning: \[a\] .*"x"/);
});

test('gives a client that refuses ":" names that it takes, and accepts both forms', async () => {
  const long = 'l'.repeat(80);
  const keys = ['my server', 'ünï', 'a.b', 'a_b', 'k'.repeat(90)];
  const tools = ['echo', 'get:all', `${long}1`, `${long}2`, '…', '_'];
  const servers = Object.fromEntries(keys.map((key) => [key, fixture({ name: key, tools })]));
  const session = start({ servers });
  const names = await listAs(session, 'claude-ai');
  expect(names).toHaveLength(keys.length * tools.length);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(names[0]).toBe('my_server__echo');
  for (const [index, name] of names.entries()) {
    expect(await session.callText(name)).toBe(`${keys[Math.floor(index / tools.length)]} {}`);
  }
  for (const key of keys) {
    for (const tool of tools) expect(await session.callText(`${key}:${tool}`)).toBe(`${key} {}`);
  }
});

test('gives the same safe names at every start', async () => {
  const servers = {
    'a.b': fixture({ tools: ['x', 'y'.repeat(70)] }),
    'a-b': fixture({ tools: ['x'] }),
    a_b: fixture({ tools: ['x'] }),
  };
  const first = await listAs(start({ servers }), 'claude-ai');
  expect(await listAs(start({ servers }), 'claude-ai')).toEqual(first);
});

test('separates with what --separator says', async () => {
  const session = start({ servers: { a: fixture({ tools: ['echo', 'b:c'] }) }, args: ['--separator', '__'] });
  expect(await listAs(session, 'story')).toEqual(['a__echo', 'a__b:c']);
  expect(await session.callText('a__echo')).toBe('fixture {}');
  expect(await session.callText('a__b:c')).toBe('fixture {}');
});

test('lets --separator win over what the client is known to take', async () => {
  const session = start({ servers: { a: fixture({ tools: ['echo'] }) }, args: ['--separator=.'] });
  expect(await listAs(session, 'claude-ai')).toEqual(['a.echo']);
});

test('announces a list that a server changed, and gives the new one', async () => {
  const session = await startReady({
    servers: { a: fixture({ tools: ['grow'] }), b: fixture({ tools: ['echo'] }) },
  });
  expect(await session.callText('a:grow')).toBe('grown');
  await session.notification('notifications/tools/list_changed');
  expect(await session.listNames()).toEqual(['a:grow', 'a:grown', 'b:echo']);
  expect(await session.callText('a:grown')).toBe('fixture {}');
});
