/** Runs the built command as a client would and speaks to it in raw lines. Never looks inside the command. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { until, within } from './deadline.ts';
import { Inbox, type Message } from './inbox.ts';
import { Judge, type Rules } from './judge.ts';
import { findMarked, killMarked, MARK, type MarkedProcess } from './processes.ts';

export const CLI: string = join(import.meta.dirname, '../../dist/cli.cjs');
const WAIT_MS = 60_000;

export interface ServerEntry {
  command: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  [field: string]: unknown;
}

export interface SessionOptions {
  /** Servers by key; pairs instead of an object where the order or the key is special. */
  servers?: Record<string, ServerEntry> | [key: string, entry: ServerEntry][];
  /** The config file as it is, instead of `servers`. */
  configText?: string;
  /** Arguments after `--config FILE`. */
  args?: string[];
  /** All arguments, instead of `--config FILE` and `args`. */
  argv?: (configFile: string) => string[];
  /** Added to a small environment that knows nothing of the test runner; undefined removes. */
  env?: Record<string, string | undefined>;
  /** A shell text that runs before the command, such as a limit. */
  before?: string;
  /** How what is said on stdout is judged; strictly, unless servers talk nonsense on purpose. */
  rules?: Rules;
}

export interface Tool {
  name: string;
  [field: string]: unknown;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

function writeConfigText(servers: SessionOptions['servers'] = {}): string {
  const entries = Array.isArray(servers) ? servers : Object.entries(servers);
  const members = entries.map(([key, entry]) => `${JSON.stringify(key)}:${JSON.stringify(entry)}`);
  return `{"mcpServers":{${members.join(',')}}}`;
}

/** A folder of this test alone, gone when the test is over. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'msa-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function cleanEnvironment(): Record<string, string | undefined> {
  const { PATH, HOME, USER, LANG, XDG_CACHE_HOME } = process.env;
  return { PATH, HOME, USER, LANG, XDG_CACHE_HOME };
}

export class Session {
  readonly judge: Judge;
  readonly inbox: Inbox;
  readonly mark: string = randomUUID();
  readonly folder: string;
  readonly configFile: string;
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<Exit>;
  stderr = '';
  #ended: Promise<unknown>;
  #nextId = 1;

  constructor(options: SessionOptions) {
    this.judge = new Judge(options.rules);
    this.inbox = new Inbox(this.judge);
    this.folder = makeFolder();
    this.configFile = join(this.folder, 'config.json');
    writeFileSync(this.configFile, options.configText ?? writeConfigText(options.servers));
    const argv = options.argv?.(this.configFile) ?? ['--config', this.configFile, ...(options.args ?? [])];
    const env = { ...cleanEnvironment(), [MARK]: this.mark, ...options.env };
    const program = [process.execPath, CLI, ...argv];
    const shell = options.before === undefined ? [] : ['/bin/sh', '-c', `${options.before}; exec "$@"`, 'sh'];
    const [file = '', ...args] = [...shell, ...program];
    this.child = spawn(file, args, { env, cwd: this.folder, detached: true });
    this.exited = new Promise((resolve) => {
      this.child.on('exit', (code, signal) => resolve({ code, signal }));
    });
    this.#ended = Promise.all([this.child.stdout, this.child.stderr].map((stream) => ended(stream)));
    this.child.stdin.on('error', () => {});
    this.child.stdout.on('data', (chunk: Buffer) => this.inbox.receive(chunk));
    this.child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    onTestFinished(() => {
      killMarked(this.mark);
      expect(this.inbox.listImpurities()).toEqual([]);
    });
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  write(bytes: string | Buffer): void {
    this.judge.hear(bytes);
    this.child.stdin.write(bytes);
  }

  notify(method: string, params?: unknown): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
  }

  /** Sends a request and waits for its reply; the id is raw JSON text. */
  async request(method: string, params?: unknown, id: string = String(this.#nextId++)): Promise<Message> {
    const paramsText = params === undefined ? '' : `,"params":${JSON.stringify(params)}`;
    return this.exchange(`{"jsonrpc":"2.0","id":${id},"method":"${method}"${paramsText}}`, id);
  }

  /** Sends a raw line and waits for the reply with this raw id; undefined waits for a reply without id. */
  async exchange(line: string, id: string | undefined): Promise<Message> {
    this.write(`${line}\n`);
    return this.reply(id);
  }

  async reply(id: string | undefined): Promise<Message> {
    return this.#wait(`reply ${id}`, (message) => isAnswer(message) && message.id === id);
  }

  /** The next error that nobody has taken, whatever its id. */
  async refusal(): Promise<Message> {
    return this.#wait('error', (message) => message.error !== undefined);
  }

  async notification(method: string): Promise<Message> {
    return this.#wait(method, (message) => message.method === method && message.id === undefined);
  }

  /** The next request of a server. */
  async question(method: string): Promise<Message> {
    return this.#wait(method, (message) => message.method === method && message.id !== undefined);
  }

  /** The next array of messages. */
  async batch(): Promise<Message[]> {
    return (await this.#wait('batch', ({ batch }) => batch !== undefined)).batch ?? [];
  }

  /** Answers a request of a server. */
  answer(question: Message, result: unknown): void {
    this.write(`{"jsonrpc":"2.0","id":${question.id},"result":${JSON.stringify(result)}}\n`);
  }

  refuse(question: Message, error: { code: number; message: string; data?: unknown }): void {
    this.write(`{"jsonrpc":"2.0","id":${question.id},"error":${JSON.stringify(error)}}\n`);
  }

  async initialize(params: Record<string, unknown> = {}): Promise<Message> {
    const reply = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'story', version: '1' },
      ...params,
    });
    this.notify('notifications/initialized');
    return reply;
  }

  async listTools(): Promise<Tool[]> {
    return ((await this.request('tools/list')).result as { tools: Tool[] }).tools;
  }

  async listNames(): Promise<string[]> {
    return (await this.listTools()).map((tool) => tool.name);
  }

  async call(name: string, args: unknown = {}): Promise<Message> {
    return this.request('tools/call', { name, arguments: args });
  }

  /** Calls a tool and gives the text of its first content. */
  async callText(name: string, args: unknown = {}): Promise<string> {
    return readText(await this.call(name, args));
  }

  async stderrMatches(pattern: RegExp): Promise<void> {
    await until(
      WAIT_MS,
      () => pattern.test(this.stderr),
      () => `${String(pattern)} on stderr\n${this.stderr}`,
    );
  }

  /** Waits for the exit and for the last bytes of stdout and stderr. */
  async exit(): Promise<Exit> {
    const exit = await within(WAIT_MS, this.exited, () => `exit\n${this.stderr}`);
    await within(
      WAIT_MS,
      this.#ended,
      () => `end of output after exit, held by ${JSON.stringify(this.survivors())}`,
    );
    return exit;
  }

  /** Ends stdin, as a client that is done does. */
  async close(): Promise<Exit> {
    this.child.stdin.end();
    return this.exit();
  }

  /** Processes of this session that are alive. */
  survivors(): MarkedProcess[] {
    return findMarked(this.mark);
  }

  /** The watchdog learns of the end from a pipe, a moment after the command is gone. */
  async nothingLeft(): Promise<void> {
    await until(
      WAIT_MS,
      () => this.survivors().length === 0,
      () => JSON.stringify(this.survivors()),
    );
  }

  async #wait(what: string, matches: (message: Message) => boolean): Promise<Message> {
    const describe = (): string => {
      const lines = this.inbox.messages.slice(-5).map(({ raw }) => raw.slice(0, 300));
      return `${what}\nstdout: ${lines.join('\n')}\nstderr: ${this.stderr.slice(-2000)}`;
    };
    return within(WAIT_MS, this.inbox.take(matches), describe);
  }
}

function isAnswer({ method, batch }: Message): boolean {
  return method === undefined && batch === undefined;
}

function ended(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on('close', () => resolve());
  });
}

export function readText(message: Message): string {
  const result = message.result as { content: { text: string }[] } | undefined;
  const text = result?.content[0]?.text;
  if (text === undefined) throw new Error(`No text in ${message.raw.slice(0, 500)}`);
  return text;
}

export function start(options: SessionOptions): Session {
  return new Session(options);
}

/** Starts, shakes hands and waits until the first list is there. */
export async function startReady(
  options: SessionOptions,
  opening: Record<string, unknown> = {},
): Promise<Session> {
  const session = start(options);
  await session.initialize(opening);
  await session.listTools();
  return session;
}
