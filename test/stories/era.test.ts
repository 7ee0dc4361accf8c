/** The handshake: answered at once for every version, and passed on to the servers as the client spoke it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { memberText } from '../support/raw.ts';
import { makeFolder, start, startReady } from '../support/session.ts';

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const NEWEST = '2025-11-25';

function readRecorded(record: string, method: string): string {
  const line = readFileSync(record, 'utf8')
    .split('\n')
    .find((one) => one.includes(`"${method}"`));
  if (line === undefined) throw new Error(`No ${method} in ${record}`);
  return line;
}

test.each(VERSIONS)('speaks %s to a client and to its servers', async (protocolVersion) => {
  const record = join(makeFolder(), 'record');
  const session = start({ servers: { a: fixture({ record, tools: ['echo'] }) } });
  const { result } = await session.initialize({ protocolVersion });
  expect(result).toMatchObject({ protocolVersion, capabilities: { tools: { listChanged: true } } });
  expect(await session.listNames()).toEqual(['a:echo']);
  const params = JSON.parse(memberText(readRecorded(record, 'initialize'), 'params') ?? '') as object;
  expect(params).toMatchObject({ protocolVersion });
  expect(readRecorded(record, 'notifications/initialized')).not.toContain('"id"');
});

test.each(['1999-01-01', '2099-01-01', 'nonsense'])(
  'offers its newest version to a client that asks for %s',
  async (protocolVersion) => {
    const session = start({ servers: { a: fixture({ tools: ['echo'] }) } });
    expect((await session.initialize({ protocolVersion })).result).toMatchObject({ protocolVersion: NEWEST });
    expect(await session.listNames()).toEqual(['a:echo']);
  },
);

test('opens the servers with the client’s own capabilities and name', async () => {
  const record = join(makeFolder(), 'record');
  const session = start({ servers: { a: fixture({ record }) } });
  const capabilities =
    '{"z":{"n":1.0},"roots":{"listChanged":true},"experimental":{"b":9007199254740993,"a":{}}}';
  const clientInfo = '{"version":"7","name":"a client","title":"\\u00c9","icons":[]}';
  const params = `{"capabilities":${capabilities},"protocolVersion":"2025-06-18","clientInfo":${clientInfo}}`;
  await session.exchange(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`, '1');
  session.notify('notifications/initialized');
  await session.listTools();
  const line = readRecorded(record, 'initialize');
  expect(memberText(line, 'params', 'capabilities')).toBe(capabilities);
  expect(memberText(line, 'params', 'clientInfo')).toBe(clientInfo);
  expect(memberText(line, 'params', 'protocolVersion')).toBe('"2025-06-18"');
});

test('answers the handshake while the servers are still starting', async () => {
  const session = start({ servers: { hung: fixture({ hang: 'initialize' }) } });
  expect((await session.initialize()).result).toMatchObject({ protocolVersion: NEWEST });
  expect((await session.request('ping')).result).toEqual({});
});

test('serves a server that speaks an older version than the client', async () => {
  const session = await startReady({ servers: { a: fixture({ version: '2024-11-05', tools: ['echo'] }) } });
  expect(await session.callText('a:echo')).toBe('fixture {}');
});

test('serves the handshake after a request of the stateless era that claims nothing', async () => {
  const session = start({ servers: { a: fixture({ tools: ['echo'] }) } });
  expect((await session.request('server/discover', {})).error?.code).toBe(-32602);
  await session.initialize();
  expect(await session.listNames()).toEqual(['a:echo']);
  expect((await session.request('server/discover', {})).error?.code).toBe(-32602);
});

test('answers a ping before the handshake, and refuses everything else', async () => {
  const session = start({ servers: { a: fixture({ tools: ['echo'] }) } });
  expect((await session.request('ping')).result).toEqual({});
  expect((await session.request('tools/list')).error?.code).toBe(-32602);
  expect((await session.call('a:echo')).error?.code).toBe(-32602);
  await session.initialize();
  expect(await session.callText('a:echo')).toBe('fixture {}');
});
