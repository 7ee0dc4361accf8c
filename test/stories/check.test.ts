/** `check` as a person runs it: what works, what does not and why, for eyes and for machines. */
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until, within } from '../support/deadline.ts';
import { fixture } from '../support/fixture.ts';
import { findMarked, killMarked, MARK } from '../support/processes.ts';
import { makeProject } from '../support/project.ts';
import { type Outcome, run, type RunOptions, runOnTerminal, SCRIPT } from '../support/run.ts';
import { makeFolder, type ServerEntry } from '../support/session.ts';

const MODERN = join(import.meta.dirname, '../fixtures/modern.mjs');
const CANARY = 'canary-secret-19ab';

function writeConfig(servers: Record<string, ServerEntry>): string {
  const file = join(makeFolder(), 'config.json');
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

function check(
  servers: Record<string, ServerEntry>,
  args: string[] = [],
  options: RunOptions = {},
): Promise<Outcome> {
  return run(['check', '--config', writeConfig(servers), ...args], options);
}

/** A server that is nothing but a script. */
function script(code: string, entry: Partial<ServerEntry> = {}): ServerEntry {
  return { command: 'node', args: ['-e', code], ...entry };
}

interface Json {
  ok: boolean;
  servers: ({ key: string; state: string; failure?: { advice: string[] } } & Record<string, unknown>)[];
  warnings: string[];
  notes: string[];
}

async function checkJson(
  servers: Record<string, ServerEntry>,
  args: string[] = [],
): Promise<Json & { code: number | null }> {
  const { code, stdout } = await check(servers, ['--json', ...args]);
  return { ...(JSON.parse(stdout) as Json), code };
}

test('shows every server in a table and ends with code 0 when all is well', async () => {
  const servers = { one: fixture({ name: 'first', tools: ['echo', 'pid'] }), two: fixture({ tools: ['x'] }) };
  const { code, stdout, stderr } = await check(servers);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^KEY +STATE +SERVER +PROTOCOL +ERA +TOOLS/);
  expect(stdout).toMatch(/^one +ready +first 1 +2025-11-25 +handshake +2 .* s +(?:\d+ MB|–)$/m);
  expect(stdout).toMatch(/^two +ready +fixture 1 .* 1 /m);
  expect(stdout).toMatch(/^All is well: 2 of 2 servers ready, 3 tools/m);
  expect(stderr).toMatch(/^one: ready after \d/m);
  expect(stdout + stderr).not.toContain('\u001B');
});

test('leaves nothing running', async () => {
  const mark = randomUUID();
  onTestFinished(() => killMarked(mark));
  const servers = {
    a: fixture({ ignoreEof: true, ignoreSigterm: true }),
    b: fixture({ hang: 'initialize' }),
  };
  await check(servers, ['--startup-timeout', '1'], { env: { [MARK]: mark } });
  await until(
    5000,
    () => findMarked(mark).length === 0,
    () => JSON.stringify(findMarked(mark)),
  );
});

test('tells machines the same', async () => {
  const { code, ok, servers, warnings } = await checkJson({ a: fixture({ tools: ['echo'] }) }, ['--tools']);
  expect({ code, ok, warnings }).toEqual({ code: 0, ok: true, warnings: [] });
  expect(servers).toMatchObject([
    {
      key: 'a',
      state: 'ready',
      name: 'fixture',
      version: '1',
      era: 'handshake',
      protocolVersion: '2025-11-25',
      tools: 1,
      prompts: 0,
      resources: 0,
      toolList: [{ name: 'a:echo', description: '' }],
    },
  ]);
  expect(servers[0]?.['startupMs']).toBeGreaterThan(0);
  if (process.platform === 'linux') expect(servers[0]?.['memoryBytes']).toBeGreaterThan(1024 * 1024);
});

test('lists every tool with the first line of its description', async () => {
  const tool = JSON.stringify({ name: 'sum', description: 'Adds numbers\nand more', inputSchema: {} });
  const { stdout } = await check({ math: fixture({ tools: [tool] }) }, ['--tools']);
  expect(stdout).toMatch(/^math:sum {2}Adds numbers$/m);
});

test('checks one server only, and knows which key was meant', async () => {
  const servers = { github: fixture(), other: { command: '/nonexistent/server' } };
  expect((await checkJson(servers, ['--server', 'github'])).servers).toHaveLength(1);
  const { code, stderr } = await check(servers, ['--server', 'gihtub']);
  expect(code).toBe(2);
  expect(stderr).toContain('The config has no server "gihtub": did you mean "github"?');
});

test('knows a server that is there, but disabled', async () => {
  const servers = { one: fixture(), two: { ...fixture(), disabled: true } };
  const { code, stderr } = await check(servers, ['--server', 'two']);
  expect(code).toBe(2);
  expect(stderr).toContain('Server "two" is disabled in the config: remove its "disabled"');
});

test('says why a server failed, with its code and its last words, and goes on with the others', async () => {
  const servers = { good: fixture(), bad: fixture({ stderr: 'disk on fire\n', exit: 3 }) };
  const { code, stdout } = await check(servers);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^good +ready/m);
  expect(stdout).toMatch(/^bad +failed/m);
  expect(stdout).toContain('✗ bad: It exited with code 3 while it was starting\n  stderr | disk on fire\n');
  expect(stdout).toMatch(/^Not all is well: 1 of 2 servers ready/m);
});

test.each<[string, ServerEntry, RegExp]>([
  ['a command that is not there', { command: 'uvx', env: { PATH: '/nonexistent' } }, /Install uv/],
  [
    'a variable that is not set',
    script('console.error("Error: ACME_TOKEN is required"); process.exit(1)'),
    /variable "ACME_TOKEN": set it in "env" of "a"/,
  ],
  [
    'a server that speaks HTTP',
    script('console.log("Listening on http://localhost:3000"); setInterval(() => {}, 1e6)'),
    /seems to serve HTTP/,
  ],
  [
    'a server that talks on stdout',
    script('console.log("Welcome!"); process.exit(1)'),
    /stdout is for the protocol alone/,
  ],
  ['a file that is not there', { command: 'node', args: ['/nonexistent/index.js'] }, /file that it needs/],
  [
    'another Node.js',
    script('require("node:no-such-thing")'),
    /may need another Node\.js than this one \(v\d+/,
  ],
  [
    'a module of Python that is not there',
    script('console.error("/usr/bin/python3: No module named mcp_server_git"); process.exit(1)'),
    /A Python package is missing/,
  ],
  [
    'another Node.js, in the words of the server',
    script('console.error("Unsupported Node.js version: v20. Minimum: 22"); process.exit(1)'),
    /may need another Node\.js than this one \(v\d+/,
  ],
  [
    'a module that was built for another Node.js',
    script('console.error("This version of Node.js requires NODE_MODULE_VERSION 127"); process.exit(1)'),
    /^It may need another Node\.js/,
  ],
  [
    'an option that this Node.js does not know',
    { command: 'node', args: ['--no-such-option', 'x.js'] },
    /knows no option --no-such-option: remove it/,
  ],
  [
    'TypeScript that this Node.js does not read',
    script('throw new TypeError(`Unknown file extension ".ts" for /x/server.ts`)'),
    /reads no TypeScript: build the server/,
  ],
  [
    'a key without the name of its variable',
    script('console.error("missing API key"); process.exit(1)'),
    /misses a key or token: find the name of the variable/,
  ],
  [
    'a variable that Python does not find',
    script(`console.error("KeyError: 'NOTION_TOKEN'"); process.exit(1)`),
    /variable "NOTION_TOKEN": set it in "env" of "a"/,
  ],
  [
    'a variable that a schema asks for',
    script('console.error(JSON.stringify([{ path: ["ACME_URL"] }], undefined, 1)); process.exit(1)'),
    /variable "ACME_URL": set it in "env" of "a"/,
  ],
  [
    'a certificate that it does not trust',
    script('console.error("npm error code SELF_SIGNED_CERT_IN_CHAIN"); process.exit(1)'),
    /NODE_EXTRA_CA_CERTS/,
  ],
  [
    'something that it may not do',
    script('console.error("npm error code EACCES"); process.exit(1)'),
    /may not read, write or run/,
  ],
  [
    'a package without a program',
    script('console.error("npm error could not determine executable to run"); process.exit(1)'),
    /has no program of that name/,
  ],
  [
    'a file that it cannot open',
    script('require("fs").readFileSync("/nonexistent/settings.ini")'),
    /program or file that it needs is not there/,
  ],
  ['a program that ends by itself', script(''), /may not be an MCP server by itself/],
  ['a server that gives no lists', fixture({ hang: 'tools/list' }), /answers, but does not give its lists/],
  ['a silent program', fixture({ hang: 'initialize' }), /--startup-timeout/],
])('says what to do about %s', async (_, entry, advice) => {
  const { servers, code } = await checkJson({ a: entry }, ['--startup-timeout', '2']);
  expect(code).toBe(1);
  expect(servers[0]?.failure?.advice.join('\n')).toMatch(advice);
});

test('says what to do about npx without a network', async () => {
  const { env } = makeProject();
  const { stdout } = await check({ a: { command: 'npx', args: ['-y', 'no-such-package-at-all'] } }, [], {
    env,
  });
  expect(stdout).toMatch(/→ "npx" fetches the server from the network and could not/);
});

test('shows the directories that were searched for a command', async () => {
  const { stdout } = await check({ a: { command: 'no-such-command', env: { PATH: '/somewhere/bin' } } });
  expect(stdout).toContain(
    'Command "no-such-command" was not found in any directory of PATH (/somewhere/bin)',
  );
});

test('opens a server that knows only the stateless era', async () => {
  const entry = {
    command: 'node',
    args: [MODERN, JSON.stringify({ name: 'new', capabilities: { tools: {} }, tools: ['one'] })],
  };
  const { servers, warnings } = await checkJson({ a: entry });
  expect(servers).toMatchObject([
    { state: 'ready', name: 'new', version: '1', era: 'stateless', protocolVersion: '2026-07-28', tools: 1 },
  ]);
  expect(warnings).toEqual([]);
});

test('warns of what some clients refuse, and then all is not well', async () => {
  const long = 'a-tool-with-a-name-so-long-that-it-is-longer-than-sixty-four-characters';
  const servers = {
    a: fixture({ tools: [long, 'b_c', 'same'] }),
    'a:b': fixture({ tools: ['c', 'same'] }),
    loud: fixture({ tools: ['d'], banner: 'Hello!\n' }),
  };
  const { code, warnings, notes } = await checkJson(servers);
  expect(code).toBe(1);
  expect(warnings.join('\n')).toContain(`1 tool name over 64 characters`);
  expect(warnings.join('\n')).toContain('"a:b_c", "a:b:c" become the same name (a_b_c)');
  expect(warnings.join('\n')).toMatch(/loud: it printed 1 line on stdout/);
  expect(warnings.join('\n')).not.toContain('Claude Desktop');
  expect(notes.join('\n')).toContain('"a" and "a:b" both have "same"');
});

test('warns of names that collide, and of those that an explicit separator keeps from Claude Desktop', async () => {
  const servers = { a: fixture({ tools: ['b.c'] }), 'a.b': fixture({ tools: ['c'] }) };
  const { warnings } = await checkJson(servers, ['--separator', '.']);
  expect(warnings.join('\n')).toContain('"a.b.c" is spelled by two servers');
  expect(warnings.join('\n')).toContain('Claude Desktop refuses the whole list because of 1 name: "a.b.c"');
});

test('shows neither secrets nor escape sequences of a server', async () => {
  const entry = script(
    'console.error("\\u001b[31m" + process.env.TOKEN); console.log(process.env.TOKEN); process.exit(1)',
    { env: { TOKEN: CANARY } },
  );
  for (const args of [[], ['--json']]) {
    const { stdout, stderr } = await check({ a: entry }, args);
    expect(stdout).toContain('***');
    expect(stdout + stderr).not.toContain(CANARY);
    expect(stdout).not.toContain('\u001B');
  }
});

test('shows no escape sequence in a key or in the name of a tool, and tells machines the names as they are', async () => {
  const key = 'a\u001B[31mb\nc';
  const servers = {
    [key]: fixture({ tools: ['d\u001B[2Je'] }),
    'bad\u001B[1m': { command: '/nonexistent/x' },
  };
  const { stdout, stderr } = await check(servers, ['--tools']);
  expect(stdout).toMatch(/^ab c +ready /m);
  expect(stdout).toContain('\nab c:de\n');
  expect(stdout).toContain('\n✗ bad: Command');
  expect(stdout + stderr).not.toContain('\u001B');
  const [first] = (await checkJson(servers, ['--tools'])).servers;
  expect(first).toMatchObject({ key, toolList: [{ name: `${key}:d\u001B[2Je` }] });
});

test('refuses a config that is wrong, for machines too', async () => {
  const file = writeConfig({ a: { command: '' } });
  const { code, stdout, stderr } = await run(['check', file, '--json']);
  expect(code).toBe(2);
  expect(stderr).toContain('mcpServers.a.command: must not be empty: name the program');
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    config: file,
    servers: [],
    warnings: [],
    notes: [],
    code: 'invalid_schema',
    problems: ['mcpServers.a.command: must not be empty: name the program that starts the server'],
  });
});

test('runs no more servers at once than it may, and says which the aggregator would leave out', async () => {
  const record = join(makeFolder(), 'record');
  // The second reads nothing before the first has been asked for its list, and would hang if they ran in turn.
  const servers = { a: fixture({ record }), b: fixture({ after: record }), c: fixture() };
  const { code, warnings, servers: shown } = await checkJson(servers, ['--max-processes', '2']);
  expect(shown.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  expect(code).toBe(1);
  expect(warnings.join('\n')).toContain('3 servers, but at most 2 may run at once');
  expect((await checkJson(servers, ['--max-processes', '2', '--lazy'])).code).toBe(0);
});

test('shows why a program failed, and not where in its code', async () => {
  const { stdout } = await check({ a: script('require("node:no-such-thing")') });
  expect(stdout).toContain('No such built-in module');
  expect(stdout).not.toMatch(/stderr \| +at /);
});

test('has something to say about a config without servers', async () => {
  const { code, stdout } = await check({});
  expect(code).toBe(1);
  expect(stdout).toContain('has no servers that are not disabled');
});

test.skipIf(!existsSync(SCRIPT))('shows on a terminal what is starting, and stops at Ctrl-C', async () => {
  const file = writeConfig({ slow: fixture({ hang: 'initialize' }) });
  const { NO_COLOR: _, CI: __, ...env } = process.env;
  const { child, shown, exited, mark } = runOnTerminal(['check', file], { ...env, TERM: 'xterm' });
  const isDrawn = (): boolean => /slow {2}\d\.\d s/.test(shown()) && shown().includes('\u001B[0J');
  await until(20_000, isDrawn, shown);
  child.stdin.write('\u0003');
  expect(await within(60_000, exited, shown)).toBe(130);
  await until(
    5000,
    () => findMarked(mark).length === 0,
    () => JSON.stringify(findMarked(mark)),
  );
});
