/** The config file as a person writes it: every mistake told at once, no process started, no secret shown. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { type Outcome, run } from '../support/run.ts';
import { makeFolder, start, startReady } from '../support/session.ts';

const [LITERAL, EXPANDED] = ['canary-literal-5f1c', 'canary-expanded-77ab'];

/** Runs a config and gives, besides, whether the server named "good" in it was started. */
async function runConfig(text: string, args: string[] = []): Promise<Outcome & { wasStarted: boolean }> {
  const folder = makeFolder();
  const started = join(folder, 'started');
  const good = { command: 'node', args: ['-e', `fs.writeFileSync(${JSON.stringify(started)}, '')`] };
  const file = join(folder, 'config.json');
  writeFileSync(file, text.replace('GOOD', `"good":${JSON.stringify(good)}`));
  const outcome = await run(['--config', file, ...args], { env: { CANARY: EXPANDED } });
  return { ...outcome, wasStarted: existsSync(started) };
}

test('says that a config file is not there', async () => {
  const { code, stdout, stderr } = await run(['--config', '/nonexistent/folder/config.json']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('/nonexistent/folder/config.json');
  expect(stderr).toMatch(/not found|no such file|does not exist/i);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('says that a config file is a folder', async () => {
  const folder = makeFolder();
  const { code, stderr } = await run(['--config', folder]);
  expect(code).toBe(2);
  expect(stderr).toContain(folder);
  expect(stderr).toMatch(/directory|folder/i);
});

test('says that the folder it is looked up from is gone', async () => {
  const session = start({ before: 'mkdir x && cd x && rmdir ../x', argv: () => ['config.json'] });
  expect((await session.exit()).code).toBe(2);
  expect(session.stderr).toContain('"config.json" cannot be found: the current directory is gone');
});

test('shows line, column and text of a mistake in the JSON, without its secrets', async () => {
  const broken = `  "pg": { "command": "node", "env": { "TOKEN": "${LITERAL}" } },, GOOD`;
  const { code, stdout, stderr, wasStarted } = await runConfig(`{\n"mcpServers": {\n${broken}\n}}`);
  expect({ code, stdout, wasStarted }).toEqual({ code: 2, stdout: '', wasStarted: false });
  expect(stderr).toMatch(/line 3\b/i);
  expect(stderr).toMatch(new RegExp(`column ${broken.indexOf(',,') + 2}\\b`, 'i'));
  expect(stderr).toContain('TOKEN');
  expect(stderr).not.toContain(LITERAL);
});

test('tells every problem at once with its path before anything is started', async () => {
  const { code, stdout, stderr, wasStarted } = await runConfig(`{"mcpServers":{
    GOOD,
    "none": {},
    "list": [],
    "number": { "command": 5 },
    "args": { "command": "node", "args": ["x", { "token": "${LITERAL}" }] },
    "env": { "command": "node", "env": { "PORT": 8080, "TOKEN": ["${LITERAL}"] } },
    "remote": { "url": "https://example.com/${LITERAL}" },
    "my server": { "command": "node", "cwd": 1 },
    "unset": { "command": "node", "args": ["\${NO_SUCH_A}"], "env": { "URL": "x$NO_SUCH_B-\${CANARY}" } }
  }}`);
  expect({ code, stdout, wasStarted }).toEqual({ code: 2, stdout: '', wasStarted: false });
  const places = ['none.command', 'list', 'number.command', 'args.args[1]', 'env.env.PORT', 'env.env.TOKEN'];
  for (const place of [...places, 'remote', 'unset.args[0]', 'unset.env.URL']) {
    expect(stderr).toContain(`mcpServers.${place}`);
  }
  expect(stderr).toContain('mcpServers["my server"].cwd');
  expect(stderr).toContain('"disabled": true');
  expect(stderr).toContain('NO_SUCH_A');
  expect(stderr).toContain('NO_SUCH_B');
  expect(stderr).not.toContain('canary');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('reports a key that the file has twice', async () => {
  const entry = JSON.stringify(fixture());
  const { stderr } = await runConfig(`{"mcpServers":{"twin":${entry},"twin":${entry}}}`);
  expect(stderr).toContain('twin');
  expect(stderr).toMatch(/duplicate|twice|more than once/i);
});

test('takes any text as a key', async () => {
  const keys = [
    '__proto__',
    'constructor',
    'toString',
    'my server',
    'a/b.c',
    'ünï',
    '"quoted"',
    'b',
    '10',
    '2',
  ];
  const servers = keys.map((key) => [key, fixture({ name: key, tools: ['echo'] })] as [string, never]);
  const session = await startReady({ servers });
  expect(await session.listNames()).toEqual(keys.map((key) => `${key}:echo`));
  for (const key of keys) expect(await session.callText(`${key}:echo`)).toBe(`${key} {}`);
});

test('puts variables into command, args, env and cwd, once', async () => {
  const folder = makeFolder();
  const entry = fixture({ name: '${NAME}' });
  const env = {
    PLAIN: '$NAME',
    BRACED: '${NAME}!',
    DEFAULT: '${UNSET:-a b}',
    ESCAPED: '$$NAME $${NAME}',
    KEPT: '$5 $x $',
  };
  const servers = { a: { ...entry, command: '${PROGRAM}', cwd: '$FOLDER', env } };
  const values = { NAME: '$HOME', PROGRAM: process.execPath, FOLDER: folder };
  const session = await startReady({ servers, env: values });
  expect(await session.callText('a:echo')).toBe('$HOME {}');
  expect(await session.callText('a:cwd')).toBe(folder);
  const read = await session.callText('a:env', { names: Object.keys(env) });
  expect(JSON.parse(read)).toEqual(['$HOME', '$HOME!', 'a b', '$NAME ${NAME}', '$5 $x $']);
});

test('skips a disabled server and ignores fields that it does not know', async () => {
  const servers = {
    off: { url: 'https://example.com', command: '', disabled: true },
    on: fixture({ tools: ['echo'] }, { type: 'stdio', autoApprove: ['echo'], disabled: false }),
  };
  const session = await startReady({ servers, args: ['--debug'] });
  expect(await session.listNames()).toEqual(['on:echo']);
  expect(session.stderr).toMatch(/debug: .*autoApprove/);
});

test('serves an empty config', async () => {
  const session = await startReady({ servers: {} });
  expect(await session.listTools()).toEqual([]);
});

test.each<[string, (log: string) => string[]]>([
  ['by default', () => []],
  ['with --debug', () => ['--debug']],
  ['with --debug and a log file', (log) => ['--debug', '--log-file', log]],
])('shows no secret in any message %s', async (_, args) => {
  const log = join(makeFolder(), 'log');
  const env = { TOKEN: LITERAL, URL: 'https://user:${CANARY}@example.com' };
  const script = 'console.error(process.env.TOKEN, process.env.URL, process.argv[1]);';
  const servers = {
    works: fixture({ tools: ['echo', 'crash'] }, { env }),
    says: { command: 'node', args: ['-e', `${script} process.exit(4)`, '${CANARY}'], env },
    command: { command: '/nonexistent/${CANARY}/server', args: ['--token', LITERAL], env },
    folder: { command: 'node', args: ['--token', LITERAL], cwd: '/nonexistent/${CANARY}', env },
  };
  const session = start({ servers, args: args(log), env: { CANARY: EXPANDED } });
  await session.initialize();
  expect(await session.listNames()).toEqual(['works:echo', 'works:crash']);
  const { error } = await session.call('works:crash', { code: 3 });
  expect(error?.code).toBe(-32603);
  await session.close();
  const written = session.stderr + (existsSync(log) ? readFileSync(log, 'utf8') : '');
  for (const key of ['works', 'says', 'command', 'folder']) expect(written).toContain(`[${key}]`);
  expect(written).not.toContain(LITERAL);
  expect(written).not.toContain(EXPANDED);
  expect(error?.message).not.toContain('canary');
});
