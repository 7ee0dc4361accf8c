/**
 * `npm run inspector`: the official Inspector lists and uses tools, prompts and resources of real servers in each era,
 * each directly and all through the built command. Fails when anything differs but a name, or what the other era wants
 * in every result. Says nothing about bytes.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { INSTALLED, install } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(root, 'dist', 'cli.cjs');
const VERSION = '2.12.0';
const LIMIT_MS = 60_000;
const AGGREGATOR = 'aggregator';
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';
const ERAS = ['legacy', 'auto', 'modern'];
/** The server that speaks both eras; the others have a handshake and cannot be reached directly without. */
const DUAL = 'dual';
/** It is offered to clients with roots; without a handshake, nobody could be asked for them when the server wants it. */
const ONLY_WITH_ROOTS = 'everything:get-roots-list';
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

function say(text = '') {
  process.stdout.write(`${text}\n`);
}

function makeServers(folder) {
  const { resolve } = createRequire(import.meta.url);
  const locate = (name) => resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  return {
    everything: { command: process.execPath, args: [locate('everything'), 'stdio'] },
    filesystem: { command: process.execPath, args: [locate('filesystem'), folder] },
    memory: {
      command: process.execPath,
      args: [locate('memory')],
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    },
    [DUAL]: { command: process.execPath, args: [join(root, 'test', 'fixtures', 'sdk-new.mjs')] },
  };
}

/** What is used of which server; a name stands behind the option that takes it. */
function listUses(folder) {
  const note = join(folder, 'note.md');
  return [
    ['everything', 'tools/call', '--tool-name', 'get-sum', '--tool-args-json', '{"a":19,"b":23}'],
    ['everything', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=Grüße, 世界'],
    ['filesystem', 'tools/call', '--tool-name', 'read_text_file', '--tool-arg', `path=${note}`],
    ['memory', 'tools/call', '--tool-name', 'read_graph'],
    ['everything', 'prompts/get', '--prompt-name', 'simple-prompt'],
    ['everything', 'prompts/get', '--prompt-name', 'args-prompt', '--prompt-args', 'city=Paris'],
    ['everything', 'resources/read', '--uri', 'demo://resource/static/document/features.md'],
    ['memory', 'resources/read', '--uri', 'memory://knowledge-graph'],
    [DUAL, 'tools/call', '--tool-name', 'add', '--tool-args-json', '{"a":19,"b":23}'],
    [DUAL, 'prompts/get', '--prompt-name', 'hi', '--prompt-args', 'who=Ann'],
    [DUAL, 'resources/read', '--uri', 'x://one'],
    ['everything', 'logging/setLevel', '--log-level', 'debug'],
  ];
}

const running = new Set();

async function inspect({ script, config, era }, server, method, options = []) {
  const spoken = server === DUAL || server === AGGREGATOR ? era : 'legacy';
  const args = [script, '--cli', '-q', '--format', 'json', '--config', config, '--server', server];
  args.push('--protocol-era', spoken);
  const stdio = ['ignore', 'pipe', 'pipe'];
  const child = spawn(process.execPath, [...args, '--method', method, ...options], {
    stdio,
    timeout: LIMIT_MS,
  });
  running.add(child);
  const said = { stdout: '', stderr: '' };
  for (const name of Object.keys(said)) {
    child[name].setEncoding('utf8');
    child[name].on('data', (text) => (said[name] += text));
  }
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  running.delete(child);
  if (code !== 0) throw new Error(`${method} on "${server}" ended with ${code}: ${said.stderr.trim()}`);
  return JSON.parse(said.stdout).result;
}

/** Without what every result has in one era and none in the other. */
function strip(result) {
  const {
    _meta: { [SERVER_KEY]: _signature, ...meta } = {},
    ttlMs: _ttl,
    cacheScope: _scope,
    ...rest
  } = result;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** What all servers list, with names as they are to be seen through the aggregator. */
async function listDirectly(inspector, keys, method) {
  const items = [];
  for (const key of keys) {
    // The Inspector refuses to ask a server for what it does not offer.
    const result = await inspect(inspector, key, method).catch(() => ({}));
    for (const item of Object.values(strip(result)).flat()) {
      const isPrefixed = method === 'tools/list' || method === 'prompts/list';
      const { execution, ...rest } = isPrefixed ? { ...item, name: `${key}:${item.name}` } : item;
      // The Inspector shows it of a server with a handshake only.
      items.push(execution === undefined || inspector.era !== 'legacy' ? rest : { ...rest, execution });
    }
  }
  return inspector.era === 'legacy' ? items : items.filter(({ name }) => name !== ONLY_WITH_ROOTS);
}

async function compareList(inspector, keys, method) {
  const [expected, result] = await Promise.all([
    listDirectly(inspector, keys, method),
    inspect(inspector, AGGREGATOR, method),
  ]);
  const found = Object.values(strip(result)).flat();
  const isSame = expected.length > 0 && isDeepStrictEqual(found, expected);
  say(`${method.padEnd(26)}${isSame ? `same, ${found.length} items` : 'DIFFERS'}`);
  if (!isSame) say(`  expected ${JSON.stringify(expected)}\n  found    ${JSON.stringify(found)}`);
  return isSame;
}

async function compareUse(inspector, [key, method, ...options]) {
  const named = options.map((option, index) =>
    /^--(tool|prompt)-name$/.test(options[index - 1]) ? `${key}:${option}` : option,
  );
  const [expected, found] = await Promise.all([
    inspect(inspector, key, method, options),
    inspect(inspector, AGGREGATOR, method, named),
  ]);
  // Nothing is added where the server and its client are of one era.
  const compared =
    key === DUAL || inspector.era === 'legacy' ? [found, expected] : [found, expected].map(strip);
  const isSame = isDeepStrictEqual(...compared);
  say(`${method.padEnd(26)}${isSame ? 'same' : 'DIFFERS'}  ${key} ${options[1]}`);
  if (!isSame) say(`  expected ${JSON.stringify(expected)}\n  found    ${JSON.stringify(found)}`);
  return isSame;
}

async function run(folder) {
  if (!existsSync(CLI)) throw new Error('dist/cli.cjs does not exist: run "npm run build" first');
  const installed = await install(join(INSTALLED, `inspector-${VERSION}`), [
    `@modelcontextprotocol/inspector@${VERSION}`,
  ]);
  const packageFolder = join(installed, 'node_modules', '@modelcontextprotocol', 'inspector');
  const script = join(packageFolder, 'clients', 'launcher', 'build', 'index.js');
  const servers = makeServers(folder);
  const aggregated = join(folder, 'aggregated.json');
  const config = join(folder, 'config.json');
  writeFileSync(join(folder, 'note.md'), '# A note\n\nGrüße, 世界\n');
  writeFileSync(aggregated, JSON.stringify({ mcpServers: servers }));
  const aggregator = { command: process.execPath, args: [CLI, '--config', aggregated] };
  writeFileSync(config, JSON.stringify({ mcpServers: { ...servers, [AGGREGATOR]: aggregator } }));
  say(
    `Inspector ${VERSION}, servers ${Object.keys(servers).join(', ')}: directly and through the aggregator`,
  );
  const verdicts = [];
  for (const era of ERAS) {
    say(`\n--protocol-era ${era}`);
    const inspector = { script, config, era };
    for (const method of LISTS) verdicts.push(await compareList(inspector, Object.keys(servers), method));
    // Without a handshake there is no level for all requests.
    const uses = listUses(folder).filter(([, method]) => era === 'legacy' || method !== 'logging/setLevel');
    for (const use of uses) verdicts.push(await compareUse(inspector, use));
  }
  const differing = verdicts.filter((isSame) => !isSame).length;
  say(`\n${verdicts.length - differing} same, ${differing} differ`);
  if (differing > 0) process.exitCode = 1;
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-simple-aggregator-inspector-')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    for (const child of running) child.kill();
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });
}
try {
  await run(folder);
} catch (error) {
  process.stderr.write(`\nThe Inspector run failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
