/** An aggregator built the usual way on the official SDK 1.x (`sdk-aggregator.mjs CONFIG`). Serves tools only. */
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';

const info = { name: 'sdk-aggregator', version: '1.0.0' };

async function connect([key, { command, args, env }]) {
  const client = new Client(info);
  await client.connect(new StdioClientTransport({ command, args, env }));
  const { tools } = await client.listTools();
  return { key, client, tools };
}

const { mcpServers } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const connections = await Promise.all(Object.entries(mcpServers).map(connect));
const owners = new Map();
const tools = connections.flatMap(({ key, client, tools: own }) =>
  own.map((tool) => {
    const name = `${key}:${tool.name}`;
    owners.set(name, { client, name: tool.name });
    return { ...tool, name };
  }),
);

const server = new Server(info, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
  const owner = owners.get(params.name);
  if (owner === undefined) throw new McpError(ErrorCode.InvalidParams, `Tool not found: ${params.name}`);
  return owner.client.callTool({ name: owner.name, arguments: params.arguments }, undefined, { signal });
});

async function stop() {
  await Promise.all(connections.map(({ client }) => client.close()));
  process.exit(0);
}
process.stdin.once('end', stop);
process.once('SIGTERM', stop);
await server.connect(new StdioServerTransport());
