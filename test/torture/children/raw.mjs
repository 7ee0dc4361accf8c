/** A server that gives back the very bytes it took, and says the very bytes it is told to say. Understands neither. */
import { readLines, send, write } from '../../fixtures/lines.mjs';

const LIST = ['take', 'give', 'say', 'count', 'echo'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}));
const text = (value) => JSON.stringify({ content: [{ type: 'text', text: value }] });

const behaviours = {
  take: (_, line) => text(Buffer.from(line).toString('base64')),
  /** A result with these bytes in it. */
  give: ({ bytes }, _, id) => {
    write(1, `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"v":`);
    write(1, Buffer.from(bytes, 'base64'));
    write(1, '}}\n');
  },
  /** Lines of its own before the answer. */
  say: ({ bytes }) => {
    write(1, Buffer.from(bytes, 'base64'));
    return text('said');
  },
  /** Numbered notifications of a size; blocks for as long as nobody reads them. */
  count: ({ size, bytes }) => {
    const fill = 'x'.repeat(bytes);
    for (let n = 0; n < size; n += 1)
      send(`{"jsonrpc":"2.0","method":"notifications/vendor/count","params":{"n":${n},"fill":"${fill}"}}`);
    return text('counted');
  },
  echo: (args) => text(JSON.stringify(args)),
};

const welcome = ({ protocolVersion }) =>
  JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } });

function reply({ method, params }, line, id) {
  if (method === 'initialize') return welcome(params);
  if (method === 'tools/list') return JSON.stringify({ tools: LIST });
  return method === 'tools/call' ? behaviours[params.name](params.arguments, line, id) : '{}';
}

readLines(
  (line) => {
    const message = JSON.parse(line);
    if (message.id === undefined || message.method === undefined) return;
    const id = JSON.stringify(message.id);
    const result = reply(message, line, id);
    if (result !== undefined) send(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  },
  () => process.exit(0),
);
