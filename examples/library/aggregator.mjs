/** The aggregator inside a program of your own. Run it in the folder of the project: node examples/library/aggregator.mjs */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Aggregator, loadConfig, Log } from 'mcp-simple-aggregator';

const folder = mkdtempSync(join(tmpdir(), 'example-'));
// The config refers to this variable; the environment is whatever you give it.
const config = loadConfig('examples/mcp.json', { ...process.env, DEMO_DIR: folder });

const output = new PassThrough();
const aggregator = new Aggregator(config, {
  name: 'example',
  version: '1.0.0',
  output,
  log: new Log({ debug: false, write: () => {}, secrets: config.secrets }),
  onServerFailed: (key) => console.error(`"${key}" did not start`),
});
output.on('drain', () => aggregator.drained());

// The client's side: one JSON-RPC message per line, in both directions.
const waiting = new Map();
createInterface({ input: output }).on('line', (line) => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message);
});

function send(message) {
  aggregator.receive(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`));
}

function request(id, method, params) {
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    send({ id, method, params });
  });
}

aggregator.start();
try {
  await request(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'example', version: '1.0.0' },
  });
  send({ method: 'notifications/initialized' });

  const { result: list } = await request(2, 'tools/list');
  const keys = new Set(list.tools.map(({ name }) => name.split(':')[0]));
  console.log(`Tools of ${[...keys].join(', ')}`);

  const { result } = await request(3, 'tools/call', {
    name: 'everything:get-sum',
    arguments: { a: 2, b: 3 },
  });
  console.log(result.content[0].text);
} finally {
  await aggregator.close({ drain: true });
  rmSync(folder, { recursive: true });
}
