/** The built library as its users import it. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { within } from './support/deadline.ts';
import { fixture, SERVER } from './support/fixture.ts';
import { Inbox, type Message } from './support/inbox.ts';
import { Judge } from './support/judge.ts';
import { findMarked, killMarked, MARK } from './support/processes.ts';
import { makeFolder } from './support/session.ts';

const WAIT_MS = 60_000;
const BUILT = pathToFileURL(join(import.meta.dirname, '../dist/index.js')).href;

/** By address, so that the types can be checked before anything is built. */
const library = (await import(/* @vite-ignore */ BUILT)) as typeof import('../src/index.ts');

function markedEnvironment(): { mark: string; env: NodeJS.ProcessEnv } {
  const mark = randomUUID();
  onTestFinished(() => killMarked(mark));
  return { mark, env: { ...process.env, [MARK]: mark } };
}

function writeConfig(servers: object): string {
  const file = join(makeFolder(), 'config.json');
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

test('exports what it promises and nothing else', () => {
  expect(Object.keys(library).toSorted()).toEqual([
    'Aggregator',
    'ConfigError',
    'ConnectionError',
    'Log',
    'McpError',
    'NodeStdioMcpConnection',
    'loadConfig',
  ]);
});

test.each([process.platform, 'win32'] as const)(
  'a connection talks to a server, by the rules of %s',
  async (platform) => {
    const { mark, env } = markedEnvironment();
    const connection = new library.NodeStdioMcpConnection(process.execPath, [SERVER], { env, platform });
    expect(connection.isConnected).toBe(true);
    const { tools } = await connection.call<{ tools: { name: string }[] }>('tools/list');
    expect(tools.map(({ name }) => name)).toContain('echo');
    await expect(connection.call('no/such')).rejects.toBeInstanceOf(library.McpError);
    await connection.close();
    expect(connection.isConnected).toBe(false);
    await expect(connection.call('ping')).rejects.toBeInstanceOf(library.ConnectionError);
    expect(findMarked(mark)).toEqual([]);
  },
);

test('a config is read with its variables put in, and what is wrong with it is said', () => {
  const file = writeConfig({ a: { command: 'node', args: ['${WHERE}/x.js'] } });
  const { servers } = library.loadConfig(file, { WHERE: '/opt' });
  expect(servers).toMatchObject([{ key: 'a', command: 'node', args: ['/opt/x.js'] }]);
  expect(() => library.loadConfig(file, {})).toThrow(library.ConfigError);
  expect(() => library.loadConfig(file, {})).toThrow(/mcpServers\.a\.args\[0\].*"WHERE"/);
});

test('an aggregator serves a config over any stream', async () => {
  const { mark, env } = markedEnvironment();
  const config = library.loadConfig(
    writeConfig({ a: fixture({ name: 'a' }), b: fixture({ name: 'b' }) }),
    env,
  );
  const judge = new Judge();
  const [output, inbox, log]: [PassThrough, Inbox, string[]] = [new PassThrough(), new Inbox(judge), []];
  output.on('data', (chunk: Buffer) => inbox.receive(chunk));
  const aggregator = new library.Aggregator(config, {
    name: 'embedded',
    version: '1',
    log: new library.Log({ debug: false, write: (line) => log.push(line) }),
    output,
    env,
  });
  const exchange = async (id: number, method: string, params: object): Promise<Message> => {
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    judge.hear(line);
    aggregator.receive(line);
    const reply = inbox.take((message) => message.id === String(id));
    return within(WAIT_MS, reply, () => `${method}\n${log.join('\n')}`);
  };
  aggregator.start();
  const capabilities = {};
  const clientInfo = { name: 'test', version: '1' };
  const opened = await exchange(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo,
  });
  expect(opened.result).toMatchObject({ serverInfo: { name: 'embedded', version: '1' } });
  const { result } = await exchange(2, 'tools/list', {});
  const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['a:echo', 'b:echo']));
  const called = await exchange(3, 'tools/call', { name: 'b:echo', arguments: { x: 1 } });
  expect(called.result).toEqual({ content: [{ type: 'text', text: 'b {"x":1}' }] });
  await aggregator.close({ drain: true });
  expect(log).toEqual([]);
  expect(inbox.listImpurities()).toEqual([]);
  expect(findMarked(mark)).toEqual([]);
});
