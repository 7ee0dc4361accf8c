/** The command line as a person types it: what is accepted, what is refused, and in which words. */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until, within } from '../support/deadline.ts';
import { fixture } from '../support/fixture.ts';
import { killMarked, MARK } from '../support/processes.ts';
import { run, runOnTerminal, SCRIPT } from '../support/run.ts';
import { CLI, makeFolder, start } from '../support/session.ts';

const packageFile = join(import.meta.dirname, '../../package.json');
const programVersion = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;

function writeEmptyConfig(): string {
  const file = join(makeFolder(), 'config.json');
  writeFileSync(file, '{"mcpServers":{}}');
  return file;
}

test.each<[string, (file: string) => string[]]>([
  ['--config FILE', (file) => ['--config', file]],
  ['--config=FILE', (file) => [`--config=${file}`]],
  ['the path alone', (file) => [file]],
  ['options before and after', (file) => ['--debug', '--config', file, '--separator', ':']],
])('serves a config given as %s', async (_, argv) => {
  const session = start({ servers: { a: fixture({ tools: ['echo'] }) }, argv });
  await session.initialize();
  expect(await session.listNames()).toEqual(['a:echo']);
  expect(await session.close()).toEqual({ code: 0, signal: null });
});

test.each(['--help', '-h'])('explains every option with %s', async (option) => {
  const { code, stdout, stderr } = await run([option]);
  expect(code).toBe(0);
  expect(stderr).toBe('');
  const options = ['--config', '--debug', '--log-file', '--name', '--version', '--separator', '--strict'];
  for (const name of [...options, '--isolate-env', '--help']) expect(stdout).toContain(name);
});

test('prints its own version when --version stands alone', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${programVersion}\n`, stderr: '' });
});

test('introduces itself by its own name and version', async () => {
  const { result } = await start({ servers: {} }).initialize();
  const serverInfo: unknown = expect.objectContaining({
    name: 'mcp-simple-aggregator',
    version: programVersion,
  });
  expect(result).toMatchObject({ serverInfo });
});

test('introduces itself by the name and version that it is given', async () => {
  const session = start({ servers: {}, args: ['--name', 'my "tools"', '--version', '9.8.7-x'] });
  const { result } = await session.initialize();
  expect(result).toMatchObject({ serverInfo: { name: 'my "tools"', version: '9.8.7-x' } });
});

test.each<[string, (file: string) => string[], RegExp]>([
  ['no arguments', () => [], /--config/],
  ['an unknown option', (file) => ['--config', file, '--colour'], /--colour.*--help/],
  ['an unknown short option', (file) => ['--config', file, '-x'], /-x/],
  ['--config without a path', () => ['--config'], /--config/],
  ['an empty path', () => ['--config='], /--config/],
  ['two paths', (file) => [file, 'another.json'], /another\.json/],
  ['an empty separator', (file) => ['--config', file, '--separator', ''], /--separator/],
  ['an empty separator after "="', (file) => ['--config', file, '--separator='], /--separator/],
  ['a blank separator', (file) => ['--config', file, '--separator', ' \t'], /--separator/],
  ['a value for a switch', (file) => ['--config', file, '--strict=yes'], /--strict/],
])('refuses %s in one sentence and with exit code 2', async (_, argv, words) => {
  const { code, stdout, stderr } = await run(argv(writeEmptyConfig()));
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('refuses a log file that cannot be opened', async () => {
  const { code, stderr } = await run([
    '--config',
    writeEmptyConfig(),
    '--log-file',
    '/nonexistent/folder/log',
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain('/nonexistent/folder/log');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.skipIf(process.platform === 'win32')(
  'refuses a log file that is a pipe, as /dev/stdout is: only messages belong there',
  async () => {
    const pipe = join(makeFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { code, stdout, stderr } = await run(['--config', writeEmptyConfig(), '--log-file', pipe]);
    expect(stderr).toContain(`"${pipe}" cannot be opened (it is a pipe)`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  },
);

test('writes the log to the file instead of stderr', async () => {
  const log = join(makeFolder(), 'log');
  const servers = { a: fixture({ stderr: 'hello from a\n' }), b: { command: '/nonexistent/server' } };
  const session = start({ servers, args: ['--debug', '--log-file', log] });
  await session.initialize();
  await session.listTools();
  await session.close();
  const written = readFileSync(log, 'utf8');
  expect(written).toContain('[a] hello from a\n');
  expect(written).toMatch(/^mcp-simple-aggregator: error: \[b\] /m);
  expect(session.stderr).toBe('');
});

test('says nothing on stderr when all goes well', async () => {
  const session = start({ servers: { a: fixture() } });
  await session.initialize();
  await session.callText('a:echo');
  await session.close();
  expect(session.stderr).toBe('');
});

test.skipIf(!existsSync(SCRIPT)).each([
  ['Ctrl-C', '\u0003', 130],
  ['Ctrl-D', '\u0004', 0],
])('says on a terminal what it is waiting for, and stops at %s', async (_, key, code) => {
  const { child, shown, exited } = runOnTerminal(['--config', writeEmptyConfig()]);
  const isTold = (): boolean => /MCP server.*client/is.test(shown()) && /Ctrl-?\+?C/i.test(shown());
  await until(20_000, isTold, shown);
  child.stdin.write(key);
  expect(await within(60_000, exited, shown)).toBe(code);
});

test('does not explain itself when a client is there', async () => {
  const { code, stderr } = await run(['--config', writeEmptyConfig()]);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/waiting|Ctrl/i);
});

test.each<[string, string[], 'stdout' | 'stderr', number]>([
  ['help', ['--help'], 'stdout', 0],
  ['a version', ['--version'], 'stdout', 0],
  ['a mistake', ['--nonsense'], 'stderr', 2],
  ['progress', ['check', 'CONFIG'], 'stderr', 0],
])('ends in order when nobody reads %s any more', async (_, args, stream, code) => {
  const file = join(makeFolder(), 'config.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { a: fixture() } }));
  const mark = randomUUID();
  onTestFinished(() => killMarked(mark));
  const argv = args.map((arg) => (arg === 'CONFIG' ? file : arg));
  const child = spawn(process.execPath, [CLI, ...argv], { env: { ...process.env, [MARK]: mark } });
  child[stream].destroy();
  let shown = '';
  const other = stream === 'stdout' ? child.stderr : child.stdout;
  other.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const closed = new Promise((resolve) => {
    child.on('close', resolve);
  });
  expect(await within(60_000, closed, () => shown)).toBe(code);
  expect(shown).not.toContain('EPIPE');
});
