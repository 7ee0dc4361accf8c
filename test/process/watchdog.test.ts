/** The watchdog with real processes: it ends exactly what was left, and holds on to nothing. Linux only, for /proc. */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasEnded } from '../../src/process/identity.ts';
import { Watchdog, type WatchdogOptions } from '../../src/process/watchdog.ts';
import { until, within } from '../support/deadline.ts';
import { makeFolder } from '../support/session.ts';

const WAIT_MS = 60_000;
const STUBBORN = 'trap "" TERM HUP INT; echo ready; while :; do sleep 1; done';
/** One that is gone as soon as it has started another, as launchers are. */
const LEAVING = `(${STUBBORN}) & exec true`;

interface Watched {
  watchdog: Watchdog;
  /** The shells that it started. */
  shells: ChildProcess[];
  lost: string[];
}

function watch(options: Partial<WatchdogOptions> = {}): Watched {
  const shells: ChildProcess[] = [];
  const lost: string[] = [];
  const record = (file: string, args: readonly string[], spawnOptions: SpawnOptions): ChildProcess => {
    const shell = spawn(file, args, spawnOptions);
    shells.push(shell);
    return shell;
  };
  const onLost = (what: string): void => void lost.push(what);
  const watchdog = new Watchdog({ platform: process.platform, spawn: record, onLost, ...options });
  onTestFinished(() => watchdog.close());
  return { watchdog, shells, lost };
}

/** A group that ends only by force, once it is ready for that. */
async function startStubborn(watchdog?: Watchdog, env = process.env, script = STUBBORN): Promise<number> {
  watchdog?.expect();
  const options = { detached: true, env };
  const child = spawn('sh', ['-c', script], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = child.pid ?? -1;
  watchdog?.add(pid);
  onTestFinished(() => {
    if (!hasEnded(pid, process.platform)) process.kill(-pid, 'SIGKILL');
  });
  const ready = new Promise((resolve) => {
    child.stdout?.once('data', resolve);
  });
  await within(WAIT_MS, ready, () => 'a child that is ready');
  return pid;
}

async function gone(pid: number): Promise<void> {
  await until(
    WAIT_MS,
    () => hasEnded(pid, process.platform),
    () => `end of group ${pid}`,
  );
}

/** A program of its own that uses the watchdog; what it prints is the number of its child. */
async function runProgram(body: string): Promise<{ pid: number; signal: NodeJS.Signals | null }> {
  const folder = makeFolder();
  const entry = join(import.meta.dirname, '../../src/process/watchdog.ts');
  buildSync({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'watchdog.mjs'),
  });
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    `import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { Watchdog } from './watchdog.mjs';
const watchdog = new Watchdog({ platform: process.platform });
watchdog.expect();
const env = { ...process.env, ...watchdog.variables };
const child = spawn('sh', ['-c', ${JSON.stringify(STUBBORN)}], { detached: true, stdio: 'ignore', env });
writeSync(1, String(child.pid));
${body}`,
  );
  const running = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  running.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const closed = new Promise<NodeJS.Signals | null>((resolve) => {
    running.on('close', (_, signal) => resolve(signal));
  });
  // Closed, not only ended: nobody else holds its stdout.
  const signal = await within(WAIT_MS, closed, () => 'end of the program');
  const pid = Number(printed);
  onTestFinished(() => {
    if (!hasEnded(pid, process.platform)) process.kill(-pid, 'SIGKILL');
  });
  return { pid, signal };
}

test('ends what was not removed, by force if need be, and leaves alone what was', async () => {
  const { watchdog, shells } = watch();
  const pids = await Promise.all([1, 2, 3].map(() => startStubborn(watchdog)));
  const [first = 0, second = 0, third = 0] = pids;
  watchdog.remove(second);
  watchdog.close();
  await Promise.all([gone(first), gone(third), gone(shells[0]?.pid ?? -1)]);
  expect(hasEnded(second, process.platform)).toBe(false);
});

test('ends by itself when nothing is left to watch', async () => {
  const { watchdog, shells } = watch();
  const pid = await startStubborn(watchdog);
  watchdog.remove(pid);
  watchdog.close();
  await gone(shells[0]?.pid ?? -1);
  expect(hasEnded(pid, process.platform)).toBe(false);
});

test('tells numbers apart that are part of each other', async () => {
  const { watchdog, shells } = watch();
  const pid = await startStubborn(watchdog);
  const other = await startStubborn(watchdog);
  const parts = [`${pid}`.slice(1), `${pid}`.slice(0, -1), `${pid}0`, `1${pid}`, '', '*', '?'];
  shells[0]?.stdin?.write(parts.map((part) => `- ${part}\n`).join(''));
  shells[0]?.stdin?.write(`- ${other}\n+ ${other}\n- ${other}\n- ${other}\n`);
  watchdog.close();
  await gone(pid);
  await gone(shells[0]?.pid ?? -1);
  expect(hasEnded(other, process.platform)).toBe(false);
});

test('knows of a process as soon as it is told, and even one that it is not told of any more', async () => {
  const kill = "process.kill(process.pid, 'SIGKILL');";
  for (const body of [`watchdog.add(child.pid);${kill}`, kill]) {
    const { pid, signal } = await runProgram(body);
    expect(signal).toBe('SIGKILL');
    await gone(pid);
  }
});

/** That of this machine, and those of macOS and of Alpine Linux. */
const SHELLS = ['/bin/sh', '/bin/bash', '/bin/busybox'].filter((file) => existsSync(file));

describe.each(SHELLS)('run by %s', (file) => {
  const speak = (_: string, args: readonly string[], options: SpawnOptions): ChildProcess =>
    spawn(file, args, { ...options, argv0: 'sh' });

  test('it ends what was not removed, by force if need be', async () => {
    const { watchdog } = watch({ spawn: speak });
    const [first, second] = [await startStubborn(watchdog), await startStubborn(watchdog)];
    watchdog.remove(second);
    watchdog.close();
    await gone(first);
    expect(hasEnded(second, process.platform)).toBe(false);
  });

  test.each([
    ['it was not told of', STUBBORN],
    ['was started by one that it was not told of, and that is gone', LEAVING],
  ])('it finds what %s', async (_, script) => {
    const { watchdog } = watch({ spawn: speak });
    watchdog.expect();
    // Its environment is read up to the end of the first variable by some.
    const pid = await startStubborn(undefined, { ...watchdog.variables, ...process.env }, script);
    watchdog.close();
    await gone(pid);
  });
});

test('does not keep the program running that uses it', async () => {
  const { pid, signal } = await runProgram('watchdog.add(child.pid); child.unref();');
  expect(signal).toBeNull();
  await gone(pid);
});

test('holds nothing but its lifeline', async () => {
  const { watchdog, shells } = watch();
  watchdog.expect();
  const folder = `/proc/${shells[0]?.pid}`;
  expect(readlinkSync(`${folder}/fd/1`)).toBe('/dev/null');
  expect(readlinkSync(`${folder}/fd/2`)).toBe('/dev/null');
  expect(readlinkSync(`${folder}/cwd`)).toBe('/');
  const lifeline = readlinkSync(`${folder}/fd/0`);
  const child = spawn('sleep', ['100'], { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  for (const fd of [0, 1, 2]) expect(readlinkSync(`/proc/${child.pid}/fd/${fd}`)).not.toBe(lifeline);
  // The lowest free number would be the one of a descriptor that leaked; while it starts, its libraries have it.
  await until(
    WAIT_MS,
    () => !existsSync(`/proc/${child.pid}/fd/3`),
    () => readlinkSync(`/proc/${child.pid}/fd/3`),
  );
});

test('is not impressed by signals that are meant for us', async () => {
  const { watchdog, shells } = watch();
  const pid = await startStubborn(watchdog);
  const ignored = (): number => {
    const status = readFileSync(`/proc/${shells[0]?.pid}/status`, 'latin1');
    return Number.parseInt(/SigIgn:\s*(\w+)/.exec(status)?.[1] ?? '', 16);
  };
  await until(
    WAIT_MS,
    () => (ignored() & (1 << (constants.signals.SIGTERM - 1))) !== 0,
    () => 'a shell that has read its first line',
  );
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) shells[0]?.kill(signal);
  watchdog.close();
  await gone(pid);
});

test('is replaced at once when it was ended from outside, and the new one knows everything', async () => {
  let time = 0;
  const { watchdog, shells, lost } = watch({ now: () => (time += 1000) });
  const pid = await startStubborn(watchdog);
  shells[0]?.kill('SIGKILL');
  await until(
    WAIT_MS,
    () => shells.length === 2,
    () => 'another one',
  );
  watchdog.close();
  await gone(pid);
  expect(lost).toEqual([]);
});

test('is replaced with the next process, and said to be missing, when it does not last', async () => {
  const { watchdog, shells, lost } = watch({ now: () => 0 });
  const first = await startStubborn(watchdog);
  shells[0]?.kill('SIGKILL');
  await until(
    WAIT_MS,
    () => lost.length > 0,
    () => 'word that it is gone',
  );
  expect(shells).toHaveLength(1);
  const second = await startStubborn(watchdog);
  expect(shells).toHaveLength(2);
  watchdog.close();
  await Promise.all([gone(first), gone(second)]);
  expect(lost).toEqual([expect.stringContaining('ended from outside')]);
});

test('is tried again with the next process when there was no room for one', async () => {
  let attempts = 0;
  const { watchdog, shells, lost } = watch({
    spawn: (file, args, options) => {
      attempts += 1;
      if (attempts === 1) throw Object.assign(new Error('no room'), { code: 'EAGAIN' });
      const shell = spawn(file, args, options);
      shells.push(shell);
      return shell;
    },
  });
  const first = await startStubborn(watchdog);
  const second = await startStubborn(watchdog);
  expect(attempts).toBe(2);
  watchdog.close();
  await Promise.all([gone(first), gone(second)]);
  expect(lost).toEqual([expect.stringMatching(/"\/bin\/sh" cannot be started \(EAGAIN\)/)]);
});

test('says once that there is no shell, and goes on', async () => {
  let starts = 0;
  const { watchdog, lost } = watch({
    spawn: (_, args, options) => {
      starts += 1;
      return spawn('/no/such/shell', args, options);
    },
  });
  for (const pid of [2 ** 30, 2 ** 30 + 1]) {
    watchdog.expect();
    watchdog.add(pid);
  }
  await until(
    WAIT_MS,
    () => lost.length > 0,
    () => 'word that there is none',
  );
  watchdog.expect();
  watchdog.add(undefined);
  watchdog.remove(2 ** 30);
  watchdog.close();
  expect(starts).toBe(1);
  expect(lost).toEqual([expect.stringMatching(/"\/bin\/sh" cannot be started \(ENOENT\)/)]);
});

test('starts nothing before there is something to watch, and on Windows not even then', () => {
  const { shells } = watch();
  const windows = watch({ platform: 'win32' });
  windows.watchdog.expect();
  windows.watchdog.add(2 ** 30);
  windows.watchdog.remove(2 ** 30);
  expect([shells, windows.shells, windows.lost]).toEqual([[], [], []]);
});

test('writes down what it watches', () => {
  const pids: number[] = [];
  const { watchdog } = watch({ platform: 'win32', manifest: { add: (pid) => void pids.push(pid) } });
  watchdog.expect();
  watchdog.add(2 ** 30);
  watchdog.expect();
  watchdog.add(undefined);
  expect(pids).toEqual([2 ** 30]);
});
