/** The manifest on a real disk: whole lines, for a shell to run, in a file that nobody else chose. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasEnded, type IdentitySources, readIdentity } from '../../src/process/identity.ts';
import { Manifest, readRecords } from '../../src/process/manifest.ts';
import { until, within } from '../support/deadline.ts';
import { makeFolder } from '../support/session.ts';

const PAGE_BYTES = 4096;
const identify = (pid: number): { start: string; boot: string } => ({ start: `${pid}5`, boot: 'b-0' });
const record = (pid: number): string =>
  `# mcp-simple-aggregator pid=${pid} start=${pid}5 boot=b-0\nkill ${pid}\nkill -- -${pid}\n`;

function place(): string {
  return join(makeFolder(), 'mcp.kill');
}

describe('a manifest', () => {
  test('is for its owner alone, has three lines for each process, and is empty in the end', () => {
    const path = place();
    const manifest = Manifest.open(path, { identify });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    manifest.add(123);
    expect(readFileSync(path, 'utf8')).toBe(record(123));
    manifest.add(4567);
    expect(readFileSync(path, 'utf8')).toBe(record(123) + record(4567));
    manifest.clear();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  test('keeps what an earlier run has left', () => {
    const path = place();
    writeFileSync(path, 'kill 99\n');
    Manifest.open(path, { identify }).add(123);
    expect(readFileSync(path, 'utf8')).toBe(`kill 99\n${record(123)}`);
  });

  test('never has a record on two pages, where a write could be cut in two', () => {
    const path = place();
    const manifest = Manifest.open(path, { identify });
    const pids = Array.from({ length: 300 }, (_, index) => 2 + 7 ** (index % 7) + index);
    for (const pid of pids) manifest.add(pid);
    const text = readFileSync(path, 'utf8');
    for (const pid of pids) {
      const start = text.indexOf(record(pid));
      const end = start + record(pid).length - 1;
      expect(start).toBeGreaterThanOrEqual(0);
      expect(Math.floor(start / PAGE_BYTES)).toBe(Math.floor(end / PAGE_BYTES));
    }
    expect(readRecords(text).map(({ pid }) => pid)).toEqual(pids);
  });

  test('is run by a shell and ends the process with all that it started', async () => {
    const path = place();
    const script = 'sh -c "echo ready; sleep 100"; true';
    const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = child.pid ?? -1;
    onTestFinished(() => {
      if (!hasEnded(pid, process.platform)) process.kill(-pid, 'SIGKILL');
    });
    const ready = new Promise((resolve) => {
      child.stdout.once('data', resolve);
    });
    await within(60_000, ready, () => 'a child that is ready');
    Manifest.open(path).add(pid);
    expect(readRecords(readFileSync(path, 'utf8'))).toEqual([{ pid, identity: readIdentity(pid) }]);
    execFileSync('sh', [path], { stdio: 'ignore' });
    await until(
      5000,
      () => hasEnded(pid, process.platform),
      () => `end of group ${pid}`,
    );
  });

  test('is refused where it is a link, a folder or a pipe, or cannot be made', () => {
    const folder = makeFolder();
    const at = (name: string): string => join(folder, name);
    writeFileSync(at('target'), 'precious');
    symlinkSync(at('target'), at('link'));
    symlinkSync(at('nowhere'), at('dangling'));
    mkdirSync(at('folder'));
    execFileSync('mkfifo', [at('pipe')]);
    for (const name of ['link', 'dangling', 'folder', 'pipe']) {
      expect(() => Manifest.open(at(name)), name).toThrow(
        /^The terminator manifest ".*" is no ordinary file: /,
      );
    }
    expect(() => Manifest.open(at('none/mcp.kill'))).toThrow(
      /cannot be opened \(there is no such file or folder\): choose another/,
    );
    expect(() => Manifest.open('/dev/null')).toThrow(/is no ordinary file/);
    expect(readFileSync(at('target'), 'utf8')).toBe('precious');
  });

  test('is refused where it is a file of somebody else, which would be emptied', () => {
    const path = place();
    writeFileSync(path, 'precious\n');
    expect(() => Manifest.open(path)).toThrow(/holds something else, .*: choose another/);
    expect(readFileSync(path, 'utf8')).toBe('precious\n');
    writeFileSync(path, `kill 5\n\n${record(6)}`);
    Manifest.open(path).clear();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  test('says once when it cannot be written any more', () => {
    const problems: string[] = [];
    const manifest = Manifest.open(place(), { identify, onProblem: (what) => void problems.push(what) });
    manifest.clear();
    manifest.add(123);
    manifest.add(124);
    expect(problems).toEqual([expect.stringMatching(/cannot be written \(EBADF\)/)]);
  });
});

describe('the records of a manifest', () => {
  test('are those of whole lines only, and never of the first process', () => {
    const whole = record(123);
    const torn = '# mcp-simple-aggregator pid=45 start=1 boot=b-';
    const foreign =
      'kill 7\n# mcp-simple-aggregator pid=1 start=1 boot=b\n# mcp-simple-aggregator pid=0 start=1 boot=b\n';
    expect(readRecords(foreign + whole + torn)).toEqual([
      { pid: 123, identity: { start: '1235', boot: 'b-0' } },
    ]);
    for (let length = 0; length < whole.length; length += 1) {
      const pids = readRecords(whole.slice(0, length)).map(({ pid }) => pid);
      expect([[], [123]]).toContainEqual(pids);
    }
  });

  test('have no identity where there was none', () => {
    const path = place();
    Manifest.open(path, { identify: () => undefined }).add(123);
    expect(readRecords(readFileSync(path, 'utf8'))).toEqual([{ pid: 123 }]);
  });
});

describe('the identity of a process', () => {
  const stat = `7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 10 20`;
  const fail = (): never => {
    throw new Error('unexpected');
  };
  const linux = (files: Record<string, string>): IdentitySources => ({
    platform: 'linux',
    readFile: (path) => files[path] ?? fail(),
    run: fail,
  });
  const boot = { '/proc/sys/kernel/random/boot_id': 'b-0\n' };

  test('is its start in ticks and the start of the machine on Linux, whatever its name', () => {
    const sources = linux({ '/proc/7/stat': stat, ...boot });
    expect(readIdentity(7, sources)).toEqual({ start: '987654', boot: 'b-0' });
    expect(readIdentity(8, sources)).toBeUndefined();
    expect(readIdentity(7, linux({ '/proc/7/stat': stat }))).toBeUndefined();
    expect(readIdentity(7, linux({ '/proc/7/stat': '', ...boot }))).toBeUndefined();
  });

  test('is its start in seconds elsewhere, in no time zone', () => {
    const asked: unknown[] = [];
    const darwin = (answer: string): IdentitySources => ({
      platform: 'darwin',
      readFile: fail,
      run: (...question) => {
        asked.push(question);
        return answer;
      },
    });
    const start = String(Date.UTC(2026, 10, 8, 3, 4, 5) / 1000);
    expect(readIdentity(7, darwin('Sun Nov  8 03:04:05 2026    \n'))).toEqual({ start, boot: '-' });
    expect(asked).toEqual([['/bin/ps', ['-o', 'lstart=', '-p', '7'], { LC_ALL: 'C', TZ: 'UTC0' }]]);
    expect(readIdentity(7, darwin(''))).toBeUndefined();
    expect(readIdentity(7, { ...darwin(''), run: fail })).toBeUndefined();
  });

  test('is unknown on Windows', () => {
    expect(readIdentity(7, { platform: 'win32', readFile: fail, run: fail })).toBeUndefined();
  });

  test('is the same each time for one process, and different for the next', async () => {
    expect(readIdentity(process.pid)).toEqual(readIdentity(process.pid));
    const child = spawn('sleep', ['100']);
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(readIdentity(child.pid ?? -1)).not.toEqual(readIdentity(process.pid));
    const exited = new Promise((resolve) => {
      child.on('exit', resolve);
    });
    child.kill('SIGKILL');
    await exited;
    expect(readIdentity(child.pid ?? -1)).toBeUndefined();
  });
});
