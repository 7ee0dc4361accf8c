/** The conversation with one server, over a process in memory where bytes matter and over real ones where processes do. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  ConnectionError,
  McpError,
  type McpConnectionOptions,
  NodeStdioMcpConnection,
} from '../../src/index.ts';
import type { Ending } from '../../src/process/ending.ts';
import type { Envelope, Malformed } from '../../src/wire/envelope.ts';
import { until, within } from '../support/deadline.ts';
import { FakeProcess, failingSpawn } from '../support/fake-process.ts';
import { type FixtureOptions, SERVER } from '../support/fixture.ts';
import type { Message } from '../support/inbox.ts';
import { findMarked, killMarked, MARK } from '../support/processes.ts';
import * as fc from '../support/properties.ts';
import { makeFolder } from '../support/session.ts';

const WAIT_MS = 60_000;

interface Pair {
  connection: NodeStdioMcpConnection;
  server: FakeProcess;
}

function connect(options: McpConnectionOptions = {}, server = new FakeProcess()): Pair {
  const connection = new NodeStdioMcpConnection('server', [], { spawn: server.spawn, ...options });
  onTestFinished(() => connection.close());
  return { connection, server };
}

/** What a promise is rejected with. */
async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = promise.then(
    (value) => new Error(`It succeeded with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  return (await within(WAIT_MS, outcome, () => 'a rejection')) as Error;
}

/** Takes the next lines of the server, as many as there are calls. */
async function nextLines(server: FakeProcess, count: number): Promise<Message[]> {
  const lines: Message[] = [];
  while (lines.length < count) lines.push(await server.next());
  return lines;
}

describe('starting the process', () => {
  test('hands command and arguments on as they are, with three pipes and without a shell', () => {
    const server = new FakeProcess();
    const args = ['--root', '/tmp/a b', '$(id)', ''];
    const env = { ONLY: 'this' };
    const connection = new NodeStdioMcpConnection('my server', args, {
      spawn: server.spawn,
      env,
      cwd: '/somewhere',
    });
    onTestFinished(() => connection.close());
    expect(server.started).toMatchObject({ file: 'my server', args, options: { env, cwd: '/somewhere' } });
    expect(server.started?.options.stdio).toEqual(['pipe', 'pipe', 'pipe']);
    expect(server.started?.options.shell ?? false).toBe(false);
    expect(connection.isConnected).toBe(true);
  });

  test('takes no arguments and the own environment when told nothing else', () => {
    const { server } = connect();
    expect(server.started).toMatchObject({ args: [], options: { env: process.env } });
  });

  test.each([
    ['that has pipes', true],
    ['without descriptors for pipes', false],
  ])('explains a spawn that fails a moment later, %s', async (_, hasPipes) => {
    const spawn = failingSpawn(hasPipes ? 'ENOENT' : 'EMFILE', { hasPipes });
    const onClose = vi.fn();
    const connection = new NodeStdioMcpConnection('no-such-server', [], { spawn, onClose });
    const first = await failureOf(connection.call('initialize'));
    expect(first).toBeInstanceOf(ConnectionError);
    expect(first.message).toMatch(/"initialize".*"no-such-server"/);
    expect(connection.isConnected).toBe(false);
    expect(onClose).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ cause: 'spawn' }));
    expect((await failureOf(connection.notify('x'))).message).toContain('"no-such-server"');
    await connection.close();
  });

  test('explains a spawn that throws at once', async () => {
    const spawn = (): never => {
      throw Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG' });
    };
    const connection = new NodeStdioMcpConnection('server', [], { spawn });
    expect(connection.isConnected).toBe(false);
    const calls = [connection.call('a'), connection.call('b')].map(failureOf);
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.message).toContain('Command "server" could not be started');
    }
    await connection.close();
  });

  test('explains a command that the shell of Windows did not find', async () => {
    const server = new FakeProcess();
    const connection = new NodeStdioMcpConnection('uvx', [], {
      spawn: server.spawn,
      platform: 'win32',
      env: { Path: 'C:\\Tools;C:\\Windows' },
    });
    const call = failureOf(connection.call('x'));
    // What cross-spawn makes of the exit of that shell.
    server.emit('error', Object.assign(new Error('spawn uvx ENOENT'), { code: 'ENOENT' }));
    const { message } = await call;
    expect(message).toContain('"uvx" was not found in any directory of PATH (C:\\Tools, C:\\Windows)');
    expect(connection.isConnected).toBe(false);
  });

  test('names the working directory that is not there', async () => {
    const connection = new NodeStdioMcpConnection(process.execPath, [], { cwd: '/no/such/folder' });
    const { message } = await failureOf(connection.call('x'));
    expect(message).toContain('The working directory "/no/such/folder" does not exist');
  });

  test('explains it in the words of whoever knows better', async () => {
    const explainSpawn = (error: NodeJS.ErrnoException): string => `Because of ${error.code}`;
    const spawn = failingSpawn('EPERM', { hasPipes: true });
    const connection = new NodeStdioMcpConnection('server', [], { spawn, explainSpawn });
    expect((await failureOf(connection.call('x'))).message).toContain('Because of EPERM');
  });
});

describe('requests and answers', () => {
  test('sends one JSON-RPC 2.0 line and gives the result', async () => {
    const { connection, server } = connect();
    const answer = connection.call<{ sum: number }>('add', { a: 1, text: 'line\nbreak ü' });
    const sent = await server.next();
    expect(JSON.parse(sent.raw)).toEqual({
      jsonrpc: '2.0',
      id: JSON.parse(sent.id ?? ''),
      method: 'add',
      params: { a: 1, text: 'line\nbreak ü' },
    });
    server.answer(sent, '"result":{"sum":3}');
    expect(await answer).toEqual({ sum: 3 });
    expect(server.inbox.listImpurities()).toEqual([]);
  });

  test('leaves params out when there are none', async () => {
    const { connection, server } = connect();
    const answer = connection.call('ping');
    const sent = await server.next();
    expect(Object.keys(JSON.parse(sent.raw) as object)).toEqual(['jsonrpc', 'id', 'method']);
    server.answer(sent, '"result":{}');
    await answer;
  });

  test.each(['null', 'false', '0', '""', '[]', '{"a":[1.5,"ü"]}'])('gives the result %s', async (result) => {
    const { connection, server } = connect();
    const answer = connection.call('x');
    server.answer(await server.next(), `"result":${result}`);
    expect(await answer).toEqual(JSON.parse(result));
  });

  test('gives every call its own answer, in whatever order and chunks they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }).chain((count) => {
          const indices = Array.from({ length: count }, (_, index) => index);
          return fc.shuffledSubarray(indices, { minLength: count });
        }),
        fc.integer({ min: 1, max: 50 }),
        async (order, size) => {
          const server = new FakeProcess();
          const connection = new NodeStdioMcpConnection('server', [], { spawn: server.spawn });
          const calls = order.map((_, index) => connection.call('echo', { index }));
          const lines = await nextLines(server, order.length);
          expect(new Set(lines.map(({ id }) => id)).size).toBe(order.length);
          const answers = order.map((index) => {
            const { id, raw } = lines[index] as Message;
            const { params } = JSON.parse(raw) as { params: object };
            return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify({ ...params, text: 'ü€😀' })}}\n`;
          });
          const bytes = Buffer.from(answers.join(''));
          for (let at = 0; at < bytes.length; at += size) server.stdout.write(bytes.subarray(at, at + size));
          expect(await Promise.all(calls)).toEqual(order.map((_, index) => ({ index, text: 'ü€😀' })));
          await connection.close();
        },
      ),
      { numRuns: 30 },
    );
  });

  test('turns an error answer into an error with its code, message and data', async () => {
    const { connection, server } = connect();
    const answer = failureOf(connection.call('x'));
    server.answer(
      await server.next(),
      '"error":{"code":-32602,"message":"No such thing","data":{"name":"x"}}',
    );
    const error = await answer;
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ name: 'McpError', message: 'No such thing', code: -32_602 });
    expect((error as McpError).data).toEqual({ name: 'x' });
    expect(connection.isConnected).toBe(true);
  });

  test.each([
    '"error":"boom"',
    '"error":null',
    '"error":{}',
    '"error":[1]',
    `"error":{"code":1,"message":"${'x'.repeat(5000)}\u0001"}`,
  ])('rejects the call when the error is not a proper one either (%.20s…)', async (member) => {
    const { connection, server } = connect();
    const answer = failureOf(connection.call('x'));
    server.answer(await server.next(), member);
    expect(await answer).toBeInstanceOf(McpError);
    const next = connection.call('y');
    server.answer(await server.next(), '"result":1');
    expect(await next).toBe(1);
  });

  test('counts only the first answer, and none that nobody asked for', async () => {
    const others: Envelope[] = [];
    const { connection, server } = connect({ onMessage: (message) => others.push(message) });
    const answer = connection.call('x');
    const sent = await server.next();
    server.say('{"jsonrpc":"2.0","id":"stranger","result":"forged"}', '{"jsonrpc":"2.0","id":1,"result":2}');
    server.answer(sent, '"result":"first"');
    server.answer(sent, '"result":"second"');
    expect(await answer).toBe('first');
    await until(
      WAIT_MS,
      () => others.length === 3,
      () => `${others.length} others`,
    );
  });

  test('rejects params that are not JSON without sending anything', async () => {
    const { connection, server } = connect();
    expect(await failureOf(connection.call('x', { big: 1n }))).toBeInstanceOf(TypeError);
    await connection.notify('after');
    expect((await server.next()).method).toBe('after');
  });
});

describe('notifications', () => {
  test('go out without an id, and nobody waits for an answer', async () => {
    const { connection, server } = connect();
    await connection.notify('notifications/initialized');
    await connection.notify('notifications/progress', { progressToken: 1, progress: 0.5 });
    const [first, second] = await nextLines(server, 2);
    expect(JSON.parse(first?.raw ?? '')).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(JSON.parse(second?.raw ?? '')).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 0.5 },
    });
  });

  test('of the server are handed on in their order', async () => {
    const methods: (string | undefined)[] = [];
    const { connection, server } = connect({ onMessage: ({ method }) => methods.push(method) });
    const answer = connection.call('x');
    const sent = await server.next();
    server.say('{"jsonrpc":"2.0","method":"one"}', '{"jsonrpc":"2.0","method":"two","params":{}}');
    server.answer(sent, '"result":{}');
    await answer;
    expect(methods).toEqual(['one', 'two']);
  });
});

describe('requests of the server', () => {
  test.each(['7', '"seven"', '1.0', '12345678901234567890'])('answers a ping with the id %s', async (id) => {
    const { server } = connect();
    server.say(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect((await server.next()).raw).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  });

  test('refuses every other with "Method not found"', async () => {
    const { server } = connect();
    server.say('{"jsonrpc":"2.0","id":1,"method":"roots/list"}');
    const { id, error } = await server.next();
    expect(id).toBe('1');
    expect(error).toEqual({ code: -32_601, message: 'Method not found: roots/list' });
  });

  test('leaves them to whoever listens', async () => {
    const asked: Envelope[] = [];
    const { connection, server } = connect({ onMessage: (message) => asked.push(message) });
    server.say('{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":2,"method":"roots/list"}');
    await until(
      WAIT_MS,
      () => asked.length === 2,
      () => 'two requests',
    );
    await connection.notify('still');
    expect((await server.next()).method).toBe('still');
  });
});

describe('the stream', () => {
  test('is understood byte by byte, with characters cut in two', async () => {
    const { connection, server } = connect();
    const answer = connection.call('x');
    const { id } = await server.next();
    for (const byte of Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"ü😀"}\n`))
      server.stdout.write(Buffer.from([byte]));
    expect(await answer).toBe('ü😀');
  });

  test('may have several messages in one chunk, blank lines, and Windows line ends', async () => {
    const { connection, server } = connect();
    const calls = [connection.call('a'), connection.call('b')];
    const [first, second] = await nextLines(server, 2);
    server.stdout.write(
      `\r\n\n{"jsonrpc":"2.0","id":${second?.id},"result":"b"}\r\n  \n{"jsonrpc":"2.0","id":${first?.id},"result":"a"}\r\n`,
    );
    expect(await Promise.all(calls)).toEqual(['a', 'b']);
  });

  test('may end without a newline', async () => {
    const { connection, server } = connect();
    const answer = connection.call('x');
    const { id } = await server.next();
    server.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":"last"}`);
    server.exit(0);
    expect(await answer).toBe('last');
  });

  test('may have lines that are no messages; they are reported and survived', async () => {
    const malformed: Malformed[] = [];
    const { connection, server } = connect({ onMalformed: (line) => malformed.push(line) });
    const answer = connection.call('x');
    const sent = await server.next();
    server.say('Server started!', '{"jsonrpc":', '[1]', '"text"', '{"jsonrpc":"2.0"}', '\u0000');
    server.answer(sent, '"result":"fine"');
    expect(await answer).toBe('fine');
    expect(malformed.map(({ problem }) => problem)).toEqual(['json', 'json', 'batch', 'shape', 'json']);
    expect(connection.isConnected).toBe(true);
  });

  test('may lack both result and error; the call fails at once', async () => {
    const { connection, server } = connect();
    const error = failureOf(connection.call('x'));
    const { id } = await server.next();
    server.say(`{"jsonrpc":"2.0","id":${id}}`);
    expect((await error).message).toBe('The answer has neither a result nor an error');
  });

  test('fails only the call whose answer cannot be read', async () => {
    const { connection, server } = connect();
    const [bad, good] = [failureOf(connection.call('a')), connection.call('b')];
    const [first, second] = await nextLines(server, 2);
    server.say(`{"jsonrpc":"2.0","id":${first?.id},"result":{"a":tru}}`);
    server.answer(second as Message, '"result":"good"');
    expect(await bad).toBeInstanceOf(ConnectionError);
    expect((await bad).message).toMatch(/cannot be read/);
    expect(await good).toBe('good');
  });
});

describe('time', () => {
  test('runs out for a call that is not answered; the server is told, and a late answer does no harm', async () => {
    const { connection, server } = connect({ timeoutMs: 5 });
    const error = await failureOf(connection.call('slow'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe('"slow" was not answered within 0.005 s');
    const [sent, cancelled] = await nextLines(server, 2);
    expect(JSON.parse(cancelled?.raw ?? '')).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: JSON.parse(sent?.id ?? '') },
    });
    server.answer(sent as Message, '"result":"late"');
    expect(connection.isConnected).toBe(true);
    const next = connection.call('next', {}, { timeoutMs: 0 });
    server.answer(await server.next(), '"result":"in time"');
    expect(await next).toBe('in time');
  });

  test('may be set for one call, and "initialize" is never taken back', async () => {
    const { connection, server } = connect();
    const error = await failureOf(connection.call('initialize', {}, { timeoutMs: 5 }));
    expect(error.message).toContain('"initialize" was not answered');
    await connection.notify('next');
    expect((await nextLines(server, 2)).map(({ method }) => method)).toEqual(['initialize', 'next']);
  });

  test.each([0, Number.POSITIVE_INFINITY, 2 ** 40])(
    'never runs out with a limit of %s',
    async (timeoutMs) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const { connection, server } = connect({ timeoutMs });
      const answer = connection.call('patient');
      const sent = await server.next();
      vi.advanceTimersByTime(24 * 3600 * 1000);
      vi.useRealTimers();
      server.answer(sent, '"result":"at last"');
      expect(await answer).toBe('at last');
    },
  );

  test('leaves no timer behind once a call is answered or the connection closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { connection, server } = connect();
    const [answered, lost] = [connection.call('a'), failureOf(connection.call('b'))];
    const [first] = [await server.inbox.take(() => true)];
    server.answer(first, '"result":{}');
    await answered;
    await Promise.all([connection.close(), lost]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the end', () => {
  test.each([
    ['exits with code 0', 0, null, 'The server exited with code 0'],
    ['exits with code 3', 3, null, 'The server exited with code 3'],
    ['is ended by a signal', null, 'SIGSEGV', 'The server was ended by SIGSEGV'],
  ] as const)('fails every pending call when the process %s', async (_, code, signal, message) => {
    const endings: Ending[] = [];
    const { connection, server } = connect({ onClose: (ending) => endings.push(ending), onStderr: () => {} });
    const calls = [failureOf(connection.call('a')), failureOf(connection.call('b'))];
    await nextLines(server, 2);
    server.stderr.write('what went wrong\n');
    server.exit(code, signal);
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.message).toBe(message);
    }
    expect(connection.isConnected).toBe(false);
    expect(endings).toMatchObject([{ cause: 'exit', exitCode: code, signal, stderr: ['what went wrong'] }]);
    expect((await failureOf(connection.call('c'))).message).toBe(`"c" was not sent: ${message}`);
    expect((await failureOf(connection.notify('d'))).message).toBe(`"d" was not sent: ${message}`);
  });

  test.each([
    ['stdout', 'The server closed its stdout'],
    ['stdin', 'The server closed its stdin'],
  ] as const)('is noticed when only %s is closed', async (pipe, message) => {
    const { connection, server } = connect({}, new FakeProcess({ endsWithInput: false }));
    const call = failureOf(connection.call('a'));
    await server.next();
    if (pipe === 'stdout') server.stdout.end();
    else server.stdin.destroy(new Error('write EPIPE'));
    expect((await call).message).toBe(message);
    expect(connection.isConnected).toBe(false);
  });

  test('comes when it is asked for: pending calls fail, input ends, and asking twice is no mistake', async () => {
    const onClose = vi.fn();
    const { connection, server } = connect({ onClose });
    const call = failureOf(connection.call('a'));
    const closing = [connection.close(), connection.close()];
    expect(connection.isConnected).toBe(false);
    await Promise.all(closing);
    expect((await call).message).toBe('The server was stopped');
    expect((await server.next()).method).toBe('a');
    expect(server.stdin.readableEnded).toBe(true);
    expect(onClose).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ cause: 'stopped' }));
    expect(await failureOf(connection.call('b'))).toBeInstanceOf(ConnectionError);
  });

  test('comes also to a connection that nobody reads from', async () => {
    const { connection, server } = connect();
    connection.pause();
    const call = connection.call('a');
    server.answer(await server.next(), '"result":"waited"');
    await connection.close();
    expect(await call).toBe('waited');
  });
});

describe('a real server', () => {
  interface Real {
    connection: NodeStdioMcpConnection;
    mark: string;
    stderr: string[];
    endings: Ending[];
  }

  function run(options: FixtureOptions = {}, file = process.execPath, cwd?: string): Real {
    const mark = randomUUID();
    const [stderr, endings]: [string[], Ending[]] = [[], []];
    const connection = new NodeStdioMcpConnection(file, [SERVER, JSON.stringify(options)], {
      env: { PATH: '/usr/bin:/bin', [MARK]: mark },
      onStderr: (line) => stderr.push(line),
      onClose: (ending) => endings.push(ending),
      ...(cwd !== undefined && { cwd }),
    });
    onTestFinished(async () => {
      await connection.close();
      killMarked(mark);
    });
    return { connection, mark, stderr, endings };
  }

  const callTool = (connection: NodeStdioMcpConnection, name: string, args: unknown = {}): Promise<string> =>
    connection
      .call<{ content: [{ text: string }] }>('tools/call', { name, arguments: args })
      .then(({ content }) => content[0].text);

  test('is greeted, listed, called out of order, told things and closed', async () => {
    const { connection, mark, stderr } = run({ tools: ['echo', 'hold', 'release'], stderr: 'hello\n' });
    const clientInfo = { name: 'test', version: '1' };
    const welcome = await connection.call<{ protocolVersion: string }>('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo,
    });
    expect(welcome.protocolVersion).toBe('2025-11-25');
    await connection.notify('notifications/initialized');
    const { tools } = await connection.call<{ tools: { name: string }[] }>('tools/list');
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'hold', 'release']);
    const order: string[] = [];
    const note = (text: string): void => void order.push(text);
    const held = callTool(connection, 'hold').then(note);
    await callTool(connection, 'echo', { a: 1 }).then(note);
    await Promise.all([callTool(connection, 'release').then(note), held]);
    expect(order).toEqual(['fixture {"a":1}', 'released', 'done']);
    expect(await failureOf(connection.call('no/such'))).toMatchObject({ code: -32_601 });
    await connection.close();
    expect(stderr).toEqual(['hello']);
    expect(findMarked(mark)).toEqual([]);
  });

  test('may give a long answer amid noise', async () => {
    const { connection } = run();
    const long = callTool(connection, 'big', { bytes: 4 * 1024 * 1024 });
    const quiet = callTool(connection, 'noise');
    expect((await long).length).toBe(4 * 1024 * 1024);
    expect(await quiet).toBe('quiet');
  });

  test('that crashes fails its calls with the exit code, and takes what it started with it', async () => {
    const { connection, mark, endings } = run();
    const calls = [callTool(connection, 'hold'), callTool(connection, 'orphan', { code: 4 })].map(failureOf);
    for (const error of await Promise.all(calls)) expect(error.message).toBe('The server exited with code 4');
    expect(endings).toMatchObject([{ cause: 'exit', exitCode: 4, signal: null }]);
    await until(
      WAIT_MS,
      () => findMarked(mark).length === 0,
      () => JSON.stringify(findMarked(mark)),
    );
  });

  test('that is killed fails its calls with the signal', async () => {
    const { connection } = run();
    const call = failureOf(callTool(connection, 'crash', { signal: 'SIGKILL' }));
    expect((await call).message).toBe('The server was ended by SIGKILL');
  });

  test('is gone after close, even if it ignores the end of its input and every polite signal', async () => {
    const { connection, mark } = run({ ignoreEof: true, ignoreSigterm: true });
    await callTool(connection, 'echo');
    const pid = connection.pid ?? 0;
    expect(findMarked(mark).map((found) => found.pid)).toEqual([pid]);
    await connection.close();
    expect(findMarked(mark)).toEqual([]);
  });

  test('takes its own children with it when it is closed', async () => {
    const mark = randomUUID();
    const script = `sleep 1000 & sleep 1000 & read line; echo '{"jsonrpc":"2.0","method":"up"}'; wait`;
    const up = vi.fn();
    const connection = new NodeStdioMcpConnection('sh', ['-c', script], {
      env: { ...process.env, [MARK]: mark },
      onMessage: up,
    });
    onTestFinished(() => killMarked(mark));
    await connection.notify('go');
    await until(
      WAIT_MS,
      () => up.mock.calls.length === 1 && findMarked(mark).length === 3,
      () => JSON.stringify(findMarked(mark)),
    );
    await connection.close();
    expect(findMarked(mark)).toEqual([]);
  });

  test('that is not there, not executable or in no directory is explained', async () => {
    const folder = makeFolder();
    const file = join(folder, 'plain.txt');
    writeFileSync(file, 'not a program');
    const explain = async (command: string, cwd?: string): Promise<string> =>
      (await failureOf(run({}, command, cwd).connection.call('initialize'))).message;
    expect(await explain('no-such-command')).toMatch(/"no-such-command" was not found .*\/usr\/bin/);
    expect(await explain(join(folder, 'missing'))).toMatch(/missing" was not found: there is no such file/);
    expect(await explain(file)).toMatch(/plain\.txt" is not executable/);
    expect(await explain(process.execPath, join(folder, 'gone'))).toMatch(
      /working directory .*does not exist/,
    );
  });

  test('speaks on our stderr when nobody takes its lines', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    const connection = new NodeStdioMcpConnection('sh', ['-c', 'echo alarm >&2']);
    await failureOf(connection.call('x'));
    await connection.close();
    expect(write.mock.calls.map(([text]) => text)).toContain('alarm\n');
  });
});
