/**
 * `npm run conformance`: the official suite on a stdio server, directly and behind the built command, scenario by
 * scenario. Fails when anything that passes directly does not pass through the aggregator. Judges no server.
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
];
/** Scenarios about HTTP itself, which the bridge answers. */
const ABOUT_HTTP = /^(server-sse-|dns-rebinding|server-session-lifecycle)/;
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

/** Runs the suite once; what it did not reach within the time limit is missing from the result. */
async function runSuite({ suite, program, bridge, folder, onScenario }) {
  const args = [program.script, 'server', '--url', bridge.url, '--output-dir', folder, ...suite.options];
  const stdio = ['ignore', 'pipe', 'ignore'];
  const child = spawn(program.command, args, { stdio, timeout: LIMIT_MS, killSignal: 'SIGKILL' });
  running.add(child);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('=== Running scenario:')) onScenario();
  });
  await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  running.delete(child);
  return readChecks(folder);
}

function isPassed(checks) {
  return checks !== undefined && checks.every(({ status }) => PASSING.has(status));
}

/** Checks that pass directly and not through the aggregator; a check that was never made counts as not passed. */
function findLost(direct, through) {
  return direct.filter(({ id, status }) => {
    const same = (through ?? []).filter((check) => check.id === id);
    return PASSING.has(status) && (same.length === 0 || same.some((check) => !PASSING.has(check.status)));
  });
}

function describe(checks) {
  if (checks === undefined) return 'not run';
  const passed = checks.filter(({ status }) => PASSING.has(status)).length;
  return `${isPassed(checks) ? 'pass' : 'FAIL'} ${passed}/${checks.length}`;
}

function compare(direct, through) {
  let lostCount = 0;
  const width = Math.max(...[...direct.keys()].map((name) => name.length));
  say(`  ${'scenario'.padEnd(width)}  directly    through`);
  for (const [scenario, checks] of direct) {
    const passed = through.get(scenario);
    const lost = passed === undefined && isPassed(checks) ? [{ id: 'all' }] : findLost(checks, passed);
    lostCount += lost.length;
    const mark = lost.length > 0 ? '  <- lost' : ABOUT_HTTP.test(scenario) ? '  (about HTTP itself)' : '';
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
  say(`\nSuite ${suite.version} ${suite.options.join(' ')}`);
  const program = await installSuite(suite);
  const config = join(folder, 'config.json');
  const server = { command: process.execPath, args: [join(SERVERS, suite.server)] };
  writeFileSync(config, JSON.stringify({ mcpServers: { [KEY]: server } }));
  const behind = { command: process.execPath, args: [CLI, '--config', config], prefix: `${KEY}:` };
  const bridges = await Promise.all([suite.start(server), suite.start(behind)]);
  const onScenario = showProgress(suite);
  try {
    const runs = bridges.map((bridge, index) =>
      runSuite({
        suite,
        program,
        bridge,
        folder: join(folder, `${suite.version}-${suite.server}-${index}`),
        onScenario,
      }),
    );
    const [direct, through] = await Promise.all(runs);
    if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
    const passed = [...direct.values()].filter(isPassed).length;
    if (passed === 0) throw new Error('No scenario passes directly: the suite or its server did not run');
    const lost = compare(direct, through);
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
