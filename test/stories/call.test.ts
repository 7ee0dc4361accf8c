/** `call` as a person runs it: one tool, its result as text, its questions on the terminal, its mistakes explained. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { within } from '../support/deadline.ts';
import { fixture } from '../support/fixture.ts';
import { killMarked, MARK } from '../support/processes.ts';
import { type Outcome, run } from '../support/run.ts';
import { CLI, makeFolder, type ServerEntry } from '../support/session.ts';

const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const EVERYTHING = { command: 'node', args: [everything, 'stdio'] };
const MODERN = join(import.meta.dirname, '../fixtures/modern.mjs');
const PIXEL = 'iVBORw0KGgo=';

function writeConfig(servers: Record<string, ServerEntry>): string {
  const file = join(makeFolder(), 'config.json');
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

function call(servers: Record<string, ServerEntry>, ...args: string[]): Promise<Outcome> {
  return run(['call', ...args, '--config', writeConfig(servers)]);
}

/** Calls with lines to read on stdin. */
async function answer(
  servers: Record<string, ServerEntry>,
  input: string,
  ...args: string[]
): Promise<Outcome> {
  const mark = randomUUID();
  onTestFinished(() => killMarked(mark));
  const { PATH, HOME } = process.env;
  const argv = [CLI, 'call', ...args, '--config', writeConfig(servers)];
  const child = spawn(process.execPath, argv, { env: { PATH, HOME, [MARK]: mark }, cwd: makeFolder() });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => {
    child.on('close', (code) => resolve(code));
  });
  const code = await within(60_000, closed, () => `${stdout}\n${stderr}`);
  return { code, stdout, stderr };
}

function tool(name: string, properties: object, required: string[] = []): string {
  return JSON.stringify({ name, inputSchema: { type: 'object', properties, required } });
}

test('prints the text that a tool gives', async () => {
  const { code, stdout, stderr } = await call({ a: fixture({ tools: ['echo'] }) }, 'a:echo');
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'fixture {}\n', stderr: '' });
});

test('takes the name in the form of strict clients, and keys with the separator in them', async () => {
  const servers = { a: fixture({ name: 'short' }), 'a:b': fixture({ name: 'long' }) };
  expect((await call(servers, 'a__echo')).stdout).toBe('short {}\n');
  expect((await call(servers, 'a:b:echo')).stdout).toBe('long {}\n');
  expect((await call(servers, 'a/echo', '--separator', '/')).stdout).toBe('short {}\n');
});

test('reads name=value as the schema of the tool says', async () => {
  const properties = {
    text: { type: 'string' },
    number: { type: 'number' },
    flag: { type: 'boolean' },
    list: { type: 'array', items: { type: 'string' } },
    object: { type: 'object' },
    any: {},
  };
  const servers = { a: fixture({ tools: [tool('echo', properties)] }) };
  const values = ['text=5', 'number=12345678901234567890', 'flag=true', 'list=x', 'list=y', 'any=null'];
  const { stdout } = await call(servers, 'a:echo', ...values, 'object={"k":1}', 'other=a b');
  expect(stdout).toBe(
    'fixture {"text":"5","number":12345678901234567000,"flag":true,"list":["x","y"],"any":null,"object":{"k":1},"other":"a b"}\n',
  );
});

test('sends --args and prints the result with --json as they are', async () => {
  const record = join(makeFolder(), 'record');
  const result = '{ "content": [], "big": 12345678901234567890, "1.0": 1.0 }';
  const servers = { a: fixture({ tools: ['x'], replies: { x: `"result":${result}` }, record }) };
  const { code, stdout } = await call(servers, 'a:x', '--args', '{ "n": 10000000000000000001 }', '--json');
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${result}\n` });
  expect(readFileSync(record, 'utf8')).toContain('"arguments":{ "n": 10000000000000000001 }');
});

test('saves images, shows links and resources, and structured content that the text does not repeat', async () => {
  const content = [
    { type: 'text', text: '{"a":1}' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'resource_link', uri: 'file:///x', name: 'x' },
    { type: 'resource', resource: { uri: 'file:///y', text: 'inside' } },
    { type: 'hologram', depth: 3 },
  ];
  const reply = (structuredContent: object): string =>
    `"result":${JSON.stringify({ content, structuredContent })}`;
  const replies = { one: reply({ a: 1 }), two: reply({ b: 2 }) };
  const servers = { a: fixture({ tools: ['one', 'two'], replies }) };
  const { stdout } = await call(servers, 'a:one');
  const [, path = ''] = /\[image: image\/png, 8 bytes, saved to (.*)\]/.exec(stdout) ?? [];
  expect(readFileSync(path).toString('base64')).toBe(PIXEL);
  rmSync(dirname(path), { recursive: true });
  expect(stdout).toContain('[link: x, file:///x]\n[resource: file:///y]\ninside\n');
  expect(stdout).toContain('"hologram"');
  expect(stdout.match(/"a": ?1/g)).toHaveLength(1);
  const second = await call(servers, 'a:two');
  const [, other = ''] = /saved to (.*)\]/.exec(second.stdout) ?? [];
  rmSync(dirname(other), { recursive: true });
  expect(second.stdout).toContain('"b": 2');
});

test('shows progress on stderr and keeps stdout for the result', async () => {
  const args = ['everything:trigger-long-running-operation', 'duration=0.2', 'steps=2'];
  const { code, stdout, stderr } = await call({ everything: EVERYTHING }, ...args);
  expect(code).toBe(0);
  expect(stderr).toBe('everything: 1 of 2\neverything: 2 of 2\n');
  expect(stdout).toMatch(/^Long running operation completed/);
});

test('asks what a server wants to know, again where the answer does not fit', async () => {
  const input = `\nAda\nmaybe\nyes\n${'\n'.repeat(20)}`;
  const { stdout, stderr } = await answer(
    { everything: EVERYTHING },
    input,
    'everything:trigger-elicitation-request',
  );
  expect(stderr).toContain('"everything" asks: ');
  expect(stderr).toContain('An answer is required');
  expect(stderr).toContain('Answer yes or no');
  expect(stderr).toContain('(number) [Superman]: ');
  expect(stderr).toContain('(numbers, as in 1,2) [Tuna]: ');
  expect(stdout).toContain('"action": "accept"');
  expect(stdout).toContain('"name": "Ada"');
  expect(stdout).toContain('"check": true');
});

test('cancels a question that nobody answers, and declines on request', async () => {
  const name = 'everything:trigger-elicitation-request';
  expect((await call({ everything: EVERYTHING }, name)).stdout).toContain('"action": "cancel"');
  expect((await answer({ everything: EVERYTHING }, '.\n', name)).stdout).toContain('"action": "decline"');
});

test('answers a server of the stateless era that needs input', async () => {
  const entry = { command: 'node', args: [MODERN, JSON.stringify({ capabilities: { tools: {} } })] };
  const who = { requestedSchema: { properties: { name: { type: 'string' } } }, message: 'Who?' };
  const rounds = [{ who: { method: 'elicitation/create', params: who } }];
  const { stdout, stderr } = await answer({ a: entry }, 'Ada\n', 'a:ask', `rounds=${JSON.stringify(rounds)}`);
  expect(stderr).toContain('"a" asks: Who?');
  expect(JSON.parse(stdout)).toMatchObject({
    requestState: '1',
    inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } },
    _meta: { progressToken: 'call', 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
  });
});

test('ends with code 1 when the tool reports an error, and says it on stderr', async () => {
  const reply = '"result":{"content":[{"type":"text","text":"no such city"}],"isError":true}';
  const { code, stdout, stderr } = await call({ a: fixture({ tools: ['x'], replies: { x: reply } }) }, 'a:x');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('✗ The tool reports an error\nno such city\n');
});

test('explains an error of the server, a crash, and a server that does not start', async () => {
  const refusal = '"error":{"code":-32000,"message":"out of tea"}';
  const servers = {
    a: fixture({ tools: ['x', 'crash'], replies: { x: refusal }, stderr: 'last words\n' }),
    b: fixture({ exit: 4, stderr: 'no disk\n' }),
  };
  const refused = await call(servers, 'a:x');
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: '✗ The server answered with error -32000: out of tea\n',
  });
  const crashed = await call(servers, 'a:crash', 'code=7');
  expect(crashed.code).toBe(1);
  expect(crashed.stderr).toBe('✗ The server exited with code 7\n  stderr | last words\n');
  const failed = await call(servers, 'b:x');
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('✗ b: It exited with code 4 while it was starting\n  stderr | no disk\n');
});

test('shows what a server adds to its error, and the page that it wants opened first', async () => {
  const data = { elicitations: [{ mode: 'url', url: 'https://example.com/login', message: 'Log in' }] };
  const open = `"error":${JSON.stringify({ code: -32042, message: 'Log in first', data })}`;
  const other = '"error":{"code":-32602,"message":"no","data":{"limit":3}}';
  const servers = { a: fixture({ tools: ['x', 'y'], replies: { x: open, y: other } }) };
  expect((await call(servers, 'a:x')).stderr).toContain(
    '\n  → Open https://example.com/login (Log in), and call again when done\n',
  );
  expect((await call(servers, 'a:y')).stderr).toContain('error -32602: no\n  data | {"limit":3}\n');
});

test('tells programs in JSON what went wrong', async () => {
  const refusal = '"error":{"code":-32000,"message":"out of tea","data":{"n":1}}';
  const servers = {
    a: fixture({ tools: ['x', 'crash'], replies: { x: refusal } }),
    b: fixture({ exit: 4 }),
  };
  const read = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await call(servers, ...args, '--json')).stdout);
  expect(await read('a:x')).toEqual({ error: { code: -32000, message: 'out of tea', data: { n: 1 } } });
  expect(await read('a:crash', 'code=7')).toEqual({ error: { message: 'The server exited with code 7' } });
  expect(await read('b:x')).toEqual({
    error: { message: 'b: It exited with code 4 while it was starting' },
  });
});

test.each<[string, string[], string]>([
  ['a server that is not there', ['githbu:echo'], 'has no server "githbu": did you mean "github"?'],
  ['a tool that is not there', ['github:ecko'], 'has no tool "github:ecko": did you mean "github:echo"?'],
  ['a tool like no other', ['github:frobnicate'], 'has no tool "github:frobnicate": it has\n  github:echo\n'],
  ['a server instead of a tool', ['github'], '"github" is a server: name one of its tools as KEY:TOOL'],
  ['a name without a server', ['echo'], '"echo" names no server: write it as KEY:TOOL, as in github:echo'],
  ['an argument that is missing', ['github:sum', 'a=1'], 'needs "b": give name=value; it takes\n  a  number'],
  ['an argument with a typo', ['github:sum', 'a=1', 'bb=1'], 'no argument "bb": did you mean "b"?'],
  ['a value that does not fit', ['github:sum', 'a=one', 'b=2'], 'Argument "a" takes a number: found "one"'],
  ['a value that is given twice', ['github:sum', 'a=1', 'a=1', 'b=2'], 'Argument "a" is given twice'],
  ['JSON that is none', ['github:sum', '--args', '{a:1}'], 'The value of "--args" is not valid JSON'],
  ['JSON that is no object', ['github:sum', '--args', '[1]'], 'must be a JSON object'],
])('explains %s and ends with code 2', async (_, args, words) => {
  const sum = tool('sum', { a: { type: 'number' }, b: { type: 'number', description: 'The second' } }, [
    'a',
    'b',
  ]);
  const { code, stdout, stderr } = await call({ github: fixture({ tools: ['echo', sum] }) }, ...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('shows the stderr of the server with --debug', async () => {
  const servers = { a: fixture({ tools: ['echo'], stderr: 'hello there\n' }) };
  const { stdout, stderr } = await call(servers, 'a:echo', '--debug');
  expect(stdout).toBe('fixture {}\n');
  expect(stderr).toContain('a stderr | hello there\n');
});
