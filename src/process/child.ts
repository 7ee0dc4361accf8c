/** One operating system process: lines in, lines out, and its end, whichever way it comes. Knows no protocol. */
import {
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  spawn as spawnProcess,
} from 'node:child_process';
import { type LineHandlers, LineReader } from '../wire/lines.ts';
import { Outlet } from '../wire/outlet.ts';
import type { Ending } from './ending.ts';
import { isGroupGone, signalGroup } from './group.ts';
import { StderrReader } from './stderr.ts';

export type SpawnProcess = (
  file: string,
  args: readonly string[],
  options: SpawnOptions,
) => ChildProcessWithoutNullStreams;

/** Told of every process, so that somebody else can end it if we cannot. */
export interface Watch {
  /** One is about to be started. */
  expect(): void;
  /** It leads a group of its own; undefined when it could not be started. */
  add(pid: number | undefined): void;
  /** Nothing of it is left. */
  remove(pid: number): void;
}

export interface ChildOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly spawn?: SpawnProcess | undefined;
  readonly watch?: Watch | undefined;
}

export interface ChildHandlers extends LineHandlers {
  onStderr(line: string): void;
  /** Once, after the last line. */
  onEnd(ending: Ending): void;
}

/** How long a process that shows one sign of death may take to show the others. */
const DEATH_GRACE_MS = 250;
/** After the end of its input, a process that is asked to stop gets this long before it is told to, and made to. */
const TERMINATE_AFTER_MS = 500;
const KILL_AFTER_MS = 900;
const GONE_POLL_MS = 10;
const GONE_WAIT_MS = 200;

export class Child {
  readonly #platform: NodeJS.Platform;
  readonly #handlers: ChildHandlers;
  readonly #watch: Watch | undefined;
  readonly #stderr: StderrReader;
  readonly #process: ChildProcessWithoutNullStreams | undefined;
  readonly #outlet: Outlet | undefined;
  readonly #lines: LineReader;
  readonly #whenEnded: Promise<void>;
  #settleEnded: () => void = () => {};
  #timers: NodeJS.Timeout[] = [];
  #cause: Ending['cause'] | undefined;
  #exit: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  #openPipes = 2;
  #isPaused = false;
  #hasEnded = false;

  constructor(options: ChildOptions, handlers: ChildHandlers) {
    this.#platform = options.platform;
    this.#handlers = handlers;
    this.#watch = options.watch;
    this.#lines = new LineReader({
      onMessage: (message) => handlers.onMessage(message),
      onMalformed: (line) => handlers.onMalformed(line),
      // How it ended says more than half a message.
      onCut: () => {},
    });
    this.#stderr = new StderrReader({ onLine: (line) => handlers.onStderr(line) });
    this.#whenEnded = new Promise((resolve) => (this.#settleEnded = resolve));
    try {
      this.#watch?.expect();
      this.#process = start(options);
      this.#watch?.add(this.#process.pid);
      this.#process.on('error', (error) => this.#failToStart(error));
      // Without descriptors left there is a process object, but it has no pipes.
      if (!this.#process.stdin) return;
      this.#outlet = new Outlet(this.#process.stdin);
      this.#listen(this.#process);
    } catch (error) {
      this.#watch?.add(undefined);
      // The caller does not have the object yet and could not hear of its end.
      queueMicrotask(() => this.#failToStart(error as NodeJS.ErrnoException));
    }
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Whether it may still read what it is sent. */
  get isAlive(): boolean {
    // A write that was refused is known at once, the error comes later.
    const isRefusing = this.#process?.stdin?.errored;
    return this.#cause === undefined && this.pid !== undefined && !isRefusing;
  }

  /** Bytes that the process has not taken yet. */
  get waitingBytes(): number {
    return this.#outlet?.waitingBytes ?? 0;
  }

  write(...pieces: readonly Buffer[]): void {
    if (this.#cause === undefined) this.#outlet?.push(...pieces);
  }

  /** Stops reading what the process says, and so in the end the process itself. */
  pause(): void {
    this.#isPaused = true;
    this.#process?.stdout?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#process?.stdout?.resume();
    if (this.#cause !== undefined) this.#advance();
  }

  /** Ends its input, then insists; resolves when it and all that it started are gone. */
  async stop(): Promise<void> {
    if (this.#cause === undefined) {
      this.#cause = 'stopped';
      // Whoever waits for it to be read again would wait for ever.
      this.resume();
      this.#outlet?.flush();
      this.#process?.stdin?.end();
      this.#after(TERMINATE_AFTER_MS, () => this.#signal('SIGTERM'));
      this.#after(KILL_AFTER_MS, () => {
        // Whoever paused it may never read on; what is left to read is no more than the pipe holds.
        this.resume();
        this.kill();
      });
    } else {
      this.resume();
    }
    await this.#whenEnded;
    await this.#whenGone();
  }

  /** Ends it and all that it started, at once. */
  kill(): void {
    // By now its number may be somebody else's.
    if (this.#hasEnded) return;
    this.#signal('SIGKILL');
    if (this.#cause !== undefined && !this.#isPaused) this.#after(DEATH_GRACE_MS, () => this.#end());
  }

  #listen({ stdin, stdout, stderr }: ChildProcessWithoutNullStreams): void {
    stdin.on('error', () => this.#show('stdin'));
    stdout.on('data', (chunk: Buffer) => this.#lines.push(chunk));
    stdout.on('error', () => {});
    stdout.on('close', () => {
      this.#lines.end();
      this.#openPipes -= 1;
      this.#show('stdout');
    });
    stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    stderr.on('error', () => {});
    stderr.on('close', () => {
      this.#openPipes -= 1;
      if (this.#cause !== undefined) this.#advance();
    });
    this.#process?.on('exit', (code, signal) => {
      this.#exit = { code, signal };
      this.#show('exit');
    });
  }

  /** A sign of death. The first one is the cause; an exit explains more than a closed pipe that came just before. */
  #show(sign: 'exit' | 'stdin' | 'stdout'): void {
    if (this.#cause === undefined || (sign === 'exit' && this.#cause !== 'stopped')) this.#cause = sign;
    this.#advance();
  }

  /** Ends when nothing more can come, or when it has been long enough; not while what it said is waiting to be read. */
  #advance(): void {
    if (this.#hasEnded) return;
    if (this.#exit !== undefined && this.#openPipes === 0) this.#end();
    else if (this.#cause !== 'stopped' && !this.#isPaused) this.#after(DEATH_GRACE_MS, () => this.#end());
    else if (this.#exit !== undefined && !this.#isPaused) this.#after(DEATH_GRACE_MS, () => this.#end());
  }

  /** On Windows it may have an id all the same: that of the shell that did not find it. */
  #failToStart(error: NodeJS.ErrnoException): void {
    this.#cause = 'spawn';
    this.#end(error);
  }

  #end(error?: NodeJS.ErrnoException): void {
    if (this.#hasEnded || (this.#isPaused && error === undefined)) return;
    this.#hasEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    // What it started may still hold the pipes, and has lost whom it worked for.
    this.#signal('SIGKILL');
    // Nothing can be started in a group that is being killed, and its number may soon be another's.
    if (this.pid !== undefined) this.#watch?.remove(this.pid);
    this.#closePipes();
    // A last line without its newline, when somebody else holds the pipe open.
    this.#lines.end();
    this.#handlers.onEnd({
      cause: this.#cause ?? 'exit',
      exitCode: this.#exit?.code ?? null,
      signal: this.#exit?.signal ?? null,
      stderr: this.#stderr.tail(),
      ...(error && { error }),
    });
    this.#settleEnded();
  }

  #closePipes(): void {
    this.#process?.stdin?.destroy();
    this.#process?.stdout?.destroy();
    this.#process?.stderr?.destroy();
    this.#stderr.flush();
  }

  #after(delayMs: number, act: () => void): void {
    this.#timers.push(setTimeout(act, delayMs));
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.pid !== undefined) signalGroup(this.pid, signal, this.#platform);
  }

  async #whenGone(): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    for (let waited = 0; waited < GONE_WAIT_MS; waited += GONE_POLL_MS) {
      if (isGroupGone(pid, this.#platform)) return;
      await new Promise((resolve) => setTimeout(resolve, GONE_POLL_MS));
    }
  }
}

function start({ file, args, env, cwd, platform, spawn }: ChildOptions): ChildProcessWithoutNullStreams {
  const run = spawn ?? chooseSpawn(platform);
  return run(file, args, {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, so that what it starts can be ended with it, and Ctrl-C reaches only us.
    detached: platform !== 'win32',
    windowsHide: true,
  });
}

/** Windows cannot run scripts and .cmd files by itself; the library that can is loaded only there. */
function chooseSpawn(platform: NodeJS.Platform): SpawnProcess {
  // oxlint-disable-next-line typescript/no-require-imports -- loaded on demand, and the bundle has it inside
  return platform === 'win32' ? (require('cross-spawn') as SpawnProcess) : (spawnProcess as SpawnProcess);
}
