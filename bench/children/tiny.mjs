/** The cheapest honest MCP server of both eras: N tools, `echo`, and `big` results of a wanted size. Checks nothing it is sent. */
const toolCount = Number(process.argv[2] ?? 2);

const description =
  'Stands in for a tool of ordinary size: a sentence or two of description and a schema with two properties';
const schema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'What to say' },
    bytes: { type: 'integer', minimum: 0 },
  },
  required: ['text'],
  additionalProperties: false,
};
const tools = Array.from({ length: toolCount }, (_, index) => ({
  name: ['echo', 'big'][index] ?? `tool_${index + 1}`,
  description,
  inputSchema: schema,
}));

// The member order of the official servers: the result first, the id last.
const close = (id) => `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n`;
const listed = `{"result":${JSON.stringify({ tools })}`;
const PATTERN = 'The quick brown fox jumps over the lazy dog, 0123456789 times. ';
const bodies = new Map();

function bodyOf(bytes) {
  if (!bodies.has(bytes)) bodies.set(bytes, Buffer.alloc(bytes, PATTERN));
  return bodies.get(bytes);
}

function initialized({ id, params }) {
  const result = {
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'tiny', version: '1.0.0' },
  };
  process.stdout.write(`{"result":${JSON.stringify(result)}${close(id)}`);
}

function discovered({ id }) {
  const result = {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
  };
  process.stdout.write(`{"result":${JSON.stringify(result)}${close(id)}`);
}

function call({ id, params }) {
  if (params.name !== 'big') {
    const result = { content: [{ type: 'text', text: params.arguments.text }] };
    process.stdout.write(`{"result":${JSON.stringify(result)}${close(id)}`);
    return;
  }
  process.stdout.cork();
  process.stdout.write('{"result":{"content":[{"type":"text","text":"');
  process.stdout.write(bodyOf(params.arguments.bytes));
  process.stdout.write(`"}]}${close(id)}`);
  process.stdout.uncork();
}

function answer(message) {
  if (message.method === 'tools/call') call(message);
  else if (message.method === 'tools/list') process.stdout.write(listed + close(message.id));
  else if (message.method === 'initialize') initialized(message);
  else if (message.method === 'server/discover') discovered(message);
  else if (message.id !== undefined) process.stdout.write(`{"result":{}${close(message.id)}`);
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) if (line !== '') answer(JSON.parse(line));
});
