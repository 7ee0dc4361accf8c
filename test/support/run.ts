/** Runs the built command as a person does, with nothing on stdin or on a terminal, and gives what it wrote. Speaks no protocol. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
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

export interface Terminal {
  child: ChildProcessWithoutNullStreams;
  /** All that it has shown so far. */
  shown: () => string;
  /** The exit code. */
  exited: Promise<number | null>;
  mark: string;
}

export const SCRIPT = '/usr/bin/script';

/** Runs the built command on a terminal of its own, where there is the program for that. */
export function runOnTerminal(argv: string[], env: NodeJS.ProcessEnv = process.env): Terminal {
  const mark = randomUUID();
  onTestFinished(() => killMarked(mark));
  const command = [process.execPath, CLI, ...argv].map((word) => `'${word}'`).join(' ');
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
    cwd: makeFolder(),
    env: { ...env, [MARK]: mark },
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => {
    child.on('exit', resolve);
  });
  return { child, shown: () => shown, exited, mark };
}
