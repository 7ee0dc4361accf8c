/** Starts a bare Node program and gives the time until its line is there: the yardstick of every start. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createEnvironment } from './environment.mjs';

const bare = fileURLToPath(new URL('bare.cjs', import.meta.url));

export async function startBare() {
  const started = performance.now();
  const child = spawn(process.execPath, [bare], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: createEnvironment(process.env),
  });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  const time = performance.now() - started;
  await ended;
  return time;
}
