/** Starts one server as the aggregator would and learns what it is and has, or why it is not; shows nothing to anybody. */
import { type ChildProcessWithoutNullStreams, spawn as spawnProcess } from 'node:child_process';
import type { ServerConfig } from '../../config/validate.ts';
import { ConnectionError, type McpConnectionOptions, type NodeStdioMcpConnection } from '../../connection.ts';
import { launch, type LaunchHandlers, type LaunchSettings } from '../../launch.ts';
import type { SpawnProcess } from '../../process/child.ts';
import { describeEnding, type Ending } from '../../process/ending.ts';
import type { Identity } from '../../protocol/handshake.ts';
import { KIND_NAMES, KINDS, type KindName } from '../../protocol/kinds.ts';
import { EMPTY_LIST, readList, type ServerList } from '../../protocol/lists.ts';
import { type Envelope, isRequest } from '../../wire/envelope.ts';
import { McpError } from '../../wire/error.ts';
import { failure, METHOD_NOT_FOUND, success } from '../../wire/messages.ts';
import { StrayOutput } from './stray.ts';

export interface ProbeSettings extends Omit<LaunchSettings, 'spawn'> {
  readonly identity: Identity;
  /** What we tell the server that we can do. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly onStderr?: (line: string) => void;
  /** A request or notification of the server; whether it has been dealt with. */
  readonly onMessage?: (message: Envelope, probe: Probe) => boolean;
}

export type Era = 'handshake' | 'stateless';

/** What a server says of itself. */
export interface Introduction {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly capabilities: ReadonlySet<string>;
}

/** Why a server is not there, with all that is known. */
export interface Failure {
  readonly problem: string;
  readonly ending: Ending | undefined;
  readonly stderr: readonly string[];
  readonly isTimeout: boolean;
}

const HANDSHAKE_VERSION = '2025-11-25';
const STATELESS_VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol';
const KEPT_STDERR_LINES = 20;

export class Probe {
  readonly config: ServerConfig;
  readonly stray: StrayOutput = new StrayOutput();
  readonly startedAt: number = performance.now();
  readonly lists: Map<KindName, ServerList> = new Map();
  readonly connection: NodeStdioMcpConnection;
  introduction: Introduction | undefined;
  failure: Failure | undefined;
  /** From the start to the last list, or to the failure. */
  startupMs: number | undefined;
  readonly #settings: ProbeSettings;
  readonly #stderr: string[] = [];
  #ending: Ending | undefined;
  #endedAs: ((ending: Ending) => void) | undefined;

  constructor(config: ServerConfig, settings: ProbeSettings) {
    this.config = config;
    this.#settings = settings;
    this.connection = this.#connect();
  }

  get key(): string {
    return this.config.key;
  }

  get stderr(): readonly string[] {
    return this.#ending?.stderr ?? this.#stderr;
  }

  /** Shakes hands and reads the lists; never rejects: see `failure`. */
  async open(kinds: readonly KindName[] = KIND_NAMES): Promise<void> {
    const { startupTimeoutMs } = this.#settings;
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<'expired'>((resolve) => {
      timer = setTimeout(() => resolve('expired'), startupTimeoutMs);
    });
    try {
      if ((await Promise.race([this.#learn(kinds), expired])) === 'expired') {
        const what = this.introduction === undefined ? 'answer "initialize"' : 'give its lists';
        this.#fail(`It did not ${what} within ${startupTimeoutMs / 1000} s`, true);
      }
    } catch (error) {
      await this.#explain(error as Error);
    } finally {
      clearTimeout(timer);
      this.startupMs ??= performance.now() - this.startedAt;
    }
  }

  /** What every request carries in the era of this server. */
  get meta(): Readonly<Record<string, unknown>> {
    return this.introduction?.era === 'stateless' ? this.#describeUs() : {};
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  #connect(): NodeStdioMcpConnection {
    const { platform } = this.#settings.host;
    const handlers: LaunchHandlers & Pick<McpConnectionOptions, 'onStderr'> = {
      onStderr: (line) => this.#keepStderr(line),
      onMessage: (message) => this.#receive(message),
      onMalformed: () => this.stray.count(),
      onClose: (ending) => {
        this.#ending = ending;
        this.#endedAs?.(ending);
      },
    };
    const spawn = platform === 'win32' ? undefined : this.#tapped();
    return launch(this.config, { ...this.#settings, spawn }, handlers);
  }

  #receive(message: Envelope): void {
    if (this.#settings.onMessage?.(message, this) === true || !isRequest(message)) return;
    const { id, method } = message;
    if (method === 'ping') this.connection.send(...success(id, '{}'));
    else
      this.connection.send(failure(id, { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` }));
  }

  /** Looks at what goes by on stdout: what is no message there explains more than that it is none. */
  #tapped(): SpawnProcess {
    return (file, args, options) => {
      const child = spawnProcess(file, args, options) as ChildProcessWithoutNullStreams;
      child.stdout?.on('data', (chunk: Buffer) => this.stray.push(chunk));
      return child;
    };
  }

  #keepStderr(line: string): void {
    this.#stderr.push(line);
    if (this.#stderr.length > KEPT_STDERR_LINES) this.#stderr.shift();
    this.#settings.onStderr?.(line);
  }

  async #learn(kinds: readonly KindName[]): Promise<'known'> {
    this.introduction = await this.#introduce();
    await Promise.all(kinds.map((kind) => this.#readList(kind)));
    this.startupMs = performance.now() - this.startedAt;
    return 'known';
  }

  /** The handshake first; a server that refuses it may know only the stateless era. */
  async #introduce(): Promise<Introduction> {
    const { identity, capabilities = {} } = this.#settings;
    const params = { protocolVersion: HANDSHAKE_VERSION, capabilities, clientInfo: identity };
    try {
      const result = await this.connection.call<Record<string, unknown>>('initialize', params);
      await this.connection.notify('notifications/initialized');
      return readIntroduction(result, 'handshake', String(result?.['protocolVersion']));
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const discovered = await this.#discover();
      if (discovered === undefined) throw error;
      return discovered;
    }
  }

  async #discover(): Promise<Introduction | undefined> {
    try {
      const result = await this.connection.call<Record<string, unknown>>(
        'server/discover',
        this.#envelop({}),
      );
      return readIntroduction(result, 'stateless', STATELESS_VERSION);
    } catch (error) {
      if (error instanceof McpError) return undefined;
      throw error;
    }
  }

  async #readList(kind: KindName): Promise<void> {
    if (this.introduction?.capabilities.has(KINDS[kind].capability) !== true) {
      this.lists.set(kind, EMPTY_LIST);
      return;
    }
    try {
      const ask = (method: string, params?: string): Promise<Envelope> =>
        this.connection.request(method, this.#complete(params));
      this.lists.set(kind, await readList(ask, KINDS[kind]));
    } catch (error) {
      if (error instanceof ConnectionError && !this.connection.isConnected) throw error;
      // Templates are asked for whenever there are resources; that a server has none of them is no finding.
      const isUnknown = error instanceof McpError && error.code === METHOD_NOT_FOUND && kind === 'templates';
      const finding = `${KINDS[kind].list} failed, so it counts as empty: ${(error as Error).message}`;
      this.lists.set(kind, { items: [], findings: isUnknown ? [] : [finding] });
    }
  }

  #complete(params: string | undefined): string | undefined {
    if (this.introduction?.era !== 'stateless') return params;
    return JSON.stringify(this.#envelop(JSON.parse(params ?? '{}') as Record<string, unknown>));
  }

  #envelop(params: Record<string, unknown>): Record<string, unknown> {
    return { ...params, _meta: this.#describeUs() };
  }

  #describeUs(): Record<string, unknown> {
    const { identity, capabilities = {} } = this.#settings;
    return {
      [`${META}/protocolVersion`]: STATELESS_VERSION,
      [`${META}/clientCapabilities`]: capabilities,
      [`${META}/clientInfo`]: identity,
    };
  }

  /** Its end says more than that a request went unanswered, and comes a moment later. */
  async #explain(error: Error): Promise<void> {
    if (error instanceof McpError) {
      this.#fail(`It refused the handshake: ${error.message} (${error.code})`);
      return;
    }
    if (this.connection.isConnected) {
      this.#fail(error.message, true);
      return;
    }
    const ending = this.#ending ?? (await new Promise<Ending>((resolve) => (this.#endedAs = resolve)));
    this.#fail(
      ending.error
        ? this.connection.explainSpawn(ending.error)
        : `It ${describeEnding(ending)} while it was starting`,
    );
  }

  #fail(problem: string, isTimeout = false): void {
    this.failure = { problem, ending: this.#ending, stderr: this.stderr, isTimeout };
    this.connection.kill();
  }
}

function readIntroduction(result: Record<string, unknown>, era: Era, protocolVersion: string): Introduction {
  const meta = asObject(result?.['_meta']);
  const info = asObject(result?.['serverInfo'] ?? meta[`${META}/serverInfo`]);
  const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    era,
    protocolVersion,
    name: textOf(info['name']),
    version: textOf(info['version']),
    capabilities: new Set(Object.keys(asObject(result?.['capabilities']))),
  };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
