/** A config that leads back to itself is refused; one aggregator inside another is not. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { killMarked } from '../support/processes.ts';
import { CLI, makeFolder, type ServerEntry, type Session, start, startReady } from '../support/session.ts';

const aggregate = (config: string): ServerEntry => ({ command: 'node', args: [CLI, '--config', config] });

function writeConfig(file: string, servers: Record<string, ServerEntry>): void {
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
}

/** More than any story here needs; a command that starts itself again and again is stopped here. */
const PROCESS_LIMIT = 16;

/** Takes the configs away as soon as too many processes are there: without that, a missing rule takes the machine. */
function startGuarded(configs: [string, ...string[]], args: string[] = []): Session {
  const session = start({ argv: () => ['--config', configs[0], ...args] });
  const look = (): void => {
    if (session.survivors().length <= PROCESS_LIMIT) return;
    for (const config of configs) rmSync(config, { force: true });
    killMarked(session.mark);
  };
  const timer = setInterval(look, 10);
  onTestFinished(() => clearInterval(timer));
  return session;
}

/** A session that was stopped by its guard has no message and no clean end. */
async function expectRefused(session: Session): Promise<void> {
  await session.stderrMatches(/error: \[.*this same file.*remove that entry/);
  expect(session.stderr).not.toMatch(/^\s+at /m);
  expect(await session.close()).toEqual({ code: 0, signal: null });
  await session.nothingLeft();
}

test('refuses a config that contains itself, and serves the rest', async () => {
  const config = join(makeFolder(), 'config.json');
  writeConfig(config, { me: aggregate(config), other: fixture({ tools: ['echo'] }) });
  const session = startGuarded([config]);
  await session.initialize();
  expect(await session.listNames()).toEqual(['other:echo']);
  await expectRefused(session);
});

test('refuses a config that contains itself when it passes on little of its environment', async () => {
  const config = join(makeFolder(), 'config.json');
  writeConfig(config, { me: { command: 'node', args: [CLI, config, '--isolate-env'] } });
  await expectRefused(startGuarded([config], ['--isolate-env']));
});

test('refuses a config that contains itself under another name', async () => {
  const folder = makeFolder();
  const [config, link] = [join(folder, 'config.json'), join(folder, 'link.json')];
  writeConfig(config, { me: { command: 'node', args: [CLI, './link.json'], cwd: folder } });
  symlinkSync(config, link);
  await expectRefused(startGuarded([config]));
});

test('refuses two configs that contain each other', async () => {
  const folder = makeFolder();
  const [first, second] = [join(folder, 'first.json'), join(folder, 'second.json')];
  writeConfig(first, { second: aggregate(second) });
  writeConfig(second, { first: aggregate(first) });
  await expectRefused(startGuarded([first, second]));
});

test('refuses a config that contains itself through a shell', async () => {
  const config = join(makeFolder(), 'config.json');
  writeConfig(config, {
    me: { command: 'sh', args: ['-c', `'${process.execPath}' '${CLI}' '${config}'; true`] },
  });
  await expectRefused(startGuarded([config]));
});

test('serves another aggregator like any other server', async () => {
  const inner = join(makeFolder(), 'inner.json');
  writeConfig(inner, { b: fixture({ name: 'b', tools: ['echo'] }) });
  const session = await startReady({
    servers: { a: aggregate(inner), c: fixture({ name: 'c', tools: ['echo'] }) },
  });
  expect(await session.listNames()).toEqual(['a:b:echo', 'c:echo']);
  expect(await session.callText('a:b:echo', { x: 1 })).toBe('b {"x":1}');
  expect(await session.close()).toEqual({ code: 0, signal: null });
  await session.nothingLeft();
});
