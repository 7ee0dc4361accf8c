/** One real process and every way in which it can end, or fail to. */
import type { ChildProcessWithoutNullStreams, SpawnOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Child } from '../../src/process/child.ts';
import type { Ending } from '../../src/process/ending.ts';
import { until, within } from '../support/deadline.ts';
import { failingSpawn, FakeProcess } from '../support/fake-process.ts';
import { findMarked, killMarked, MARK, type MarkedProcess } from '../support/processes.ts';

/** What Node.js reads at a time. */
const CHUNK_BYTES = 64 * 1024;
const WAIT_MS = 60_000;
const READY = `{"jsonrpc":"2.0","method":"ready"}`;

/** A process and everything that came from it, in order. */
class Watched {
  readonly mark = randomUUID();
  /** Methods of messages, problems of malformed lines and `end`, as they came. */
  readonly events: string[] = [];
  readonly stderr: string[] = [];
  readonly child: Child;
  readonly ended: Promise<Ending>;

  constructor(file: string, args: readonly string[]) {
    const { PATH } = process.env;
    let end: (ending: Ending) => void = () => {};
    this.ended = new Promise((resolve) => (end = resolve));
    this.child = new Child(
      { file, args, env: { PATH, [MARK]: this.mark }, platform: process.platform },
      {
        onMessage: ({ method }) => this.events.push(method ?? 'answer'),
        onMalformed: ({ problem }) => this.events.push(problem),
        onStderr: (line) => this.stderr.push(line),
        onEnd: (ending) => {
          this.events.push('end');
          end(ending);
        },
      },
    );
    onTestFinished(() => killMarked(this.mark));
  }

  async ending(): Promise<Ending> {
    return within(WAIT_MS, this.ended, () => `the end after ${this.events.join(', ')}`);
  }

  async heard(event: string): Promise<void> {
    await until(
      WAIT_MS,
      () => this.events.includes(event),
      () => `"${event}" among ${this.events.join(', ')}`,
    );
  }

  survivors(): MarkedProcess[] {
    return findMarked(this.mark);
  }

  /** What is killed takes a moment to go. */
  async nothingLeft(): Promise<void> {
    await this.left(0);
  }

  async left(count: number): Promise<void> {
    await until(
      WAIT_MS,
      () => this.survivors().length === count,
      () => `${count} processes, not ${JSON.stringify(this.survivors())}`,
    );
  }
}

function runShell(script: string): Watched {
  return new Watched('sh', ['-c', script]);
}

function runNode(script: string): Watched {
  return new Watched(process.execPath, ['-e', script]);
}

const say = (method: string): string => `echo '{"jsonrpc":"2.0","method":"${method}"}'`;
const line = (method: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","method":"${method}"}\n`);

describe('a process that ends by itself', () => {
  test('gives its last lines first, then its exit code, once', async () => {
    const watched = runShell(`${say('one')}; echo noise; ${say('two')}; echo oops >&2; exit 3`);
    expect(watched.child.isAlive).toBe(true);
    expect(await watched.ending()).toEqual({
      cause: 'exit',
      exitCode: 3,
      signal: null,
      stderr: ['oops'],
    });
    expect(watched.events).toEqual(['one', 'json', 'two', 'end']);
    expect(watched.stderr).toEqual(['oops']);
    expect(watched.child.isAlive).toBe(false);
    await watched.child.stop();
    expect(watched.events.filter((event) => event === 'end')).toHaveLength(1);
  });

  test('by a signal gives the signal', async () => {
    expect(await runShell('kill -SEGV $$').ending()).toMatchObject({
      cause: 'exit',
      exitCode: null,
      signal: 'SIGSEGV',
    });
  });

  test('does not wait for what it started, although that holds the pipes, and takes it along', async () => {
    const watched = runShell(`sleep 1000 & ${say('bye')}; exit 4`);
    expect(await watched.ending()).toMatchObject({ cause: 'exit', exitCode: 4 });
    expect(watched.events).toEqual(['bye', 'end']);
    await watched.nothingLeft();
  });

  test('has its last line heard before its end, even without a newline and with the pipe still held', async () => {
    const watched = runShell(`sleep 1000 & printf '{"jsonrpc":"2.0","method":"last"}'; exit 0`);
    await watched.ending();
    await watched.nothingLeft();
    expect(watched.events).toEqual(['last', 'end']);
  });

  test('in the middle of a message does not have it heard, but noise is', async () => {
    const watched = runShell(`${say('one')}; printf '{"jsonrpc":"2.0","id":1,"resu'`);
    await watched.ending();
    expect(watched.events).toEqual(['one', 'end']);
    const noisy = runShell(`printf 'bye'`);
    await noisy.ending();
    expect(noisy.events).toEqual(['json', 'end']);
  });

  test('keeps the last words on stderr, with and without an end of line', async () => {
    const { stderr } = await runShell(`printf 'first\\nlast' >&2; exit 1`).ending();
    expect(stderr).toEqual(['first', 'last']);
  });
});

describe('a process that lives but can no longer be talked to', () => {
  test('counts as dead when it closes its stdout', async () => {
    const watched = runNode(
      `console.log('${READY}'); require('fs').closeSync(1); setInterval(() => {}, 1e6)`,
    );
    expect(await watched.ending()).toMatchObject({ cause: 'stdout', exitCode: null, signal: null });
    expect(watched.events).toEqual(['ready', 'end']);
    await watched.nothingLeft();
  });

  test('counts as dead when it has closed its stdin and is written to', async () => {
    const watched = runShell(`exec 0<&-; ${say('ready')}; sleep 1000`);
    await watched.heard('ready');
    watched.child.write(line('hello'));
    expect(await watched.ending()).toMatchObject({ cause: 'stdin', exitCode: null, signal: null });
    await watched.nothingLeft();
  });
});

describe('a paused process', () => {
  test('is not declared dead until it is read on; then nothing is missing', async () => {
    const watched = runShell(`${say('one')}; ${say('two')}; exit 5`);
    watched.child.pause();
    await watched.nothingLeft();
    // Node itself reads on when a process is gone; what it said may be heard, its end not.
    expect(watched.events).not.toContain('end');
    watched.child.resume();
    expect(await watched.ending()).toMatchObject({ cause: 'exit', exitCode: 5 });
    expect(watched.events).toEqual(['one', 'two', 'end']);
  });

  test('can be stopped all the same', async () => {
    const watched = runShell(`${say('one')}; cat >/dev/null; ${say('two')}`);
    watched.child.pause();
    await within(WAIT_MS, watched.child.stop(), () => 'the end of a paused process');
    expect(watched.events).toEqual(['one', 'two', 'end']);
    expect(watched.survivors()).toEqual([]);
  });

  test('that has died meanwhile can be stopped too', async () => {
    const watched = runShell(`${say('one')}; exit 6`);
    watched.child.pause();
    await watched.nothingLeft();
    await until(
      WAIT_MS,
      () => !watched.child.isAlive,
      () => 'the exit to be noticed',
    );
    await within(WAIT_MS, watched.child.stop(), () => 'the end of a paused process');
    expect(watched.events).toEqual(['one', 'end']);
    expect(await watched.ending()).toMatchObject({ exitCode: 6 });
  });
});

describe('stopping', () => {
  test('needs no more than the end of input where that is understood, and delivers what was written', async () => {
    const watched = runShell('cat; exit 7');
    watched.child.write(line('one'));
    watched.child.write(line('two'));
    await watched.child.stop();
    expect(watched.events).toEqual(['one', 'two', 'end']);
    expect(await watched.ending()).toMatchObject({ cause: 'stopped', exitCode: 7, signal: null });
  });

  test('asks a process that ignores the end of its input to terminate', async () => {
    const watched = runNode(
      `process.on('SIGTERM', () => process.exit(8)); setInterval(() => {}, 1e6); console.log('${READY}')`,
    );
    await watched.heard('ready');
    await watched.child.stop();
    expect(await watched.ending()).toMatchObject({ cause: 'stopped', exitCode: 8, signal: null });
  });

  test('kills a process that ignores that too, with all that it started', async () => {
    const watched = runNode(
      `process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6);
       const grandchild = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); console.log('${READY.replaceAll('"', '\\"')}')";
       require('child_process').spawn(process.execPath, ['-e', grandchild], { stdio: 'inherit' });`,
    );
    await watched.heard('ready');
    await watched.left(2);
    await Promise.all([watched.child.stop(), watched.child.stop()]);
    expect(await watched.ending()).toMatchObject({ cause: 'stopped', exitCode: null, signal: 'SIGKILL' });
    expect(watched.survivors()).toEqual([]);
  });

  test('leaves nothing of a process that goes at once but leaves others behind', async () => {
    const watched = runShell(`sleep 1000 & sleep 1000 & ${say('ready')}; cat`);
    await watched.heard('ready');
    await watched.left(4);
    await watched.child.stop();
    expect(watched.survivors()).toEqual([]);
  });

  test('takes nothing more to send', async () => {
    const watched = runShell('cat');
    const stopped = watched.child.stop();
    watched.child.write(line('too late'));
    await stopped;
    expect(watched.events).toEqual(['end']);
    expect(watched.child.waitingBytes).toBe(0);
  });

  test('can be skipped: killed, it is gone at once', async () => {
    const watched = runShell(`sleep 1000 & ${say('ready')}; cat`);
    await watched.heard('ready');
    watched.child.kill();
    expect(await watched.ending()).toMatchObject({ cause: 'exit', signal: 'SIGKILL' });
    await watched.nothingLeft();
    watched.child.kill();
  });
});

test('a process that floods its stdout gets no more than one chunk read in one turn of the loop', async () => {
  const { child, events } = runShell('exec yes');
  let most = 0;
  while (events.length < 500_000) {
    const before = events.length;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, events.length - before);
  }
  expect(most).toBeLessThanOrEqual(CHUNK_BYTES / 'y\n'.length);
  child.kill();
});

describe('a process that does not start', () => {
  test.each([
    ['is not found', '/no/such/program', [], 'ENOENT'],
    ['has an argument that no process can be given', process.execPath, ['a\0b'], 'ERR_INVALID_ARG_VALUE'],
  ])('says so when it %s', async (_, file, args, code) => {
    const watched = new Watched(file, args);
    expect(watched.child.isAlive).toBe(false);
    watched.child.write(line('nobody'));
    const ending = await watched.ending();
    expect(ending).toMatchObject({ cause: 'spawn', exitCode: null, signal: null });
    expect(ending.error?.code).toBe(code);
    watched.child.pause();
    watched.child.resume();
    watched.child.kill();
    await watched.child.stop();
    expect(watched.events).toEqual(['end']);
  });

  test('can be stopped before that is known', async () => {
    const watched = new Watched('/no/such/program', []);
    await watched.child.stop();
    expect(await watched.ending()).toMatchObject({ cause: 'spawn' });
  });

  test('says so when there are no descriptors left for its pipes', async () => {
    const spawn = failingSpawn('EMFILE', { hasPipes: false });
    const ending = await new Promise<Ending>((onEnd) => {
      const child = new Child(
        { file: 'x', args: [], env: {}, platform: 'linux', spawn },
        { onMessage: () => {}, onMalformed: () => {}, onStderr: () => {}, onEnd },
      );
      child.pause();
      child.write(line('nobody'));
    });
    expect(ending).toMatchObject({ cause: 'spawn', error: { code: 'EMFILE' } });
  });
});

test.each([
  ['win32', false],
  ['linux', true],
  ['darwin', true],
] as const)('on %s the process leads a group of its own: %s', async (platform, detached) => {
  const fake = new FakeProcess();
  const seen: [string, readonly string[], SpawnOptions][] = [];
  const spawn = (
    file: string,
    args: readonly string[],
    options: SpawnOptions,
  ): ChildProcessWithoutNullStreams => {
    seen.push([file, args, options]);
    return fake.spawn(file, args, options);
  };
  const child = new Child(
    { file: 'server.cmd', args: ['a b'], env: { A: '1' }, cwd: '/c', platform, spawn },
    { onMessage: () => {}, onMalformed: () => {}, onStderr: () => {}, onEnd: () => {} },
  );
  await child.stop();
  const stdio = ['pipe', 'pipe', 'pipe'];
  expect(seen).toEqual([
    [
      'server.cmd',
      ['a b'],
      expect.objectContaining({ env: { A: '1' }, cwd: '/c', stdio, windowsHide: true, detached }),
    ],
  ]);
});
