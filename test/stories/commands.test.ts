/** Finding the program of a server: node, npm and npx are the aggregator's own, whatever PATH says. */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, SERVER } from '../support/fixture.ts';
import { makeProject, npxEntry } from '../support/project.ts';
import { makeFolder, type Session, start, startReady } from '../support/session.ts';
import { makeShellFolder } from '../support/shell-folder.ts';

const nodeFolder = dirname(process.execPath);

async function readPath(session: Session, key: string): Promise<string | null> {
  const [path] = JSON.parse(await session.callText(`${key}:env`, { names: ['PATH'] })) as [string | null];
  return path;
}

test.each<[string, string | undefined]>([
  ['is empty', ''],
  ['is not set', undefined],
  ['knows no Node.js', '/nonexistent'],
])('starts node as its own Node.js when PATH %s', async (_, PATH) => {
  const session = await startReady({ servers: { a: fixture() }, env: { PATH } });
  const found = JSON.parse(await session.callText('a:node')) as unknown;
  expect(found).toEqual({ execPath: process.execPath, version: process.version });
});

test.each(['npx', 'npm'])('starts a server through %s when PATH knows no Node.js', async (command) => {
  const project = makeProject();
  const npm = { command: 'npm', args: ['run', '--silent', 'serve'], cwd: project.folder };
  const servers = { a: command === 'npx' ? npxEntry(project) : npm };
  const session = await startReady({ servers, env: { ...project.env, PATH: makeShellFolder() } });
  const found = JSON.parse(await session.callText('a:node')) as unknown;
  expect(found).toEqual({ execPath: process.execPath, version: process.version });
});

test('puts its Node.js first on the PATH of node, and last where the entry sets PATH', async () => {
  const servers = {
    plain: fixture(),
    own: fixture({}, { env: { PATH: '/entry/bin' } }),
    other: { command: process.execPath, args: [SERVER] },
    otherOwn: { command: process.execPath, args: [SERVER], env: { PATH: '/entry/bin' } },
  };
  const session = await startReady({ servers, env: { PATH: '/client/bin:/bin' } });
  expect(await readPath(session, 'plain')).toBe(`${nodeFolder}:/client/bin:/bin`);
  expect(await readPath(session, 'own')).toBe(`/entry/bin:${nodeFolder}`);
  expect(await readPath(session, 'other')).toBe('/client/bin:/bin');
  expect(await readPath(session, 'otherOwn')).toBe('/entry/bin');
});

test('starts another command as it stands, found on PATH', async () => {
  const servers = { a: { command: 'sh', args: ['-c', `exec '${process.execPath}' '${SERVER}'`] } };
  const session = await startReady({ servers, env: { PATH: '/usr/bin:/bin' } });
  expect(await readPath(session, 'a')).toBe('/usr/bin:/bin');
});

test('says with --debug what node was resolved to, and nothing of the kind about others', async () => {
  const servers = { a: fixture(), b: { command: process.execPath, args: [SERVER] } };
  const session = await startReady({ servers, args: ['--debug'] });
  await session.close();
  const lines = session.stderr.split('\n').filter((line) => /resolved/i.test(line));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^mcp-simple-aggregator: debug: \[a\] .*node/);
  expect(lines[0]).toContain(process.execPath);
});

test('does not say so without --debug', async () => {
  const session = await startReady({ servers: { a: fixture() } });
  await session.close();
  expect(session.stderr).toBe('');
});

test('says where it looked for a command that it did not find', async () => {
  const folder = makeFolder();
  const servers = { a: { command: 'no-such-program' }, b: { command: '/nonexistent/program' } };
  const session = start({ servers, env: { PATH: `${folder}:/nonexistent/bin` } });
  await session.stderrMatches(/error: \[a\] .*"no-such-program".*not found/);
  await session.stderrMatches(/error: \[b\] .*"\/nonexistent\/program".*not found/);
  expect(session.stderr).toContain(folder);
  expect(session.stderr).toContain('/nonexistent/bin');
});
