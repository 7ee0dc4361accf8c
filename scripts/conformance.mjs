/**
 * `npm run conformance`: the official suite on a stdio server, directly and behind the built command, scenario by
 * scenario, also with a server of the other era behind it. Fails when anything that passes directly does not pass
 * through. Judges no server.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startBridge } from '../test/conformance/bridge.mjs';
import { startStatelessBridge } from '../test/conformance/stateless-bridge.mjs';
import { nameNodePackage } from './find-node.mjs';
import { INSTALLED, install } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(root, 'dist', 'cli.cjs');
const SERVERS = join(root, 'test', 'conformance');
const KEY = 'c';
const LIMIT_MS = 180_000;
// The suite needs a newer Node.js than the aggregator does; npm has it as a package for each platform.
const SUITE_NODE = '22.23.3';
/** Each with the server that it is about, and the way to reach it. */
const LEGACY = { server: 'server.mjs', start: startBridge };
const MODERN = { server: 'modern-server.mjs', start: startStatelessBridge };
const NEWEST = '0.2.0-alpha.12';
const SUITES = [
  { version: '0.1.16', options: [], ...LEGACY },
  { version: NEWEST, options: ['--requirements', '2025-11-25'], ...LEGACY },
  { version: NEWEST, options: ['--requirements', '2026-07-28'], ...MODERN },
  // The same again, with a server of the other era behind the command.
  { version: NEWEST, options: ['--requirements', '2025-11-25'], ...LEGACY, behind: MODERN.server },
  { version: NEWEST, options: ['--requirements', '2026-07-28'], ...MODERN, behind: LEGACY.server },
];
/** What a server with a handshake cannot do: give its questions names, ask several in one message, know the claim. */
const ONLY_STATELESS = new Set([
  'sep-2322-elicitation-incomplete',
  'sep-2322-elicitation-complete',
  'sep-2322-ignore-unexpected-params',
  'sep-2322-multiple-inputs-incomplete',
  'sep-2322-multiple-inputs-complete',
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
]);
/** Tasks are an extension in the stateless era: none of a server with a handshake come out as such. */
const ABOUT_TASKS = /^tasks-/;
/** Scenarios about HTTP itself, which the bridge answers. */
const ABOUT_HTTP = /^(http-|server-sse-|dns-rebinding|server-session-lifecycle)/;
const PASSING = new Set(['SUCCESS', 'INFO', 'SKIPPED']);

function say(text = '') {
  process.stdout.write(`${text}\n`);
}

async function installSuite({ version }) {
  const node = nameNodePackage();
  const packages = [`@modelcontextprotocol/conformance@${version}`];
  const isNew = Number.parseInt(process.versions.node, 10) >= 22;
  const folder = await install(
    join(INSTALLED, `conformance-${version}`),
    isNew ? packages : [...packages, `${node}@${SUITE_NODE}`],
  );
  const modules = join(folder, 'node_modules');
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return {
    command: isNew ? process.execPath : join(modules, node, 'bin', file),
    script: join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
  };
}

/** Folders are named after the side, the scenario and the time; each holds the checks that were made. */
function readChecks(folder) {
  const checks = new Map();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const file = join(folder, name, 'checks.json');
    // One that the suite broke off has none.
    if (existsSync(file)) checks.set(scenario, JSON.parse(readFileSync(file, 'utf8')));
  }
  return checks;
}

const running = new Set();

/** Runs the suite once, to its end: what it did not reach could not be missed. */
async function runSuite({ suite, program, bridge, folder, onScenario }) {
  const args = [program.script, 'server', '--url', bridge.url, '--output-dir', folder, ...suite.options];
  const stdio = ['ignore', 'pipe', 'ignore'];
  const child = spawn(program.command, args, { stdio, timeout: LIMIT_MS, killSignal: 'SIGKILL' });
  running.add(child);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('=== Running scenario:')) onScenario();
  });
  const signal = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (_code, killedBy) => resolve(killedBy));
  });
  running.delete(child);
  if (signal !== null) throw new Error(`The suite was ended by ${signal} after ${LIMIT_MS / 1000} s at most`);
  return readChecks(folder);
}

function isPassed(checks) {
  return checks !== undefined && checks.every(({ status }) => PASSING.has(status));
}

/** Checks that pass directly and not through the aggregator, made there or not, and those that fail there only. */
function findLost(scenario, direct, through = [], { behind }) {
  const isFailed = ({ status }) => !PASSING.has(status);
  const lost = direct.filter((check) => {
    const same = through.filter(({ id }) => id === check.id);
    return !isFailed(check) && (same.length === 0 || same.some(isFailed));
  });
  const added = through.filter((check) => isFailed(check) && direct.every(({ id }) => id !== check.id));
  const isExpected = ({ id }) =>
    behind === LEGACY.server && (ABOUT_TASKS.test(scenario) || ONLY_STATELESS.has(id));
  return [...lost, ...added].filter((check) => !isExpected(check));
}

function describe(checks) {
  if (checks === undefined) return 'not run';
  const passed = checks.filter(({ status }) => PASSING.has(status)).length;
  return `${isPassed(checks) ? 'pass' : 'FAIL'} ${passed}/${checks.length}`;
}

/** Why a difference, if there is one, is not the aggregator's. */
function explain(scenario, checks, passed) {
  if (ABOUT_HTTP.test(scenario)) return '  (about HTTP itself)';
  return isPassed(checks) && !isPassed(passed) ? '  (not with a handshake)' : '';
}

function compare(direct, through, suite) {
  let lostCount = 0;
  const width = Math.max(...[...direct.keys()].map((name) => name.length));
  say(`  ${'scenario'.padEnd(width)}  directly    through`);
  for (const [scenario, checks] of direct) {
    const passed = through.get(scenario);
    const isMissing = passed === undefined && isPassed(checks);
    const lost = isMissing ? [{ id: 'all' }] : findLost(scenario, checks, passed, suite);
    lostCount += lost.length;
    const mark = lost.length > 0 ? '  <- lost' : explain(scenario, checks, passed);
    say(
      `  ${scenario.padEnd(width)}  ${describe(checks).padEnd(10)}  ${describe(passed).padEnd(8)}${mark}`.trimEnd(),
    );
    for (const { id } of lost) {
      const reason = passed?.find((check) => check.id === id)?.errorMessage ?? 'the check was not made';
      say(`    ${id}: ${reason}`);
    }
  }
  return lostCount;
}

function showProgress(suite) {
  let count = 0;
  return () => {
    count += 1;
    if (process.stderr.isTTY) process.stderr.write(`\r  ${suite.version}: ${count} scenarios started `);
  };
}

async function judge(suite, folder) {
  const { server: name, behind: nameBehind = name } = suite;
  say(
    `\nSuite ${suite.version} ${suite.options.join(' ')}: ${name} directly, ${nameBehind} behind the command`,
  );
  const program = await installSuite(suite);
  const config = join(folder, 'config.json');
  const launch = (file) => ({ command: process.execPath, args: [join(SERVERS, file)] });
  const server = launch(name);
  writeFileSync(config, JSON.stringify({ mcpServers: { [KEY]: launch(nameBehind) } }));
  const behind = { command: process.execPath, args: [CLI, '--config', config], prefix: `${KEY}:` };
  const bridges = await Promise.all([suite.start(server), suite.start(behind)]);
  const onScenario = showProgress(suite);
  try {
    const runs = bridges.map((bridge, index) =>
      runSuite({
        suite,
        program,
        bridge,
        folder: join(folder, `${suite.version}-${name}-${nameBehind}-${index}`),
        onScenario,
      }),
    );
    const [direct, through] = await Promise.all(runs);
    if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
    const passed = [...direct.values()].filter(isPassed).length;
    if (passed === 0) throw new Error('No scenario passes directly: the suite or its server did not run');
    const lost = compare(direct, through, suite);
    say(`  ${passed} of ${direct.size} scenarios pass directly; ${lost} checks lost through the aggregator`);
    return lost;
  } finally {
    await Promise.all(bridges.map((bridge) => bridge.close()));
  }
}

const folder = mkdtempSync(join(tmpdir(), 'mcp-simple-aggregator-conformance-'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // Servers end by themselves when their input ends with this process.
  process.once(signal, () => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });
}
try {
  if (!existsSync(CLI)) throw new Error('dist/cli.cjs does not exist: run "npm run build" first');
  let lost = 0;
  for (const suite of SUITES) lost += await judge(suite, folder);
  say(lost === 0 ? '\nNothing lost' : `\n${lost} checks lost`);
  if (lost > 0) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`\nThe conformance run failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
