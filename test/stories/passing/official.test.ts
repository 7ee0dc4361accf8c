/** The official client and the server that shows everything: through the command it all happens as it does directly. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  McpError,
  type Notification,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/deadline.ts';
import { overhear } from '../../support/overhear.ts';
import { passing } from '../../support/passing.ts';
import { killMarked, MARK } from '../../support/processes.ts';
import { CLI } from '../../support/session.ts';

const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\b[\da-f]{32}\b/g;

interface Life {
  client: Client;
  notifications: Notification[];
  /** What this client calls a tool or a prompt of the server. */
  name: (name: string) => string;
}

const capabilities = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
};

function makeClient(): Client {
  const client = new Client(
    { name: 'story', version: '1' },
    { capabilities, taskStore: new InMemoryTaskStore() },
  );
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }, { taskStore }) => {
    const content = { type: 'text' as const, text: JSON.stringify(params.messages) };
    const result = { role: 'assistant' as const, model: 'm', content };
    if (params.task === undefined || taskStore === undefined) return result;
    const task = await taskStore.createTask({ ttl: 60_000 });
    await taskStore.storeTaskResult(task.taskId, 'completed', result);
    return { task };
  });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: params.message } },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///x', name: 'X' }] }));
  return client;
}

const mark = randomUUID();
const folder = mkdtempSync(join(tmpdir(), 'msa-'));
let direct: Life;
let through: Life;
const problems: string[] = [];

beforeAll(async () => {
  const config = join(folder, 'config.json');
  const everything = { command: 'node', args: [EVERYTHING, 'stdio'] };
  writeFileSync(config, JSON.stringify({ mcpServers: { other: passing(), everything } }));
  [direct, through] = await Promise.all([
    live([EVERYTHING, 'stdio'], ''),
    live([CLI, '--config', config], 'everything:'),
  ]);
});

afterAll(async () => {
  await Promise.all([direct, through].map(({ client }) => client.close()));
  killMarked(mark);
  rmSync(folder, { recursive: true, force: true });
  expect(problems).toEqual([]);
});

async function live(args: string[], prefix: string): Promise<Life> {
  const client = makeClient();
  const notifications: Notification[] = [];
  client.fallbackNotificationHandler = async (one): Promise<void> => void notifications.push(one);
  const { PATH = '', XDG_CACHE_HOME = '' } = process.env;
  const env = { PATH, XDG_CACHE_HOME, [MARK]: mark };
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
  await client.connect(overhear(transport, problems));
  return { client, notifications, name: (name) => prefix + name };
}

async function call(
  { client, name }: Life,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<unknown> {
  return client.callTool({ name: name(tool), arguments: args }).catch((error: unknown) => error);
}

async function hear({ notifications }: Life, method: string, count = 1): Promise<Notification[]> {
  const heard = (): Notification[] => notifications.filter((one) => one.method === method);
  await until(
    20_000,
    () => heard().length >= count,
    () => `${method} in ${JSON.stringify(notifications)}`,
  );
  return heard();
}

/** The states between depend on when they are asked for; the first and the end do not. */
async function runTask(life: Life, tool: string, args: Record<string, unknown>): Promise<unknown> {
  const { tasks } = life.client.experimental;
  await life.client.listTools();
  let created: unknown;
  for await (const one of tasks.callToolStream({ name: life.name(tool), arguments: args })) {
    if (one.type === 'taskCreated') created = (await tasks.getTask(one.task.taskId)).taskId;
    else if (one.type !== 'taskStatus') return { created, end: one };
  }
  return undefined;
}

const SCENES: Record<string, (life: Life) => Promise<unknown>> = {
  sampling: async (life) => call(life, 'trigger-sampling-request', { prompt: 'a:b', maxTokens: 7 }),
  'sampling as a task': async (life) => call(life, 'trigger-sampling-request-async', { prompt: 'x' }),
  'elicitation by form': async (life) => call(life, 'trigger-elicitation-request'),
  'elicitation by URL': async (life) =>
    call(life, 'trigger-url-elicitation', { url: 'https://example.com', elicitationId: 'e-1' }),
  'an error that asks for an elicitation': async (life) =>
    call(life, 'trigger-url-elicitation', { url: 'https://example.com', errorPath: true }),
  roots: async (life) => call(life, 'get-roots-list'),
  completion: async ({ client, name }) => {
    const ref = { type: 'ref/prompt' as const, name: name('completable-prompt') };
    const context = { arguments: { department: 'Sales' } };
    const uri = 'demo://resource/dynamic/text/{resourceId}';
    return [
      await client.complete({ ref, argument: { name: 'department', value: 'S' } }),
      await client.complete({ ref, argument: { name: 'name', value: '' }, context }),
      await client.complete({
        ref: { type: 'ref/resource', uri },
        argument: { name: 'resourceId', value: '7' },
      }),
    ];
  },
  prompts: async ({ client, name }) => {
    const { prompts } = await client.listPrompts();
    const args = { department: 'Sales', name: 'Eve' };
    const prompt = await client.getPrompt({ name: name('completable-prompt'), arguments: args });
    return [prompts.map((one) => ({ ...one, name: one.name.replace('everything:', '') })), prompt];
  },
  resources: async ({ client }) => {
    const { resources } = await client.listResources();
    const contents = [];
    for (const { uri } of resources) contents.push(await client.readResource({ uri }));
    return [resources, await client.listResourceTemplates(), contents];
  },
  'links to resources in no list': async (life) => {
    const result = (await call(life, 'get-resource-links', { count: 2 })) as { content: { uri?: string }[] };
    const uris = result.content.flatMap(({ uri }) => uri ?? []);
    for (const uri of uris) expect((await life.client.readResource({ uri })).contents[0]?.uri).toBe(uri);
    return result;
  },
  subscriptions: async (life) => {
    const uri = 'demo://resource/dynamic/text/1';
    const subscribed = await life.client.subscribeResource({ uri });
    await call(life, 'toggle-subscriber-updates');
    const [update] = await hear(life, 'notifications/resources/updated');
    return [subscribed, update, await life.client.unsubscribeResource({ uri })];
  },
  progress: async ({ client, name }) => {
    const progress: unknown[] = [];
    const params = { name: name('trigger-long-running-operation'), arguments: { duration: 1, steps: 4 } };
    const result = await client.callTool(params, undefined, { onprogress: (one) => progress.push(one) });
    // The last one may come in one chunk with the answer, and then this client forgets it.
    return [progress.slice(0, 3), result];
  },
  cancellation: async (life) => {
    const { client, name } = life;
    const params = {
      name: name('trigger-long-running-operation'),
      arguments: { duration: 1000, steps: 1000 },
    };
    const stop = new AbortController();
    const options = { signal: stop.signal, onprogress: (): void => stop.abort('enough') };
    const ended = await client.callTool(params, undefined, options).catch((error: unknown) => String(error));
    return [ended, await call(life, 'echo', { message: 'still there' })];
  },
  'a task': async (life) => runTask(life, 'simulate-research-query', { topic: 'x', ambiguous: true }),
};

/** As text, with what is different every time left out. */
const render = (value: unknown): string =>
  JSON.stringify(value, showError, 1)
    .replaceAll(UUID, '<id>')
    .replaceAll('everything:<id>', '<id>')
    .replaceAll(/\d\d\d\d-\d\d-\d\dT[\d:.]+Z/g, '<time>');

function showError(_: string, value: unknown): unknown {
  return value instanceof McpError ? { code: value.code, message: value.message, data: value.data } : value;
}

test.each(Object.entries(SCENES))('%s: as without the aggregator', async (_, play) => {
  const [expected, seen] = await Promise.all([play(direct), play(through)]);
  expect(expected).toBeDefined();
  expect(render(seen)).toBe(render(expected));
});

test('logging: the level goes down, and messages come up with the key', async () => {
  await through.client.setLoggingLevel('debug');
  await through.client.sendRootsListChanged();
  const heard = await hear(through, 'notifications/message');
  expect(heard.map(({ params }) => params)).toContainEqual({
    level: 'info',
    logger: 'everything:everything-server',
    data: 'Roots updated: 1 root(s) received from client',
  });
});
