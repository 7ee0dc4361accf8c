/** The official SDKs as clients and servers, in all combinations of eras: everything works as if there were one. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../support/deadline.ts';
import { judged } from '../../support/overhear.ts';
import { killMarked, MARK } from '../../support/processes.ts';
import { CLI, makeFolder } from '../../support/session.ts';

/** What all clients have in common, as far as it is used here. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  getPrompt(prompt: { name: string }): Promise<unknown>;
  readResource(resource: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

interface Connected {
  client: AnyClient;
  callWithProgress: (name: string) => Promise<number[]>;
  /** How often the list of tools was said to have changed. */
  changes: () => number;
}

const INFO = { name: 'story', version: '1' };
const CAPABILITIES = { elicitation: { form: {} }, sampling: {} };
const THOUGHT = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Thought' } } as const;
const NAME = { action: 'accept', content: { name: 'Ann' } } as const;

type Launch = ConstructorParameters<typeof OldTransport>[0];

async function connectOld(launch: Launch): Promise<Connected> {
  let changes = 0;
  const client = new OldClient(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => NAME);
  client.setRequestHandler(CreateMessageRequestSchema, () => THOUGHT);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
  await client.connect(judged(new OldTransport(launch)));
  const callWithProgress = async (name: string): Promise<number[]> => {
    const heard: number[] = [];
    await client.callTool({ name }, undefined, { onprogress: ({ progress }) => void heard.push(progress) });
    return heard;
  };
  return { client, callWithProgress, changes: () => changes };
}

async function connectNew(launch: Launch, mode: 'legacy' | 'auto'): Promise<Connected> {
  let changes = 0;
  const client = new NewClient(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => NAME);
  client.setRequestHandler('sampling/createMessage', () => THOUGHT);
  client.setNotificationHandler('notifications/tools/list_changed', () => void (changes += 1));
  await client.connect(judged(new NewTransport(launch)));
  if (mode === 'auto') await client.listen({ toolsListChanged: true });
  const callWithProgress = async (name: string): Promise<number[]> => {
    const heard: number[] = [];
    await client.callTool({ name }, { onprogress: ({ progress }) => void heard.push(progress) });
    return heard;
  };
  return { client, callWithProgress, changes: () => changes };
}

function describeServer(file: string, ...args: string[]): object {
  return { command: 'node', args: [join(import.meta.dirname, '../../fixtures', file), ...args] };
}

const clients: [string, (launch: Launch) => Promise<Connected>][] = [
  ['SDK 1.x', connectOld],
  ['SDK 2.x with a handshake', (launch) => connectNew(launch, 'legacy')],
  ['SDK 2.x without a handshake', (launch) => connectNew(launch, 'auto')],
];

const servers: [string, object][] = [
  ['SDK 1.x', describeServer('sdk-old.mjs')],
  ['SDK 2.x', describeServer('sdk-new.mjs')],
  ['SDK 2.x that refuses the handshake', describeServer('sdk-new.mjs', 'reject')],
];

describe.each(clients)('A client of %s', (_, connect) => {
  test.each(servers)('and a server of %s', async (__, server) => {
    const mark = randomUUID();
    onTestFinished(() => killMarked(mark));
    const config = join(makeFolder(), 'config.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { s: server } }));
    const env = { PATH: process.env['PATH'] ?? '', [MARK]: mark };
    const { client, callWithProgress, changes } = await connect({
      command: process.execPath,
      args: [CLI, '--config', config],
      env,
      stderr: 'pipe',
    });
    const read = async (name: string, args = {}): Promise<unknown> =>
      ((await client.callTool({ name, arguments: args })) as { content: unknown[] }).content[0];
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(['s:add', 's:greet', 's:think', 's:work', 's:grow']);
    expect(await read('s:add', { a: 1, b: 2 })).toMatchObject({ text: '3' });
    expect(await read('s:greet')).toMatchObject({ text: 'Hello Ann' });
    expect(await read('s:think')).toMatchObject({ text: 'Thought' });
    expect(await callWithProgress('s:work')).toEqual([1]);
    expect(await client.getPrompt({ name: 's:hi' })).toMatchObject({
      messages: [{ content: { text: 'Hi' } }],
    });
    expect(await client.readResource({ uri: 'x://one' })).toMatchObject({ contents: [{ text: 'One' }] });
    await read('s:grow');
    await until(
      10_000,
      () => changes() > 0,
      () => 'the news that the list of tools has changed',
    );
    expect(await read('s:grown')).toMatchObject({ text: 'grown' });
    await client.close();
  });
});
