/** The official clients and the reference servers: through the command they see what they see directly. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../support/deadline.ts';
import { fixture } from '../support/fixture.ts';
import { judged } from '../support/overhear.ts';
import { findMarked, killMarked, MARK } from '../support/processes.ts';
import { CLI, makeFolder, type ServerEntry } from '../support/session.ts';

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** What both generations of the client have in common, as far as it is used here. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: Call): Promise<unknown>;
  close(): Promise<void>;
}

interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
  stderr: 'pipe';
}

const INFO = { name: 'story', version: '1' };

async function connectOld(launch: Launch): Promise<AnyClient> {
  const client = new OldClient(INFO);
  await client.connect(judged(new OldTransport(launch)));
  return client;
}

async function connectNew(launch: Launch, mode: 'legacy' | 'auto'): Promise<AnyClient> {
  const client = new NewClient(INFO, { versionNegotiation: { mode } });
  await client.connect(judged(new NewTransport(launch)));
  return client;
}

const same = (value: unknown): unknown => value;

/** Each with what of a result is to be compared. */
const generations: [string, (launch: Launch) => Promise<AnyClient>, (value: unknown) => unknown][] = [
  ['SDK 1.x', connectOld, same],
  ['SDK 2.x', (launch) => connectNew(launch, 'legacy'), same],
  ['SDK 2.x that asks for the era first', (launch) => connectNew(launch, 'auto'), forget],
];

function findProgram(name: string): string {
  const file = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(file), 'dist/index.js');
}

/** Reference servers whose files lie in a folder of the test. */
function makeServers(): { folder: string; servers: Record<string, ServerEntry> } {
  const folder = makeFolder();
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  writeFileSync(join(shared, 'note.txt'), 'Grüße\n');
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') };
  const servers = {
    everything: { command: 'node', args: [findProgram('server-everything'), 'stdio'] },
    filesystem: { command: 'node', args: [findProgram('server-filesystem'), shared] },
    memory: { command: 'node', args: [findProgram('server-memory')], env },
  };
  return { folder, servers };
}

function mark(): string {
  const value = randomUUID();
  onTestFinished(() => killMarked(value));
  return value;
}

function launchDirect(entry: ServerEntry, marked: string): Launch {
  const { PATH = '', XDG_CACHE_HOME = '' } = process.env;
  const env = { PATH, XDG_CACHE_HOME, [MARK]: marked, ...entry.env };
  return { command: process.execPath, args: entry.args ?? [], env, stderr: 'pipe' };
}

function launchAggregated(folder: string, servers: Record<string, ServerEntry>, marked: string): Launch {
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  return launchDirect({ command: 'node', args: [CLI, '--config', config] }, marked);
}

const makeCalls = (folder: string): Record<string, Call[]> => ({
  everything: [
    { name: 'echo', arguments: { message: 'hällo' } },
    { name: 'get-sum', arguments: { a: 2, b: 3 } },
    { name: 'get-tiny-image', arguments: {} },
    { name: 'get-structured-content', arguments: { location: 'New York' } },
    { name: 'echo', arguments: {} },
  ],
  filesystem: [
    { name: 'read_text_file', arguments: { path: join(folder, 'shared/note.txt') } },
    { name: 'list_directory', arguments: { path: join(folder, 'shared') } },
    { name: 'read_text_file', arguments: { path: '/nonexistent' } },
  ],
  memory: [
    {
      name: 'create_entities',
      arguments: { entities: [{ name: 'x', entityType: 'y', observations: ['z'] }] },
    },
    { name: 'read_graph', arguments: {} },
  ],
});

/** A failed call compares by what it failed with. */
async function attempt(client: AnyClient, call: Call): Promise<unknown> {
  try {
    return await client.callTool(call);
  } catch (error) {
    return String(error);
  }
}

/**
 * Without what SDK 2.x itself leaves out of tools in the stateless era, and without the signature that results have there:
 * directly it speaks the handshake era to these servers, through the command the stateless one.
 */
function forget(value: unknown): unknown {
  const text = JSON.stringify(value, (name, member: unknown) =>
    name === 'execution' || name === '_meta' ? undefined : member,
  );
  return JSON.parse(text) as unknown;
}

describe.each(generations)('%s', (_, connect, pick) => {
  test('sees the same tools and the same results as without the aggregator', async () => {
    const { folder, servers } = makeServers();
    const calls = makeCalls(folder);
    const marked = mark();
    const tools: unknown[] = [];
    const results: unknown[] = [];
    for (const [key, entry] of Object.entries(servers)) {
      const direct = await connect(launchDirect(entry, marked));
      for (const tool of (await direct.listTools()).tools)
        tools.push({ ...tool, name: `${key}:${tool.name}` });
      for (const call of calls[key] ?? []) results.push(await attempt(direct, call));
      await direct.close();
    }
    writeFileSync(join(folder, 'memory.json'), '');
    const through = await connect(launchAggregated(folder, servers, marked));
    expect(pick((await through.listTools()).tools)).toEqual(pick(tools));
    const seen: unknown[] = [];
    for (const [key, list] of Object.entries(calls)) {
      for (const call of list) seen.push(await attempt(through, { ...call, name: `${key}:${call.name}` }));
    }
    expect(pick(seen)).toEqual(pick(results));
    await through.close();
    await until(
      20_000,
      () => findMarked(marked).length === 0,
      () => JSON.stringify(findMarked(marked)),
    );
  });

  test('leaves nothing behind when it closes, however stubborn the servers are', async () => {
    const marked = mark();
    const servers = {
      a: fixture({ tools: ['echo'], ignoreEof: true, ignoreSigterm: true }),
      b: fixture({ tools: ['echo'] }),
    };
    const client = await connect(launchAggregated(makeFolder(), servers, marked));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a:echo', 'b:echo']);
    await client.close();
    await until(
      20_000,
      () => findMarked(marked).length === 0,
      () => JSON.stringify(findMarked(marked)),
    );
  });
});
