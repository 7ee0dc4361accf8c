import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSink, type LogStream } from '../src/sink.ts';

/** No stream of this test takes from it. */
const silent: LogStream = { writableLength: 0, write: () => true, on: () => {}, off: () => {} };

function makePath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'log-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'log.txt');
}

describe('a log file', () => {
  it('takes each line at once, after what is there already, and no one else may read it', () => {
    const path = makePath();
    const first = createSink({ stderr: silent, logFile: path });
    first.write('one');
    expect(readFileSync(path, 'utf8')).toBe('one\n');
    first.close();
    const second = createSink({ stderr: silent, logFile: path });
    second.write('zwölf');
    second.close();
    expect(readFileSync(path, 'utf8')).toBe('one\nzwölf\n');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('keeps everything away from stderr', () => {
    const sent: string[] = [];
    const stderr: LogStream = { ...silent, write: (text) => sent.push(text) > 0 };
    const sink = createSink({ stderr, logFile: makePath() });
    sink.write('one');
    sink.close();
    expect(sent).toEqual([]);
  });

  it('takes nothing after it was closed, and may be closed twice', () => {
    const path = makePath();
    const sink = createSink({ stderr: silent, logFile: path });
    sink.close();
    sink.close();
    sink.write('late');
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('that cannot be opened is an error at once', () => {
    const path = makePath();
    writeFileSync(path, '');
    expect(() => createSink({ stderr: silent, logFile: join(path, 'x') })).toThrow(/ENOTDIR/);
  });

  it.runIf(process.platform === 'linux')('on a full disk costs lines, not the program', () => {
    const sink = createSink({ stderr: silent, logFile: '/dev/full' });
    onTestFinished(() => sink.close());
    expect(() => sink.write('one')).not.toThrow();
  });
});

describe('stderr', () => {
  /** The far end of a real pipe: reads nothing until it gets a message, then prints the lines with that word. */
  const READER = `process.once('message', (word) => {
    require('node:readline').createInterface({ input: process.stdin })
      .on('line', (line) => { if (line.includes(word)) console.log(line); });
    process.disconnect();
  });
  process.send('ready');`;

  type Far = ChildProcess & { stdin: NodeJS.WritableStream & LogStream; stdout: NodeJS.ReadableStream };

  async function startReader(): Promise<Far> {
    const child = spawn(process.execPath, ['-e', READER], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'message');
    return child as unknown as Far;
  }

  it('that nobody reads costs a bounded memory, and what was dropped is told when it is read again', async () => {
    const far = await startReader();
    const sink = createSink({ stderr: far.stdin });
    const line = 'x'.repeat(1024);
    for (let count = 0; count < 8192; count += 1) sink.write(line);
    expect(far.stdin.writableLength).toBeLessThan(1.1 * 1024 * 1024);

    let printed = '';
    far.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const drained = once(far.stdin, 'drain');
    far.send('dropped');
    await drained;
    sink.write('nothing is dropped any more');
    sink.close();
    far.stdin.end();
    await once(far, 'close');
    const [notice, after] = printed.trim().split('\n');
    expect(notice).toMatch(
      /^mcp-simple-aggregator: warning: \d+ log lines dropped because stderr was not read$/,
    );
    expect(after).toBe('nothing is dropped any more');
  });

  it('tells what was dropped when the log ends before anybody has read', async () => {
    const far = await startReader();
    const sink = createSink({ stderr: far.stdin });
    for (let count = 0; count < 4096; count += 1) sink.write('x'.repeat(1024));
    sink.close();
    sink.write('dropped, for it comes late');
    let printed = '';
    far.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    far.send('dropped');
    far.stdin.end();
    await once(far, 'close');
    expect(printed).toMatch(/^mcp-simple-aggregator: warning: \d+ log lines dropped [^\n]*\n$/);
  });

  it('gets no line out of order: the first after a gap is the one that tells of it', () => {
    const sent: string[] = [];
    const listeners = new Map<string, () => void>();
    const stderr = {
      ...silent,
      writableLength: 0,
      write: (text: string) => sent.push(text) > 0,
      on: (event: string, listener: () => void) => listeners.set(event, listener),
    };
    const sink = createSink({ stderr });
    sink.write('one');
    stderr.writableLength = 2 * 1024 * 1024;
    sink.write('two');
    stderr.writableLength = 100;
    sink.write('three');
    listeners.get('drain')?.();
    sink.write('four');
    expect(sent).toEqual(['one\n', expect.stringContaining(' 2 log lines dropped'), 'four\n']);
  });

  it('that breaks ends neither the log nor the program', async () => {
    const far = await startReader();
    const sink = createSink({ stderr: far.stdin });
    const broken = once(far.stdin, 'close');
    far.kill('SIGKILL');
    await once(far, 'exit');
    sink.write('nobody is there');
    await broken;
    expect(() => sink.write('still nobody')).not.toThrow();
    sink.close();
  });

  it('gets back what was hung onto it, except the guard against its errors', async () => {
    const far = await startReader();
    const sink = createSink({ stderr: far.stdin });
    const before = far.stdin.listenerCount('drain');
    sink.close();
    sink.close();
    expect(far.stdin.listenerCount('drain')).toBe(before - 1);
    expect(far.stdin.listenerCount('error')).toBeGreaterThan(0);
  });
});
