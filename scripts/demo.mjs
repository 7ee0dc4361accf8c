/** `npm run demo`: the built command on examples/mcp.json, seen through the official client. Leaves nothing behind. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = join(root, 'dist', 'cli.cjs');
const config = join('examples', 'mcp.json');
const DEADLINE_MS = 60_000;
const LAST_LINES = 15;
const STYLES = { bold: 1, dim: 2, green: 32, cyan: 36 };

// The real path, because the filesystem server compares real paths with what it was allowed.
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-simple-aggregator-demo-')));
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [command, '--config', config],
  cwd: root,
  env: { ...process.env, DEMO_DIR: directory },
  stderr: 'pipe',
});
const client = new Client({ name: 'demo', version: '1.0.0' });

let log = '';
transport.stderr.setEncoding('utf8');
transport.stderr.on('data', (text) => {
  log = (log + text).slice(-10_000);
});

function say(text = '') {
  process.stdout.write(`${text}\n`);
}

function style(name, text) {
  const wanted = process.stdout.isTTY && !process.env.NO_COLOR;
  return wanted ? `\u001B[${STYLES[name]}m${text}\u001B[0m` : text;
}

function wrap(words, indent, width = 100) {
  const lines = [''];
  for (const word of words) {
    if (lines.at(-1).length + word.length + 2 > width - indent.length) lines.push('');
    lines.push(`${lines.pop()}${word}  `);
  }
  return lines.map((line) => indent + line.trimEnd()).join('\n');
}

async function showTools() {
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  for (const key of Object.keys(JSON.parse(readFileSync(join(root, config), 'utf8')).mcpServers)) {
    const own = names.filter((name) => name.startsWith(`${key}:`));
    if (own.length === 0) throw new Error(`Server "${key}" offers no tools`);
    say(`\n${style('bold', key)}: ${own.length} tools`);
    say(wrap(own, '  '));
  }
}

/** Calls a tool, shows what was asked and answered, and insists on what the answer must contain. */
async function show(name, args, expected) {
  const started = performance.now();
  const { content, isError } = await client.callTool({ name, arguments: args });
  const time = (performance.now() - started).toFixed(1);
  const text = content.map((part) => part.text ?? `[${part.type}]`).join('\n');
  say(`\n${style('cyan', name)} ${JSON.stringify(args)} ${style('dim', `(${time} ms)`)}`);
  say(text.replace(/^/gm, '  '));
  if (isError || !text.includes(expected)) {
    throw new Error(`"${name}" should have answered with "${expected}"`);
  }
}

async function showCalls() {
  const file = join(directory, 'hello.txt');
  const greeting = 'Written by one server of many';
  await show('filesystem:write_file', { path: file, content: greeting }, 'Successfully wrote');
  await show('filesystem:read_text_file', { path: file }, greeting);
  if (readFileSync(file, 'utf8') !== greeting) throw new Error(`"${file}" does not hold what was written`);

  const ada = { name: 'Ada', entityType: 'person', observations: ['wrote the first program'] };
  await show('memory:create_entities', { entities: [ada] }, 'Ada');
  await show('memory:read_graph', {}, 'wrote the first program');

  await show('everything:echo', { message: 'Grüße, 世界' }, 'Grüße, 世界');
  await show('everything:get-sum', { a: 19, b: 23 }, '42');
}

async function demonstrate() {
  if (!existsSync(command)) throw new Error('dist/cli.cjs does not exist: run "npm run build" first');
  say(`Starting mcp-simple-aggregator on ${config}, with the servers it names …`);
  const started = performance.now();
  await client.connect(transport);
  const { name, version } = client.getServerVersion();
  say(
    `Connected to ${name} ${version} in ${Math.round(performance.now() - started)} ms; asking for the tools …`,
  );
  await showTools();
  say(`\n${style('bold', 'A few calls')}, each to the server its name begins with`);
  await showCalls();
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function cleanUp() {
  const { pid } = transport;
  await client.close();
  rmSync(directory, { recursive: true, force: true });
  if (pid !== null && isRunning(pid)) throw new Error(`The aggregator, process ${pid}, did not end`);
}

/** Rejects when the time is up or someone presses Ctrl-C, so that the clean-up below runs then too. */
function interrupted() {
  return new Promise((_resolve, reject) => {
    const limit = `The demo was not done after ${DEADLINE_MS / 1000} seconds`;
    setTimeout(() => reject(new Error(limit)), DEADLINE_MS).unref();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, () => reject(new Error(`Stopped by ${signal}`)));
    }
  });
}

try {
  await Promise.race([demonstrate(), interrupted()]);
  await cleanUp();
  say(
    `\n${style('green', 'Done')}: everything answered, the aggregator has ended, its temporary files are gone`,
  );
} catch (error) {
  await cleanUp().catch(() => {});
  const said = log.trimEnd().split('\n').slice(-LAST_LINES).join('\n  ');
  process.stderr.write(`\nThe demo failed: ${error.message}\n`);
  if (said !== '') process.stderr.write(`The last lines on the aggregator's stderr:\n  ${said}\n`);
  process.exitCode = 1;
}
