/** What `check` learns of one server, with a real process at the other end. */
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { Probe } from '../../../src/cli/stage/probe.ts';
import { Log } from '../../../src/log.ts';
import { until } from '../../support/deadline.ts';
import { fixture } from '../../support/fixture.ts';

function probe(): Probe {
  const { command, args = [] } = fixture({ stderr: 'out of disk\n' });
  const config = { key: 'a', command, commandText: command, args, env: {} };
  const { platform, execPath, env } = process;
  const started = new Probe(config, {
    log: new Log({ debug: false, write: () => {}, secrets: [] }),
    host: { platform, execPath, exists: existsSync },
    env,
    isolateEnv: false,
    extraEnv: {},
    startupTimeoutMs: 20_000,
    identity: { name: 'test', version: '1' },
  });
  onTestFinished(() => started.close());
  return started;
}

test('a server that ends after it was ready, while others are still being tried, has failed', async () => {
  const server = probe();
  await server.open();
  expect(server.failure).toBeUndefined();
  process.kill(Number(server.connection.pid), 'SIGKILL');
  await until(
    10_000,
    () => server.failure !== undefined,
    () => 'It has not failed',
  );
  expect(server.failure).toMatchObject({
    problem: 'It was ended by SIGKILL after it was ready',
    cause: 'end',
    stderr: ['out of disk'],
  });
});

test('a server that is asked to end has not failed', async () => {
  const server = probe();
  await server.open();
  await server.close();
  expect(server.failure).toBeUndefined();
});
