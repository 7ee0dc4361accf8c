/** Our own conversation with one server: requests with their answers, notifications, and the end. Interprets nothing. */
import { Child, type SpawnProcess, type Watch } from '../process/child.ts';
import { explainSpawnFailure } from '../process/command.ts';
import { describeEnding, type Ending } from '../process/ending.ts';
import { findPath } from '../process/environment.ts';
import { splitBatch } from '../wire/batch.ts';
import { type Answer, Envelope, isAnswer, isRequest, type Malformed } from '../wire/envelope.ts';
import { readError } from '../wire/error.ts';
import {
  failure,
  type Json,
  METHOD_NOT_FOUND,
  notification,
  OWN_ID_START,
  request,
  success,
} from '../wire/messages.ts';

/** A conversation with one MCP server, whatever carries it. */
export interface McpConnection {
  /** Whether requests can be sent. */
  readonly isConnected: boolean;
  /** Sends a request and gives its result; rejects with `McpError` when the server answers with an error. */
  call<T>(method: string, params?: unknown, options?: CallOptions): Promise<T>;
  /** Sends what wants no answer. */
  notify(method: string, params?: unknown): Promise<void>;
  /** Ends the conversation; resolves when nothing of the server is left. */
  close(): Promise<void>;
}

/** What one request may have of its own. */
export interface CallOptions {
  /** How long it may go unanswered; overrides the connection's own, 0 waits for ever. */
  readonly timeoutMs?: number;
}

/** How a server is started and listened to. */
export interface McpConnectionOptions {
  /** All of its variables; `process.env` when absent. */
  readonly env?: NodeJS.ProcessEnv;
  /** Its working directory; our own when absent. */
  readonly cwd?: string;
  /** How long a request may go unanswered (60 s); 0 waits for ever. */
  readonly timeoutMs?: number;
  /** Each line of the server's stderr; printed to our own when absent. */
  readonly onStderr?: (line: string) => void;
  /** Every message that is not an answer to a request of ours; when absent, only `ping` is answered. */
  readonly onMessage?: (message: Envelope) => void;
  /** A line that is no message. */
  readonly onMalformed?: (line: Malformed) => void;
  /** It has come to its end, whichever way; called once. */
  readonly onClose?: (ending: Ending) => void;
  /** Why the process could not be started, as a sentence. */
  readonly explainSpawn?: (error: NodeJS.ErrnoException) => string;
  /** That of this process when absent. */
  readonly platform?: NodeJS.Platform;
  /** Starts the process; that of Node.js when absent. */
  readonly spawn?: SpawnProcess;
  /** Told of the process, so that somebody else can end it if we cannot. */
  readonly watch?: Watch;
}

/** There is no answer: the server is gone, or took too long. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** What a timer can count to; beyond, it would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const BUSY_BYTES = 64 * 1024 * 1024;

/** A conversation with a server that is a process of its own, over its stdin and stdout. Shakes no hands: that is up to you. */
export class NodeStdioMcpConnection implements McpConnection {
  readonly #options: McpConnectionOptions;
  readonly #child: Child;
  /** Whether a version was agreed on in which several messages may come as one array. */
  acceptsBatches = false;
  /** Why the process could not be started, as a sentence. */
  readonly explainSpawn: (error: NodeJS.ErrnoException) => string;
  readonly #waiting = new Map<string, Waiting>();
  readonly #whenEnded: Promise<string>;
  #settleEnded: (reason: string) => void = () => {};
  #reason: string | undefined;
  #lastId = 0;

  /** Starts the process at once. */
  constructor(command: string, args: readonly string[] = [], options: McpConnectionOptions = {}) {
    const { cwd, spawn, watch, platform = process.platform, env = process.env } = options;
    this.#options = options;
    this.#whenEnded = new Promise((resolve) => (this.#settleEnded = resolve));
    this.explainSpawn =
      options.explainSpawn ??
      ((error) => {
        const executable = { file: command, args: [] };
        return explainSpawnFailure(error, {
          commandText: command,
          executable,
          cwd,
          cwdText: cwd,
          path: findPath(env, platform),
          platform,
        });
      });
    this.#child = new Child(
      { file: command, args, env, cwd, platform, spawn, watch },
      {
        onMessage: (message) => this.#receive(message),
        onMalformed: (line) => this.#receiveMalformed(line),
        onStderr: options.onStderr ?? printLine,
        onEnd: (ending) => this.#end(ending),
      },
    );
  }

  get isConnected(): boolean {
    return this.#child.isAlive;
  }

  /** The id of the process; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether the server has left so much of what it was sent that it gets no more. */
  get isBusy(): boolean {
    return this.#child.waitingBytes > BUSY_BYTES;
  }

  async call<T>(method: string, params?: unknown, options: CallOptions = {}): Promise<T> {
    const json = params === undefined ? undefined : JSON.stringify(params);
    const answer = await this.request(method, json, options);
    return (answer.result && answer.value(answer.result)) as T;
  }

  async notify(method: string, params?: unknown): Promise<void> {
    if (!this.isConnected) await this.#refuse(method);
    this.send(notification(method, params === undefined ? undefined : JSON.stringify(params)));
  }

  /** Like `call`, but raw both ways: params are JSON text, and the answer stays in its own bytes. */
  request(method: string, params?: Json, { timeoutMs }: CallOptions = {}): Promise<Answer> {
    if (!this.isConnected) return this.#refuse(method);
    const id = `${OWN_ID_START}${++this.#lastId}"`;
    const limitMs = timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(id);
        // The one request that must not be taken back.
        if (method !== 'initialize') {
          this.send(notification('notifications/cancelled', `{"requestId":${id}}`));
        }
        reject(new ConnectionError(`"${method}" was not answered within ${limitMs / 1000} s`));
      };
      const timer = limitMs > 0 ? setTimeout(giveUp, Math.min(limitMs, LONGEST_TIMER_MS)) : undefined;
      this.#waiting.set(id, { resolve, reject, timer });
      this.send(request(id, method, params));
    });
  }

  /** Sends a line as it is. */
  send(...pieces: readonly Buffer[]): void {
    this.#child.write(...pieces);
  }

  /** Stops reading what the server says. */
  pause(): void {
    this.#child.pause();
  }

  /** Reads on. */
  resume(): void {
    this.#child.resume();
  }

  /** Ends the server's input, then insists; resolves when nothing of it is left. */
  async close(): Promise<void> {
    await this.#child.stop();
  }

  /** Ends the server without asking. */
  kill(): void {
    this.#child.kill();
  }

  /** A process that could not be started says why in the next turn; that is worth waiting for. */
  async #refuse(method: string): Promise<never> {
    const known = this.#reason ?? 'the server is not connected';
    const reason = this.pid === undefined ? await this.#whenEnded : known;
    throw new ConnectionError(`"${method}" was not sent: ${reason}`);
  }

  #receive(message: Envelope): void {
    if (this.#waiting.size > 0 && isAnswer(message) && this.#settle(message.id, message)) return;
    if (this.#options.onMessage !== undefined) this.#options.onMessage(message);
    else if (isRequest(message)) this.#answer(message.id, message.method);
  }

  #settle(id: string, answer: Answer): boolean {
    const waiting = this.#take(id);
    if (waiting === undefined) return false;
    if (answer.result !== undefined) waiting.resolve(answer);
    else waiting.reject(readError(answer));
    return true;
  }

  #answer(id: string, method: string): void {
    if (method === 'ping') this.send(...success(id, '{}'));
    else this.send(failure(id, { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` }));
  }

  #receiveMalformed(line: Malformed): void {
    if (line.batch !== undefined && this.acceptsBatches) {
      for (const one of splitBatch(line.batch)) {
        if (one instanceof Envelope) this.#receive(one);
        else this.#receiveMalformed(one);
      }
      return;
    }
    const waiting = line.id === undefined ? undefined : this.#take(line.id);
    if (waiting === undefined) this.#options.onMalformed?.(line);
    else waiting.reject(new ConnectionError(`The answer cannot be read: ${line.detail}`));
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    return waiting;
  }

  #end(ending: Ending): void {
    const text = ending.error ? this.explainSpawn(ending.error) : `The server ${describeEnding(ending)}`;
    for (const id of this.#waiting.keys()) this.#take(id)?.reject(new ConnectionError(text));
    this.#reason = text;
    this.#settleEnded(text);
    this.#options.onClose?.(ending);
  }
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
