/** Runs the built command to its end with nothing on stdin and gives what it wrote. Speaks no protocol. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { within } from './deadline.ts';
import { killMarked, MARK } from './processes.ts';
import { CLI, cleanEnvironment, makeFolder } from './session.ts';

const WAIT_MS = 60_000;

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export async function run(argv: string[], options: RunOptions = {}): Promise<Outcome> {
  const mark = randomUUID();
  onTestFinished(() => killMarked(mark));
  const child = spawn(process.execPath, [CLI, ...argv], {
    env: { ...cleanEnvironment(), [MARK]: mark, ...options.env },
    cwd: options.cwd ?? makeFolder(),
    detached: true,
  });
  child.stdin.on('error', () => {});
  child.stdin.end();
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = new Promise<number | null>((resolve) => {
    child.on('close', (code) => resolve(code));
  });
  const code = await within(WAIT_MS, closed, () => `end of ${argv.join(' ')}\n${stdout}\n${stderr}`);
  return { code, stdout, stderr };
}
