/** The stdio server that the official suite expects, of the handshake era: on SDK 1.x, with tools that ask the client. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ASKING_PROMPTS, ASKING_TOOLS } from './asking.mjs';
import {
  call,
  capabilities,
  describePrompt,
  describeResource,
  describeTemplate,
  describeTool,
  getPrompt,
  PROMPTS,
  read,
  RESOURCES,
  text,
  TOOLS,
} from './offers.mjs';

const ANSWERS = {
  'sampling/createMessage': CreateMessageResultSchema,
  'elicitation/create': ElicitResultSchema,
  'roots/list': ListRootsResultSchema,
};

/** Asks round by round, and shows what it has heard. */
async function ask({ rounds }, { sendRequest }) {
  const heard = {};
  for (const round of rounds) {
    const asked = Object.entries(round).map(async ([name, request]) => {
      heard[name] = await sendRequest(request).catch((error) => error.message);
    });
    await Promise.all(asked);
  }
  return [text(JSON.stringify(heard))];
}

async function change(server, what) {
  await server[`send${what}ListChanged`]();
  return [text('Changed')];
}

async function log({ sendNotification }) {
  await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'Logged' } });
  return [text('Done')];
}

function find(table, kind, key) {
  if (Object.hasOwn(table, key)) return table[key];
  throw new McpError(ErrorCode.InvalidParams, `Unknown ${kind}: ${key}`);
}

function lend({ sendNotification, sendRequest, _meta }) {
  return { sendNotification, _meta, sendRequest: (request) => sendRequest(request, ANSWERS[request.method]) };
}

function readResource({ params: { uri } }) {
  const result = read(uri);
  if (result === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown resource: ${uri}`, { uri });
  return result;
}

const server = new Server({ name: 'conformance-server', version: '1.0.0' }, { capabilities });

/** With what the suite of the stateless era wants besides. */
const tools = {
  ...TOOLS,
  ...Object.fromEntries(
    Object.entries(ASKING_TOOLS).map(([name, asking]) => [name, { run: (extra) => ask(asking, extra) }]),
  ),
  test_logging_tool: { run: log },
  test_trigger_tool_change: { run: () => change(server, 'Tool') },
  test_trigger_prompt_change: { run: () => change(server, 'Prompt') },
};
const prompts = { ...PROMPTS, ...ASKING_PROMPTS };

const handlers = [
  [ListToolsRequestSchema, () => ({ tools: Object.entries(tools).map(describeTool) })],
  [
    CallToolRequestSchema,
    ({ params }, extra) => call(find(tools, 'tool', params.name), lend(extra), params.arguments),
  ],
  [ListResourcesRequestSchema, () => ({ resources: Object.entries(RESOURCES).map(describeResource) })],
  [ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [describeTemplate()] })],
  [ReadResourceRequestSchema, readResource],
  [SubscribeRequestSchema, () => ({})],
  [UnsubscribeRequestSchema, () => ({})],
  [ListPromptsRequestSchema, () => ({ prompts: Object.entries(prompts).map(describePrompt) })],
  [
    GetPromptRequestSchema,
    async ({ params }, extra) => {
      const prompt = find(prompts, 'prompt', params.name);
      const heard = prompt.rounds && (await ask(prompt, lend(extra)));
      return getPrompt(heard === undefined ? prompt : { write: () => heard }, params.arguments);
    },
  ],
  [
    CompleteRequestSchema,
    () => ({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } }),
  ],
  [SetLevelRequestSchema, () => ({})],
];

for (const [schema, handler] of handlers) server.setRequestHandler(schema, handler);
await server.connect(new StdioServerTransport());
