/** The examples of the library, run as the guide says. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const WAIT_MS = 60_000;

async function runExample(name: string): Promise<{ stdout: string; stderr: string }> {
  const { PATH, HOME } = process.env;
  return promisify(execFile)(process.execPath, [`examples/library/${name}.mjs`], {
    cwd: ROOT,
    env: { PATH, HOME },
    timeout: WAIT_MS,
  });
}

test('a connection lists and calls the tools of one server, and tells a refusal from a failure', async () => {
  const { stdout, stderr } = await runExample('connection');
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^Connected to \S*everything\nIt has \d+ tools\nEcho: hello\n/);
  expect(stdout).toMatch(/The server refused: .* \(-32601\)\n$/);
});

test('an aggregator inside a program offers the tools of every server', async () => {
  const { stdout, stderr } = await runExample('aggregator');
  expect(stderr).toBe('');
  expect(stdout).toBe('Tools of filesystem, memory, everything\nThe sum of 2 and 3 is 5.\n');
});
