/** A process that exists only in memory: the test says its lines and reads what it is sent. Runs nothing. */
import type { ChildProcessWithoutNullStreams, SpawnOptions } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { SpawnProcess } from '../../src/process/child.ts';
import { within } from './deadline.ts';
import { Inbox, type Message } from './inbox.ts';

/** Beyond what any system gives out, because signals are really sent to it. */
const UNUSED_PID = 2 ** 30;
const WAIT_MS = 60_000;

export class FakeProcess extends EventEmitter {
  readonly pid: number = UNUSED_PID;
  readonly stdin: PassThrough = new PassThrough();
  readonly stdout: PassThrough = new PassThrough();
  readonly stderr: PassThrough = new PassThrough();
  /** What it was sent. */
  readonly inbox: Inbox = new Inbox();
  /** What it was started with. */
  started: { file: string; args: readonly string[]; options: SpawnOptions } | undefined;

  constructor({ endsWithInput = true }: { endsWithInput?: boolean } = {}) {
    super();
    this.stdin.on('data', (chunk: Buffer) => this.inbox.receive(chunk));
    if (endsWithInput) this.stdin.on('end', () => this.exit(0));
  }

  /** To be given in the place of `child_process.spawn`. */
  get spawn(): SpawnProcess {
    return (file, args, options) => {
      this.started = { file, args, options };
      return this as unknown as ChildProcessWithoutNullStreams;
    };
  }

  /** The next message that it is sent. */
  async next(): Promise<Message> {
    return within(
      WAIT_MS,
      this.inbox.take(() => true),
      () => 'a line for the process',
    );
  }

  say(...lines: readonly string[]): void {
    this.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Answers a request with a raw member such as `"result":{}`. */
  answer({ id }: Message, member: string): void {
    this.say(`{"jsonrpc":"2.0","id":${id},${member}}`);
  }

  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.emit('exit', code, signal);
    this.stdout.end();
    this.stderr.end();
    this.stderr.resume();
  }
}

/** Stands for a `spawn` that finds out later that it could not: the object is there, the process is not. */
export function failingSpawn(code: string, { hasPipes }: { hasPipes: boolean }): SpawnProcess {
  return () => {
    const fake = new EventEmitter();
    const pipe = (): PassThrough | undefined => (hasPipes ? new PassThrough() : undefined);
    process.nextTick(() => fake.emit('error', Object.assign(new Error(`spawn ${code}`), { code })));
    return Object.assign(fake, {
      stdin: pipe(),
      stdout: pipe(),
      stderr: pipe(),
    }) as unknown as ChildProcessWithoutNullStreams;
  };
}
