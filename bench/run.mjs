/** `npm run bench`: measures the built command beside its targets. Figures, not tests: only a broken run fails. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Bench } from './bench.mjs';
import { endAll } from './client.mjs';
import { keepEnvironment } from './environment.mjs';
import { findPeers } from './peers/peers.mjs';
import { publish } from './publish.mjs';
import { describeMachine, formatTable, summarizeAll, writeResults } from './report.mjs';
import { createTargets } from './targets.mjs';
import { workloads } from './workloads.mjs';

const HELP = `Usage: npm run bench -- [options]
  --quick          fewer rounds: a first look, not a figure to quote
  --only NAME      one workload; may be repeated (${workloads.map(({ name }) => name).join(', ')})
  --target NAME    leave out the other targets; may be repeated
  --peers          also measure other aggregators, installed from npm into bench/peers on first use (one compiles: minutes)
  --publish        write docs/benchmarks.md and docs/benchmarks.svg from a full run
  --keep-env       leave Node's and npm's variables as they are; NODE_EXTRA_CA_CERTS makes every start slower
  --command FILE   measure another build than dist/cli.cjs
  --profile DIR    write CPU profiles of the measured command into DIR
`;

function fail(message, code) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

function readOptions() {
  const flag = { type: 'boolean', default: false };
  const names = { type: 'string', multiple: true };
  const text = { type: 'string' };
  try {
    const flags = { quick: flag, peers: flag, publish: flag, help: flag, 'keep-env': flag };
    const options = { ...flags, only: names, target: names, command: text, profile: text };
    return parseArgs({ options }).values;
  } catch (error) {
    return fail(`${error.message}\n${HELP}`, 2);
  }
}

function choose(list, names, what) {
  const unknown = (names ?? []).filter((name) => !list.some((one) => one.name === name));
  if (unknown.length > 0) fail(`No ${what} is named "${unknown[0]}"\n${HELP}`, 2);
  return names === undefined ? list : list.filter(({ name }) => names.includes(name));
}

function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
  else process.stderr.write(`${text}\n`);
}

/** What is kept must not tell where this machine keeps its files. */
function withoutPaths(text) {
  return text.replaceAll(directory, '…').replaceAll(fileURLToPath(new URL('..', import.meta.url)), '');
}

const options = readOptions();
if (options['keep-env']) keepEnvironment();
if (options.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const narrowed = [options.quick, options.only, options.target, options.command, options.profile].some(
  Boolean,
);
if (options.publish && narrowed) {
  fail('Only a full run can be published: leave out --quick, --only, --target, --command and --profile', 2);
}

const built = fileURLToPath(new URL('../dist/cli.cjs', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'bench-'));
// A copy, so that a build in the meantime does not change what is being measured.
const command = options.command ?? join(directory, 'cli.cjs');
process.on('exit', () => {
  endAll();
  rmSync(directory, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // A measured aggregator ends its servers only if it is asked to, so it is asked before it is made to.
    endAll('SIGTERM');
    setTimeout(() => process.exit(130), 2500);
  });
}

const nodeArgs = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];
const peers = await findPeers({ wanted: options.peers, progress: showProgress });
for (const { name, reason } of peers.absent) process.stderr.write(`Left out: ${name}: ${reason}\n`);
const allTargets = [...createTargets({ command, nodeArgs }), ...peers.targets];
const targets = choose(allTargets, options.target, 'target');
const chosen = choose(workloads, options.only, 'workload');
if (options.command === undefined && existsSync(built))
  cpSync(dirname(built), dirname(command), { recursive: true });
if (targets.some(({ judged }) => judged) && !existsSync(command)) {
  fail(`"${options.command ?? built}" does not exist: run "npm run build" first`, 1);
}

/** Which of the workloads it is at. */
let position = '';
const bench = new Bench({
  targets,
  direct: allTargets.find(({ name }) => name === 'direct'),
  quick: options.quick,
  directory,
  progress: (text) => showProgress(position + text),
});
for (const [index, workload] of chosen.entries()) {
  position = `${index + 1}/${chosen.length} `;
  try {
    await workload.run(bench);
  } catch (error) {
    bench.failures.push({ target: 'the bench', what: workload.name, optional: false, reason: error.message });
  }
}
if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');

const broken = bench.failures.some(({ optional }) => !optional);
const complete = !narrowed && !broken;
const summaries = summarizeAll(bench.measures, targets);
const results = {
  date: new Date().toISOString(),
  quick: options.quick,
  complete,
  machine: describeMachine(),
  targets: targets.map(({ name, what, version }) => ({ name, what, version })),
  absent: peers.absent,
  measures: summaries,
  failures: bench.failures.map((failure) => ({ ...failure, reason: withoutPaths(failure.reason) })),
};
const kind = options.quick ? 'quick' : complete ? 'latest' : 'partial';
const file = join(fileURLToPath(new URL('results', import.meta.url)), `${kind}.json`);
writeResults(file, results);
const { node, platform, processor, cores } = results.machine;
process.stdout.write(`${formatTable(summaries)}\n
Medians over interleaved rounds; ratios are medians of each round's own ratio.
Node ${node}, ${platform}, ${cores} × ${processor}${options.quick ? '; quick run' : ''}
Also in ${relative(process.cwd(), file)}
`);
for (const { target, what, reason } of bench.failures)
  process.stderr.write(`${target} failed at ${what}: ${reason}\n`);
if (options.publish && complete) {
  process.stdout.write(`Written: ${publish(results).join(', ')}\n`);
}
process.exit(broken ? 1 : 0);
