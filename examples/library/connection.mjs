/** One MCP server, spoken to directly. Run it in the folder of the project: node examples/library/connection.mjs */
import { McpError, NodeStdioMcpConnection } from 'mcp-simple-aggregator';

const script = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';

const connection = new NodeStdioMcpConnection('node', [script, 'stdio'], {
  timeoutMs: 10_000,
  // Without this, what the server says on stderr appears on ours.
  onStderr: () => {},
});

try {
  const { serverInfo } = await connection.call('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'example', version: '1.0.0' },
  });
  await connection.notify('notifications/initialized');
  console.log(`Connected to ${serverInfo.name}`);

  const { tools } = await connection.call('tools/list');
  console.log(`It has ${tools.length} tools`);

  const { content } = await connection.call('tools/call', {
    name: 'echo',
    arguments: { message: 'hello' },
  });
  console.log(content[0].text);

  await connection.call('no/such/method');
} catch (error) {
  // An error that the server answers with has a code; a server that is gone is a ConnectionError.
  if (!(error instanceof McpError)) throw error;
  console.log(`The server refused: ${error.message} (${error.code})`);
} finally {
  await connection.close();
}
