/** Starts one server as the aggregator would and learns what it is and has, or why it is not; shows nothing to anybody. */
import { type ChildProcessWithoutNullStreams, spawn as spawnProcess } from 'node:child_process';
import type { ServerConfig } from '../../config/load.ts';
import { composeOpening } from '../../era/greeting.ts';
import type { SpawnProcess } from '../../process/child.ts';
import { describeEnding, type Ending } from '../../process/ending.ts';
import type { Identity } from '../../protocol/handshake.ts';
import { KIND_NAMES, type KindName } from '../../protocol/kinds.ts';
import type { ServerList } from '../../protocol/lists.ts';
import type { NodeStdioMcpConnection } from '../../server/connection.ts';
import { Interview } from '../../server/interview.ts';
import { launch, type LaunchSettings } from '../../server/launch.ts';
import { type Envelope, isRequest } from '../../wire/envelope.ts';
import { McpError } from '../../wire/error.ts';
import { failure, type Json, METHOD_NOT_FOUND, success } from '../../wire/messages.ts';
import { type Introduction, readIntroduction } from './introduction.ts';
import { StrayOutput } from './stray.ts';

export interface ProbeSettings extends Omit<LaunchSettings, 'spawn'> {
  readonly identity: Identity;
  /** What we tell the server that we can do. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly onStderr?: (line: string) => void;
  /** A request or notification of the server; whether it has been dealt with. */
  readonly onMessage?: (message: Envelope, probe: Probe) => boolean;
}

/** Why a server is not there, with all that is known. */
export interface Failure {
  readonly problem: string;
  readonly ending: Ending | undefined;
  readonly stderr: readonly string[];
  /** It could not be started, came to an end, refused us, or let us wait: for a first word, or for its lists. */
  readonly cause: 'spawn' | 'end' | 'refusal' | 'silence' | 'lists';
}

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
  readonly #interview: Interview;
  readonly #stderr: string[] = [];
  #ending: Ending | undefined;
  #endedAs: ((ending: Ending) => void) | undefined;
  #isClosing = false;

  constructor(config: ServerConfig, settings: ProbeSettings) {
    this.config = config;
    this.#settings = settings;
    this.connection = this.#connect();
    const opening = composeOpening(settings.identity, settings.capabilities ?? {});
    this.#interview = new Interview(this.connection, opening, true);
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
        const isSilent = this.introduction === undefined;
        const what = isSilent ? 'answer "initialize"' : 'give its lists';
        this.#fail(`It did not ${what} within ${startupTimeoutMs / 1000} s`, isSilent ? 'silence' : 'lists');
      }
    } catch (error) {
      await this.#explain(error as Error);
    } finally {
      clearTimeout(timer);
      this.startupMs ??= performance.now() - this.startedAt;
    }
  }

  /** Params of a request, with what every request carries in the era of this server. */
  complete(params: string): Json {
    return this.#interview.complete(params);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.connection.close();
  }

  #connect(): NodeStdioMcpConnection {
    const { platform } = this.#settings.host;
    const spawn = platform === 'win32' ? undefined : this.#tapped();
    return launch(
      this.config,
      { ...this.#settings, spawn },
      {
        onStderr: (line) => this.#keepStderr(line),
        onMessage: (message) => this.#receive(message),
        onMalformed: () => this.stray.count(),
        onClose: (ending) => this.#end(ending),
      },
    );
  }

  #end(ending: Ending): void {
    this.#ending = ending;
    this.#endedAs?.(ending);
    // One that was ready and goes while others are still being tried would be gone for a client, too.
    const wasReady = this.startupMs !== undefined && this.failure === undefined;
    if (wasReady && !this.#isClosing) this.#fail(`It ${describeEnding(ending)} after it was ready`, 'end');
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
    this.introduction = readIntroduction(await this.#interview.greet());
    const lists = await Promise.all(
      kinds.map(async (kind) => ({ kind, list: await this.#interview.readList(kind) })),
    );
    if (!this.connection.isConnected) throw new Error('It is gone');
    for (const { kind, list } of lists) this.lists.set(kind, list);
    this.startupMs = performance.now() - this.startedAt;
    return 'known';
  }

  /** Its end says more than that a request went unanswered, and comes a moment later. */
  async #explain(error: Error): Promise<void> {
    const isAnswer = error instanceof McpError;
    if (isAnswer || this.connection.isConnected) {
      const code = isAnswer && error.code !== 0 ? ` (${error.code})` : '';
      this.#fail(`It refused the handshake: ${error.message}${code}`, 'refusal');
      return;
    }
    const ending = this.#ending ?? (await new Promise<Ending>((resolve) => (this.#endedAs = resolve)));
    if (ending.error) this.#fail(this.connection.explainSpawn(ending.error), 'spawn');
    else this.#fail(`It ${describeEnding(ending)} while it was starting`, 'end');
  }

  #fail(problem: string, cause: Failure['cause']): void {
    this.failure = { problem, cause, ending: this.#ending, stderr: this.stderr };
    this.connection.kill();
  }
}
