/** Starting servers side by side: one that fails is reported, and the rest goes on. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { makeFolder, type ServerEntry, type Session, start, startReady } from '../support/session.ts';

test('goes on without the servers that cannot be started, and says why', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'plain'), 'text', { mode: 0o644 });
  mkdirSync(join(folder, 'directory'));
  const servers: Record<string, ServerEntry> = {
    missing: { command: 'no-such-program' },
    plain: { command: join(folder, 'plain') },
    directory: { command: join(folder, 'directory') },
    cwd: fixture({}, { cwd: join(folder, 'nowhere') }),
    huge: fixture({}, { env: { HUGE: 'x'.repeat(1_000_000) } }),
    good: fixture({ tools: ['echo'] }),
  };
  const session = await startReady({ servers });
  expect(await session.listNames()).toEqual(['good:echo']);
  expect(await session.callText('good:echo')).toBe('fixture {}');
  for (const key of ['missing', 'plain', 'directory', 'cwd', 'huge']) {
    expect(session.stderr).toMatch(new RegExp(`^mcp-simple-aggregator: error: \\[${key}\\] `, 'm'));
  }
  expect(session.stderr).toMatch(/\[plain\] .*not executable/);
  expect(session.stderr).toContain(join(folder, 'nowhere'));
  expect(session.stderr).not.toMatch(/^\s+at /m);
});

test('reports the exit code and the last words of a server that dies at start-up', async () => {
  const servers = {
    early: fixture({ exit: 7, stderr: 'first\nno database\n' }),
    late: fixture({ dieAt: 'tools/list', code: 8, stderr: 'half way\n' }),
    killed: { command: 'sh', args: ['-c', 'kill -SEGV $$'] },
    silent: { command: 'sh', args: ['-c', 'exit 0'] },
    good: fixture({ tools: ['echo'] }),
  };
  const session = await startReady({ servers });
  expect(await session.listNames()).toEqual(['good:echo']);
  const errors = (key: string): string =>
    session.stderr
      .split('\n')
      .filter((line) => line.startsWith(`mcp-simple-aggregator: error: [${key}] `))
      .join('\n');
  expect(errors('early')).toMatch(/\b7\b/);
  expect(errors('early')).toContain('no database');
  expect(errors('late')).toMatch(/\b8\b/);
  expect(errors('late')).toContain('half way');
  expect(errors('killed')).toContain('SIGSEGV');
  expect(errors('silent')).toMatch(/\b0\b/);
});

test('lists the others when a server never answers', async () => {
  const session = await startReady({
    servers: { hung: fixture({ hang: 'initialize' }), b: fixture({ tools: ['echo'] }) },
  });
  expect(await session.listNames()).toEqual(['b:echo']);
  expect(await session.callText('b:echo')).toBe('fixture {}');
});

test('ends with an error under --strict when a server cannot be started', async () => {
  const servers = { good: fixture({ ignoreEof: true }), bad: fixture({ exit: 7, stderr: 'no database\n' }) };
  const session = start({ servers, args: ['--strict'] });
  void session.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} }).catch(() => {});
  expect(await session.exit()).toEqual({ code: 1, signal: null });
  expect(session.stderr).toMatch(/error: \[bad\] .*\b7\b/);
  expect(session.stderr).toMatch(/Ending, as --strict says: "mcp-simple-aggregator check .*" says more/);
  await session.nothingLeft();
});

test('names the command that says more in a form that a shell takes', async () => {
  const argv = (file: string): string[] => {
    const other = join(dirname(file), 'my servers.json');
    copyFileSync(file, other);
    return ['--strict', other];
  };
  const session = start({ servers: { bad: fixture({ exit: 7 }) }, argv });
  void session.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} }).catch(() => {});
  await session.exit();
  expect(session.stderr).toMatch(/"mcp-simple-aggregator check '\/.*my servers\.json'" says more/);
});

test('serves under --strict when every server is there', async () => {
  const session = await startReady({ servers: { a: fixture({ tools: ['echo'] }) }, args: ['--strict'] });
  expect(await session.listNames()).toEqual(['a:echo']);
  expect(await session.close()).toEqual({ code: 0, signal: null });
});

test('starts as many as the limit of open files allows and reports the rest', async () => {
  const keys = Array.from({ length: 24 }, (_, index) => `s${index}`);
  const servers = Object.fromEntries(keys.map((key) => [key, fixture({ tools: ['echo'] })]));
  const session = await startReady({ servers, before: 'ulimit -n 64' });
  const listed = (await session.listNames()).map((name) => name.split(':')[0]);
  const failed = keys.filter((key) => session.stderr.includes(`error: [${key}] `));
  expect(listed.length).toBeGreaterThan(0);
  expect(failed.length).toBeGreaterThan(0);
  expect(new Set([...listed, ...failed])).toEqual(new Set(keys));
  expect(listed.length + failed.length).toBe(keys.length);
  expect(await session.callText(`${listed[0]}:echo`)).toBe('fixture {}');
});

test('passes on what a server says on stderr, line by line, under its key and harmless', async () => {
  const stderr =
    'plain\n\u001B[31mred\u001B[0m\r\nbell\u0007 \u001B]0;title\u0007end\n[b] not me\u2028[b] nor me\n';
  const session = await startReady({ servers: { a: fixture({ stderr }) } });
  await session.close();
  const lines = session.stderr.split('\n');
  expect(lines).toContain('[a] plain');
  expect(lines).toContain('[a] red');
  expect(lines.filter((line) => line.startsWith('[a] '))).toHaveLength(4);
  expect(lines.filter((line) => line.startsWith('[b]'))).toEqual([]);
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  expect(session.stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028]/);
});

test('keeps reading the stderr of a server that never stops talking', async () => {
  const session = await startReady({ servers: { a: fixture() } });
  expect(await session.callText('a:shout', { lines: 20_000 })).toBe('shouted');
  expect(await session.callText('a:echo')).toBe('fixture {}');
});

test.each<[string, (session: Session) => void]>([
  ['nobody reads its stderr', (session) => session.child.stderr.pause()],
  ['its stderr is closed', (session) => session.child.stderr.destroy()],
])('goes on when %s', async (_, neglect) => {
  const session = await startReady({ servers: { a: fixture() } });
  neglect(session);
  expect(await session.callText('a:shout', { lines: 20_000 })).toBe('shouted');
  expect(await session.callText('a:crash', { code: 0 }).catch(() => 'crashed')).toBe('crashed');
  expect((await session.request('ping')).result).toEqual({});
  session.child.stdin.end();
  expect(await session.exited).toEqual({ code: 0, signal: null });
});

test('is not disturbed by what a server writes on stdout beside the protocol', async () => {
  const banner = 'Listening on stdio\n\n{"not": "a message"}\n[]\n';
  const session = await startReady({ servers: { a: fixture({ banner, tools: ['noise', 'echo'] }) } });
  expect(await session.callText('a:noise')).toBe('quiet');
  expect(await session.callText('a:echo')).toBe('fixture {}');
});

test('gives a server its own folder and environment on top of the aggregator’s', async () => {
  const cwd = makeFolder();
  const servers = { a: fixture({}, { cwd, env: { OWN: 'own', BOTH: 'entry' } }) };
  const session = await startReady({ servers, env: { BOTH: 'client', CLIENT: 'client' } });
  expect(await session.callText('a:cwd')).toBe(cwd);
  const read = await session.callText('a:env', { names: ['OWN', 'BOTH', 'CLIENT'] });
  expect(JSON.parse(read)).toEqual(['own', 'entry', 'client']);
});

test('gives a server only the safe part of its environment under --isolate-env', async () => {
  const servers = { a: fixture({}, { env: { OWN: 'own' } }) };
  const env = { CLIENT: 'client', HTTPS_PROXY: 'http://127.0.0.1:1' };
  const session = await startReady({ servers, env, args: ['--isolate-env'] });
  const names = ['OWN', 'CLIENT', 'HTTPS_PROXY', 'HOME'];
  const read = await session.callText('a:env', { names });
  expect(JSON.parse(read)).toEqual(['own', null, 'http://127.0.0.1:1', process.env['HOME'] ?? null]);
});
