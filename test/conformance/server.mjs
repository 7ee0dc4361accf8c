/** The stdio server that the official suite expects, of the handshake era: on SDK 1.x. */
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
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
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
  TOOLS,
} from './offers.mjs';

const ANSWERS = {
  'sampling/createMessage': CreateMessageResultSchema,
  'elicitation/create': ElicitResultSchema,
};

function find(table, kind, key) {
  if (Object.hasOwn(table, key)) return table[key];
  throw new McpError(ErrorCode.InvalidParams, `Unknown ${kind}: ${key}`);
}

function lend({ sendNotification, sendRequest, _meta }) {
  return { sendNotification, _meta, sendRequest: (request) => sendRequest(request, ANSWERS[request.method]) };
}

function readResource({ params: { uri } }) {
  const result = read(uri);
  if (result === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown resource: ${uri}`);
  return result;
}

const server = new Server({ name: 'conformance-server', version: '1.0.0' }, { capabilities });

const handlers = [
  [ListToolsRequestSchema, () => ({ tools: Object.entries(TOOLS).map(describeTool) })],
  [
    CallToolRequestSchema,
    ({ params }, extra) => call(find(TOOLS, 'tool', params.name), lend(extra), params.arguments),
  ],
  [ListResourcesRequestSchema, () => ({ resources: Object.entries(RESOURCES).map(describeResource) })],
  [ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [describeTemplate()] })],
  [ReadResourceRequestSchema, readResource],
  [SubscribeRequestSchema, () => ({})],
  [UnsubscribeRequestSchema, () => ({})],
  [ListPromptsRequestSchema, () => ({ prompts: Object.entries(PROMPTS).map(describePrompt) })],
  [GetPromptRequestSchema, ({ params }) => getPrompt(find(PROMPTS, 'prompt', params.name), params.arguments)],
  [
    CompleteRequestSchema,
    () => ({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } }),
  ],
  [SetLevelRequestSchema, () => ({})],
];

for (const [schema, handler] of handlers) server.setRequestHandler(schema, handler);
await server.connect(new StdioServerTransport());
