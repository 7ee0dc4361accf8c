/** One configured server: its process, its handshake and its lists, from the start to the end. Routes nothing. */
import type { ServerConfig } from './config/validate.ts';
import type { NodeStdioMcpConnection } from './connection.ts';
import type { Log } from './log.ts';
import type { SpawnProcess } from './process/child.ts';
import { explainSpawnFailure, type Host, resolveCommand } from './process/command.ts';
import { describeEnding, type Ending } from './process/ending.ts';
import { childEnvironment } from './process/environment.ts';
import { Calls } from './protocol/calls.ts';
import type { Opening } from './protocol/handshake.ts';
import { KIND_NAMES, KINDS, type KindName } from './protocol/kinds.ts';
import { EMPTY_LIST, readList, type ServerList } from './protocol/lists.ts';
import type { Peer, ServerStatus } from './protocol/peer.ts';
import type { Answer, Envelope, Malformed } from './wire/envelope.ts';
import { type Json, notification } from './wire/messages.ts';

/** What all servers have in common. */
export interface ServerSettings {
  readonly log: Log;
  readonly host: Host;
  /** The aggregator's own environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly isolateEnv: boolean;
  /** Variables of our own for every server. */
  readonly extraEnv: Readonly<Record<string, string>>;
  readonly startupTimeoutMs: number;
  readonly spawn?: SpawnProcess | undefined;
}

export interface ServerHandlers {
  onMessage(server: Server, message: Envelope): void;
  onMalformed(server: Server, line: Malformed): void;
  onList(server: Server, kind: KindName, list: ServerList): void;
  onUp(server: Server): void;
  /** It was up and is not any more. */
  onDown(server: Server, ending: Ending): void;
  /** It did not come up. */
  onFailed(server: Server): void;
}

/** A server that takes this little of what it is sent gets no more. */
const BUSY_BYTES = 64 * 1024 * 1024;
const SHOWN_STDERR_LINES = 10;
const DRAIN_POLL_MS = 5;

export class Server implements Peer {
  readonly calls: Calls = new Calls();
  readonly #config: ServerConfig;
  readonly #settings: ServerSettings;
  readonly #handlers: ServerHandlers;
  readonly #waiting: (() => void)[] = [];
  readonly #refreshing = new Map<KindName, 'once' | 'again'>();
  #status: ServerStatus = 'initializing';
  #problem: string | undefined;
  #connection: NodeStdioMcpConnection | undefined;
  #opening: Opening | undefined;
  #capabilities: ReadonlySet<string> = new Set();

  constructor(config: ServerConfig, settings: ServerSettings, handlers: ServerHandlers) {
    this.#config = config;
    this.#settings = settings;
    this.#handlers = handlers;
  }

  get key(): string {
    return this.#config.key;
  }

  get status(): ServerStatus {
    return this.#status;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get isBusy(): boolean {
    return (this.#connection?.waitingBytes ?? 0) > BUSY_BYTES;
  }

  has(capability: string): boolean {
    return this.#capabilities.has(capability);
  }

  send(...pieces: readonly Buffer[]): void {
    this.#connection?.send(...pieces);
  }

  ask(method: string, params?: Json): Promise<Answer> {
    return (
      this.#connection?.request(method, params, { timeoutMs: 0 }) ??
      Promise.reject(new Error('It is not connected'))
    );
  }

  wake(): void {
    // Once down, a server stays down.
  }

  whenSettled(act: () => void): void {
    if (this.#status === 'initializing') this.#waiting.push(act);
    else act();
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  /** Starts the process; the handshake follows as soon as the client's is known. */
  async launch(): Promise<void> {
    // Loaded with the first server and not before: the client is answered meanwhile.
    const { NodeStdioMcpConnection: Connection } = await import('./connection.ts');
    if (this.#status !== 'initializing') return;
    this.#connection = this.#connect(Connection);
    if (this.#opening !== undefined) void this.#shakeHands(this.#connection, this.#opening);
  }

  open(opening: Opening): void {
    this.#opening = opening;
    if (this.#connection !== undefined) void this.#shakeHands(this.#connection, opening);
  }

  /** Lets it answer what it still owes, for a while, then ends it. */
  async stop(drainMs: number): Promise<void> {
    for (let waited = 0; this.calls.size > 0 && waited < drainMs; waited += DRAIN_POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    const wasRunning = this.#status === 'running';
    if (this.#status !== 'failed') this.#settle('stopped', wasRunning ? undefined : 'it was stopped');
    await this.#connection?.close();
  }

  kill(): void {
    this.#connection?.kill();
  }

  refresh(kind: KindName): void {
    if (this.#refreshing.has(kind)) {
      this.#refreshing.set(kind, 'again');
      return;
    }
    this.#refreshing.set(kind, 'once');
    void this.#readList(kind).then((list) => {
      const again = this.#refreshing.get(kind) === 'again';
      this.#refreshing.delete(kind);
      if (this.#status !== 'running') return;
      this.#handlers.onList(this, kind, list);
      if (again) this.refresh(kind);
    });
  }

  #connect(Connection: typeof NodeStdioMcpConnection): NodeStdioMcpConnection {
    const { config, settings } = { config: this.#config, settings: this.#settings };
    const { log, host, env, isolateEnv, extraEnv, spawn } = settings;
    const executable = resolveCommand(config.command, host);
    if (executable.resolvedFrom !== undefined) {
      const resolved = [executable.file, ...executable.args].join(' ');
      log.debug(`Command "${executable.resolvedFrom}" is resolved to ${resolved}`, this.key);
    }
    const { nodeDir } = executable;
    const { platform } = host;
    const childEnv = childEnvironment({
      parent: env,
      own: config.env,
      isolate: isolateEnv,
      nodeDir,
      platform,
      extra: extraEnv,
    });
    const { cwd, cwdText, commandText } = config;
    const attempt = { commandText, executable, cwd, cwdText, path: childEnv['PATH'], platform };
    return new Connection(executable.file, [...executable.args, ...config.args], {
      env: childEnv,
      platform,
      timeoutMs: settings.startupTimeoutMs,
      ...(cwd !== undefined && { cwd }),
      ...(spawn && { spawn }),
      explainSpawn: (error) => explainSpawnFailure(error, attempt),
      onStderr: (line) => log.child(this.key, line),
      onMessage: (message) => this.#handlers.onMessage(this, message),
      onMalformed: (line) => this.#handlers.onMalformed(this, line),
      onClose: (ending) => this.#close(ending, attempt),
    });
  }

  async #shakeHands(connection: NodeStdioMcpConnection, opening: Opening): Promise<void> {
    const { startupTimeoutMs } = this.#settings;
    const timer = setTimeout(() => {
      this.#fail(`was not ready within ${startupTimeoutMs / 1000} s`);
    }, startupTimeoutMs);
    try {
      const answer = await connection.request('initialize', opening.params);
      this.#capabilities = readCapabilities(answer);
      connection.send(notification('notifications/initialized'));
      const lists = await Promise.all(KIND_NAMES.map((kind) => this.#readList(kind)));
      if (this.#status !== 'initializing') return;
      KIND_NAMES.forEach((kind, index) => this.#handlers.onList(this, kind, lists[index] ?? EMPTY_LIST));
      this.#settle('running');
      this.#handlers.onUp(this);
    } catch (error) {
      if (connection.isConnected) this.#fail(`refused the handshake: ${(error as Error).message}`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A list that the server advertises but does not give counts as empty: real servers do that. */
  async #readList(kind: KindName): Promise<ServerList> {
    const connection = this.#connection;
    if (connection === undefined || !this.has(KINDS[kind].capability)) return EMPTY_LIST;
    try {
      return await readList((method, params) => connection.request(method, params), KINDS[kind]);
    } catch (error) {
      const finding = `${KINDS[kind].list} failed, so it counts as empty: ${(error as Error).message}`;
      return { items: [], findings: connection.isConnected ? [finding] : [] };
    }
  }

  #close(ending: Ending, attempt: Parameters<typeof explainSpawnFailure>[1]): void {
    if (this.#status === 'initializing') {
      const what = ending.error
        ? explainSpawnFailure(ending.error, attempt)
        : `${describeEnding(ending)} while it was starting`;
      this.#fail(what, ending.stderr);
    } else if (this.#status === 'running') {
      this.#settle('failed', `it ${describeEnding(ending)}`);
      this.#settings.log.error(
        `${describeEnding(ending)}; its tools are gone${quoteStderr(ending.stderr)}`,
        this.key,
      );
      this.#handlers.onDown(this, ending);
    }
  }

  #fail(what: string, stderr: readonly string[] = []): void {
    if (this.#status !== 'initializing') return;
    this.#settings.log.error(`Not started: ${what}${quoteStderr(stderr)}`, this.key);
    this.#settle('failed', what);
    this.#connection?.kill();
    this.#handlers.onFailed(this);
  }

  #settle(status: ServerStatus, problem?: string): void {
    this.#status = status;
    this.#problem = problem;
    for (const act of this.#waiting.splice(0)) act();
  }
}

function readCapabilities(answer: Envelope): ReadonlySet<string> {
  const { capabilities } = (answer.result ? answer.value(answer.result) : {}) as { capabilities?: object };
  return new Set(Object.keys(capabilities ?? {}));
}

function quoteStderr(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `; the last lines of its stderr:\n${lines
    .slice(-SHOWN_STDERR_LINES)
    .map((line) => `  ${line}`)
    .join('\n')}`;
}
