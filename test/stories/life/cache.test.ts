/** What `--lazy` keeps on disk: nothing secret, whole or not at all, and never in anybody's way. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Home, Life, listRunning } from '../../support/life.ts';
import { makeFolder } from '../../support/session.ts';

const CANARY = 'canary-9f31';

function readTree(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => `${file}\n${readFileSync(file, 'latin1')}`)
    .join('\n');
}

test('holds no value of the environment, no argument and no path of the config', async () => {
  const a = new Life();
  const entry = a.entry({}, { env: { SECRET: `${CANARY}-literal`, OTHER: '${FROM_CLIENT}' } });
  const args = [...(entry.args ?? []), `--token=${CANARY}-argument`, '$FROM_CLIENT'];
  const home = new Home({ a: { ...entry, args } });
  const session = home.start(['--lazy'], { FROM_CLIENT: `${CANARY}-client` });
  await session.initialize();
  expect(await session.callText('a:env', { name: 'SECRET' })).toBe(`${CANARY}-literal`);
  await session.close();
  expect(home.files()).toHaveLength(2);
  // Compiled code included, of which nothing else can be said: the program's own words are in it.
  expect(readTree(home.cache).includes(CANARY)).toBe(false);
  const kept = home
    .files()
    .map((file) => `${file}\n${readFileSync(file, 'utf8')}`)
    .join('\n');
  expect(kept).toContain('"name":"env"');
  expect(kept).not.toContain('SECRET');
  expect(kept).not.toContain('life.mjs');
  expect(kept).not.toContain(home.configFile);
});

test('is for the user alone, and leaves no drafts', async () => {
  const a = new Life();
  const home = new Home({ a: a.entry() });
  await home.learn();
  for (const file of home.files()) {
    expect(file).toMatch(/\.(servers|lists)$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  }
});

test('is whole after any number of commands at once', async () => {
  const a = new Life();
  const home = new Home({ a: a.entry() });
  const sessions = await Promise.all(Array.from({ length: 5 }, () => home.startReady()));
  const [names] = await Promise.all(sessions.map((session) => session.listNames()));
  await Promise.all(sessions.map((session) => session.close()));
  expect(home.files()).toHaveLength(2);
  const session = await home.startReady();
  expect(await session.listNames()).toEqual(names);
  expect(listRunning(session)).toEqual([]);
});

describe('is only a slower start', () => {
  test.each<[string, (file: string) => void]>([
    ['gone', (file) => rmSync(file)],
    ['empty', (file) => truncateSync(file)],
    ['cut off in the middle', (file) => truncateSync(file, Math.floor(statSync(file).size / 2))],
    ['without its last byte', (file) => truncateSync(file, statSync(file).size - 1)],
    ['of another version', (file) => replaceIn(file, /cache\/\d+/, 'cache/99')],
    ['another program’s', (file) => writeFileSync(file, 'GIF89a\0\u0001\n\n{}\n')],
    ['no JSON', (file) => replaceIn(file, '"result":{', '"result":{{')],
    ['JSON of another shape', (file) => replaceIn(file, /"result":.*\}\n/g, '"result":null}\n')],
    ['JSON of other types', (file) => replaceIn(file, /"result":.*\}\n/g, '"result":[1,"two"]}\n')],
    ['a list of something else', (file) => replaceIn(file, /"result":.*\}\n/g, '"result":{"tools":7}}\n')],
    ['no text', (file) => writeFileSync(file, Buffer.alloc(4096, 0xff))],
    ['a folder', (file) => replaceWithFolder(file)],
    ['not to be read', (file) => chmodSync(file, 0)],
  ])('when a file of it is %s', async (_, damage) => {
    for (const which of [0, 1]) {
      const a = new Life();
      const home = new Home({ a: a.entry() });
      await home.learn();
      damage(home.files()[which] ?? '');
      const session = await home.startReady();
      expect(await session.listNames()).toContain('a:echo');
      expect(await session.callText('a:echo')).toBe('life');
      expect(a.starts.length).toBe(2);
      expect(await session.close()).toEqual({ code: 0, signal: null });
      expect(session.stderr).toBe('');
    }
  });

  test('when there are zeros in the middle of every file of it, compiled code included', async () => {
    const a = new Life();
    const home = new Home({ a: a.entry() });
    await home.learn();
    const folder = join(home.cache, 'mcp-simple-aggregator');
    const names = readdirSync(folder);
    expect(names.some((name) => name.endsWith('.code'))).toBe(true);
    for (const name of names) {
      const bytes = readFileSync(join(folder, name));
      const quarter = Math.floor(bytes.length / 4);
      writeFileSync(join(folder, name), bytes.fill(0, quarter, Math.min(quarter + 4096, 2 * quarter)));
    }
    const session = await home.startReady();
    expect(await session.callText('a:echo')).toBe('life');
    expect(await session.close()).toEqual({ code: 0, signal: null });
    expect(session.stderr).toBe('');
  });

  test.each<[string, (folder: string) => void]>([
    ['others may write to its folder', (folder) => chmodSync(folder, 0o777)],
    ['its folder is a link to another', (folder) => replaceWithLink(folder)],
  ])('when %s, and nothing is read or written there', async (_, open) => {
    const a = new Life();
    const home = new Home({ a: a.entry() });
    await home.learn();
    open(join(home.cache, 'mcp-simple-aggregator'));
    const before = readTree(home.cache);
    a.become({ tools: ['pid'] });
    const session = await home.startReady();
    expect(await session.listNames()).toEqual(['a:pid']);
    await session.close();
    expect(a.starts).toHaveLength(2);
    expect(readTree(home.cache)).toBe(before);
  });

  test('when there is no place for it', async () => {
    const a = new Life();
    const home = new Home({ a: a.entry() });
    rmSync(home.cache, { recursive: true });
    // A file where the folder should be: it stops even those who may write everywhere.
    writeFileSync(home.cache, 'taken');
    for (let time = 1; time <= 2; time += 1) {
      const session = await home.startReady();
      expect(await session.callText('a:echo')).toBe('life');
      expect(await session.close()).toEqual({ code: 0, signal: null });
      expect(session.stderr).toBe('');
      expect(a.starts).toHaveLength(time);
    }
  });
});

test('replaces a link instead of writing through it', async () => {
  const a = new Life();
  const home = new Home({ a: a.entry() });
  await home.learn();
  const [file = ''] = home.files();
  const elsewhere = join(makeFolder(), 'precious');
  writeFileSync(elsewhere, 'precious');
  rmSync(file);
  symlinkSync(elsewhere, file);
  await home.learn();
  expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
});

function replaceIn(file: string, what: string | RegExp, by: string): void {
  writeFileSync(file, readFileSync(file, 'latin1').replace(what, by), 'latin1');
}

function replaceWithLink(folder: string): void {
  renameSync(folder, `${folder}.elsewhere`);
  symlinkSync(`${folder}.elsewhere`, folder);
}

function replaceWithFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}
