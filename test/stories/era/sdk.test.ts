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
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
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
  getPrompt(prompt: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  readResource(resource: { uri: string }): Promise<unknown>;
  complete(params: {
    ref: { type: 'ref/prompt'; name: string };
    argument: { name: string; value: string };
  }): Promise<unknown>;
  close(): Promise<void>;
}

interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number }) => void;
}

interface Connected {
  client: AnyClient;
  call: (name: string, options: CallOptions) => Promise<unknown>;
  /** From now on the client hears of a resource, and logs. */
  watch: (uri: string) => Promise<void>;
  /** Calls a tool so that its logs are heard. */
  callLoudly: (name: string) => Promise<unknown>;
  /** How often each kind of news has come. */
  news: { tools: number; resources: string[]; logs: unknown[] };
}

const INFO = { name: 'story', version: '1' };
const CAPABILITIES = { elicitation: { form: {} }, sampling: {} };
const THOUGHT = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Thought' } } as const;
const NAME = { action: 'accept', content: { name: 'Ann' } } as const;
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel';

type Launch = ConstructorParameters<typeof OldTransport>[0];

async function connectOld(launch: Launch): Promise<Connected> {
  const news: Connected['news'] = { tools: 0, resources: [], logs: [] };
  const client = new OldClient(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => NAME);
  client.setRequestHandler(CreateMessageRequestSchema, () => THOUGHT);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (news.tools += 1));
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void news.resources.push(params.uri),
  );
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void news.logs.push(params),
  );
  await client.connect(judged(new OldTransport(launch)));
  const watch = async (uri: string): Promise<void> => {
    await client.subscribeResource({ uri });
    await client.setLoggingLevel('info');
  };
  const call = (name: string, options: CallOptions): Promise<unknown> =>
    client.callTool({ name }, undefined, options);
  return { client, call, watch, callLoudly: (name) => client.callTool({ name }), news };
}

async function connectNew(launch: Launch, mode: 'legacy' | 'auto'): Promise<Connected> {
  const news: Connected['news'] = { tools: 0, resources: [], logs: [] };
  const client = new NewClient(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => NAME);
  client.setRequestHandler('sampling/createMessage', () => THOUGHT);
  client.setNotificationHandler('notifications/tools/list_changed', () => void (news.tools += 1));
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void news.resources.push(params.uri),
  );
  client.setNotificationHandler('notifications/message', ({ params }) => void news.logs.push(params));
  await client.connect(judged(new NewTransport(launch)));
  if (mode === 'auto') await client.listen({ toolsListChanged: true });
  const watch = async (uri: string): Promise<void> => {
    if (mode === 'auto') {
      await client.listen({ resourceSubscriptions: [uri] });
      return;
    }
    await client.subscribeResource({ uri });
    await client.setLoggingLevel('info');
  };
  const call = (name: string, options: CallOptions): Promise<unknown> => client.callTool({ name }, options);
  const _meta = mode === 'auto' ? { [LEVEL_KEY]: 'info' } : {};
  return { client, call, watch, callLoudly: (name) => client.callTool({ name, _meta }), news };
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
    const { client, call, watch, callLoudly, news } = await connect({
      command: process.execPath,
      args: [CLI, '--config', config],
      env,
      stderr: 'pipe',
    });
    onTestFinished(() => client.close());
    const read = async (name: string, args = {}): Promise<unknown> =>
      ((await client.callTool({ name, arguments: args })) as { content: unknown[] }).content[0];
    const hear = (isHeard: () => boolean, what: string): Promise<void> => until(60_000, isHeard, () => what);

    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.slice(0, 5)).toEqual(['s:add', 's:greet', 's:think', 's:work', 's:grow']);
    expect(await read('s:add', { a: 1, b: 2 })).toMatchObject({ text: '3' });
    expect(await client.callTool({ name: 's:fail' })).toMatchObject({
      isError: true,
      content: [{ text: 'Failed as wanted' }],
    });
    await expect(client.callTool({ name: 's:nothing' })).rejects.toMatchObject({ code: -32_602 });
    expect(await client.callTool({ name: 's:shape' })).toMatchObject({ structuredContent: { n: 1 } });
    expect(await read('s:big', { bytes: 4_000_000 })).toMatchObject({ text: 'é'.repeat(2_000_000) });

    expect(await read('s:greet')).toMatchObject({ text: 'Hello Ann' });
    expect(await read('s:think')).toMatchObject({ text: 'Thought' });
    const heard: number[] = [];
    const working = call('s:work', { onprogress: ({ progress }) => void heard.push(progress) });
    await hear(() => heard.length > 0, 'progress');
    await read('s:finish');
    await working;
    expect(heard).toEqual([1]);
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = call('s:wait', { signal, onprogress: () => controller.abort('enough') });
    await expect(waiting).rejects.toThrow('enough');
    expect(await read('s:ended')).toMatchObject({ text: '1' });

    expect(await client.getPrompt({ name: 's:hi', arguments: { who: 'Ann' } })).toMatchObject({
      messages: [{ content: { text: 'Hi' } }],
    });
    expect(
      await client.complete({
        ref: { type: 'ref/prompt', name: 's:hi' },
        argument: { name: 'who', value: '' },
      }),
    ).toMatchObject({ completion: { values: ['Ann', 'Bob'] } });
    expect(await client.readResource({ uri: 'x://one' })).toMatchObject({ contents: [{ text: 'One' }] });
    await expect(client.readResource({ uri: 'x://none' })).rejects.toMatchObject({ code: -32_602 });

    await watch('x://one');
    await read('s:touch');
    await hear(() => news.resources.includes('x://one'), 'the news that a resource has changed');
    expect(news.logs).toEqual([]);
    await callLoudly('s:talk');
    await hear(() => news.logs.length > 0, 'what the server logs');
    expect(news.logs).toMatchObject([{ level: 'warning', data: 'Heard', logger: 's' }]);
    await read('s:grow');
    await hear(() => news.tools > 0, 'the news that the list of tools has changed');
    expect(await read('s:grown')).toMatchObject({ text: 'grown' });
  });
});
