/**
 * `npm run corpus [key …]`: every server of corpus/servers.json directly, behind the built command alone, and behind it
 * with all the others at once. Fails when anything but a name differs. Installs what is missing; needs npm for that.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseUses, compareLists, compareOutcomes, isRefusal, pickOwn, use } from '../corpus/compare.mjs';
import { LineClient } from '../corpus/line-client.mjs';
import { INSTALLED, install } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(root, 'dist', 'cli.cjs');
const SERVERS = join(root, 'corpus', 'servers.json');
const AT_ONCE = 2;
const STATES = { same: 'same', differs: 'DIFFERS', silent: 'does not start here', absent: 'not installed' };

function decide(reasons) {
  return reasons.length === 0 ? STATES.same : STATES.differs;
}

function say(text = '') {
  process.stdout.write(`${text}\n`);
}

/** A folder to work in with something to find, and a home where servers may leave what they like. */
function prepare() {
  // In lower case, because one server (mcp-obsidian) compares folders so.
  const name = `mcp-simple-aggregator-corpus-${randomBytes(4).toString('hex')}`;
  const base = join(realpathSync(tmpdir()), name);
  const place = { base, work: join(base, 'work'), home: join(base, 'home') };
  mkdirSync(place.work, { recursive: true });
  mkdirSync(place.home);
  writeFileSync(join(place.work, 'note.md'), '# A note\n\nGrüße, 世界\n');
  const entity = { type: 'entity', name: 'Ada', entityType: 'person', observations: ['Grüße'] };
  writeFileSync(join(place.work, 'memory.jsonl'), `${JSON.stringify(entity)}\n`);
  spawnSync('git', ['init', '--quiet', place.work]);
  return place;
}

function makeEnvironment({ home }) {
  const { PATH, LANG, USER } = process.env;
  return { PATH, LANG, USER, HOME: home };
}

/** The entry as it would stand in a config file. */
function makeEntry(server, folder, place) {
  const fill = (text) => text.replaceAll('<dir>', place.work);
  const locate = (arg) => (arg.startsWith('node_modules/') ? join(folder, arg) : fill(arg));
  const env = Object.entries(server.env ?? {}).map(([name, value]) => [name, fill(value)]);
  return {
    command: server.command,
    args: server.args.map(locate),
    env: Object.fromEntries(env),
    cwd: place.work,
  };
}

function fillCall({ call }, place) {
  return JSON.parse(JSON.stringify(call).replaceAll('<dir>', place.work));
}

const clients = new Set();

async function connect(program, work) {
  const client = new LineClient(program);
  clients.add(client);
  try {
    await client.initialize();
    return await work(client);
  } catch (error) {
    const last = client.stderr.trim().split('\n').at(-1);
    throw new Error(last === '' ? error.message : `${error.message}: ${last}`, { cause: error });
  } finally {
    await client.close();
    clients.delete(client);
  }
}

async function askDirectly(entry, call, place) {
  const env = { ...makeEnvironment(place), ...entry.env };
  return connect({ ...entry, env }, async (client) => {
    const lists = await client.listAll();
    const uses = chooseUses(lists, call);
    const outcomes = [];
    for (const each of uses) outcomes.push(await use(client, each));
    return { lists, uses, outcomes };
  });
}

function makeAggregator(entries, name, place) {
  const config = join(place.base, `${name}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  return {
    command: process.execPath,
    args: [CLI, '--config', config],
    env: makeEnvironment(place),
    cwd: place.work,
  };
}

function countAll(lists) {
  return Object.values(lists).reduce((sum, list) => sum + (list?.length ?? 0), 0);
}

async function askThrough(key, entry, { lists: wanted, uses }, place) {
  const program = makeAggregator([[key, entry]], key, place);
  return connect(program, async (client) => {
    // On a busy machine a server may come later than the aggregator lets its client wait for a list.
    const lists = await client.listAll((now) => countAll(now) >= countAll(wanted));
    const outcomes = [];
    for (const each of uses) outcomes.push(await use(client, each, `${key}:`));
    return { lists, outcomes };
  });
}

/** What a server answers differently each time cannot tell anything about the aggregator. */
function setAsideVolatile(direct, again, changing = []) {
  const steady = direct.uses.map(
    ({ params }, index) =>
      !changing.includes(params.name ?? params.uri) && direct.outcomes[index] === again.outcomes[index],
  );
  const keep = (list) => list.filter((_item, index) => steady[index]);
  const aside = direct.uses.filter((_use, index) => !steady[index]).map(({ method }) => method);
  return { lists: direct.lists, uses: keep(direct.uses), outcomes: keep(direct.outcomes), aside };
}

/** A server that does not start directly must not offer anything through the aggregator, which goes on without it. */
async function judgeFailure(key, entry, error, place) {
  const reasons = [`directly: ${error.message}`];
  try {
    const { lists } = await askThrough(key, entry, { lists: {}, uses: [] }, place);
    const items = Object.values(lists).flatMap((list) => list ?? []);
    if (items.length === 0) return { key, state: STATES.silent, reasons };
    return {
      key,
      state: STATES.differs,
      reasons: [...reasons, `through the aggregator: ${items.length} items`],
    };
  } catch (other) {
    return { key, state: STATES.differs, reasons: [...reasons, `through the aggregator: ${other.message}`] };
  }
}

async function judgeAlone(key, server, place) {
  let folder;
  try {
    folder = await install(join(INSTALLED, key), [server.package]);
  } catch (error) {
    return { key, state: STATES.absent, reasons: [error.message] };
  }
  const entry = makeEntry(server, folder, place);
  const call = fillCall(server, place);
  let direct;
  try {
    const first = await askDirectly(entry, call, place);
    direct = setAsideVolatile(first, await askDirectly(entry, call, place), server.changing);
  } catch (error) {
    return judgeFailure(key, entry, error, place);
  }
  try {
    const through = await askThrough(key, entry, direct, place);
    const reasons = [
      ...compareLists(direct.lists, through.lists, `${key}:`),
      ...compareOutcomes(direct.uses, direct.outcomes, through.outcomes),
    ];
    return { key, entry, direct, reasons, state: decide(reasons) };
  } catch (error) {
    return { key, state: STATES.differs, reasons: [`through the aggregator: ${error.message}`] };
  }
}

function count(list) {
  return list === undefined ? '-' : String(list.length);
}

function show({ key, state, direct, reasons }) {
  const { tools, prompts, resources, resourceTemplates } = direct?.lists ?? {};
  const counts = [tools, prompts, resources, resourceTemplates].map((list) => count(list).padStart(9));
  const uses = direct === undefined ? '-' : String(direct.uses.length);
  const refused = direct?.outcomes.filter(isRefusal).length ?? 0;
  const errors = refused === 0 ? '' : String(refused);
  const aside = direct?.aside.length > 0 ? ` (never the same twice: ${direct.aside.join(', ')})` : '';
  say(`${key.padEnd(34)}${counts.join('')}${uses.padStart(6)}${errors.padStart(8)}  ${state}${aside}`);
  for (const reason of reasons) say(`    ${reason}`);
}

/** Works through the servers a few at a time and shows each as soon as it is done. */
async function judgeEach(servers, place) {
  const verdicts = [];
  const queue = Object.entries(servers);
  async function work() {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const verdict = await judgeAlone(...next, place);
      verdicts.push(verdict);
      show(verdict);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return verdicts;
}

/** All servers behind one aggregator: what belongs to each must be the same as directly, and nothing may be left over. */
async function judgeTogether(able, place) {
  const program = makeAggregator(
    able.map(({ key, entry }) => [key, entry]),
    'together',
    place,
  );
  const wanted = able.reduce((sum, { direct }) => sum + countAll(direct.lists), 0);
  return connect(program, async (client) => {
    const lists = await client.listAll((now) => countAll(now) >= wanted);
    const reasons = [];
    for (const { key, direct } of able) {
      const own = pickOwn(lists, direct.lists, key);
      const found = compareLists(direct.lists, own, `${key}:`);
      const outcomes = [];
      for (const each of direct.uses) outcomes.push(await use(client, each, `${key}:`));
      found.push(...compareOutcomes(direct.uses, direct.outcomes, outcomes));
      reasons.push(...found.map((reason) => `${key}: ${reason}`));
    }
    const found = countAll(lists);
    if (found !== wanted) reasons.push(`${found} items in all lists, ${wanted} directly`);
    return { items: found, reasons, state: decide(reasons) };
  });
}

function chooseServers(keys) {
  const { servers } = JSON.parse(readFileSync(SERVERS, 'utf8'));
  const unknown = keys.filter((key) => !(key in servers));
  if (unknown.length > 0) throw new Error(`corpus/servers.json has no "${unknown.join('", "')}"`);
  const chosen = Object.entries(servers).filter(([key]) => keys.length === 0 || keys.includes(key));
  return Object.fromEntries(chosen);
}

const place = prepare();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    for (const client of clients) client.kill();
    rmSync(place.base, { recursive: true, force: true });
    process.exit(1);
  });
}
try {
  if (!existsSync(CLI)) throw new Error('dist/cli.cjs does not exist: run "npm run build" first');
  const servers = chooseServers(process.argv.slice(2));
  const started = performance.now();
  say(`${'server'.padEnd(34)}    tools  prompts resources templates  uses  errors`);
  const verdicts = await judgeEach(servers, place);
  const compared = verdicts.filter(({ direct }) => direct !== undefined);
  if (compared.length === 0) throw new Error('No server could be compared');
  const together = await judgeTogether(compared, place);
  say(
    `\nTogether: ${compared.length} servers, ${together.items} items behind one aggregator: ${together.state}`,
  );
  for (const reason of together.reasons) say(`    ${reason}`);
  const counts = new Map();
  for (const { state } of [...verdicts, together]) counts.set(state, (counts.get(state) ?? 0) + 1);
  const seconds = Math.round((performance.now() - started) / 1000);
  say(`\n${[...counts].map(([state, number]) => `${number} ${state}`).join(', ')}; ${seconds} s`);
  if (counts.has(STATES.differs) || counts.has(STATES.absent)) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`\nThe corpus run failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(place.base, { recursive: true, force: true });
}
