import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServerConfig } from '../../src/config/load.ts';
import { Cache } from '../../src/memory/cache.ts';
import type { Facts } from '../../src/memory/facts.ts';
import { createOverview, type Overview } from '../../src/memory/overview.ts';
import { KIND_NAMES } from '../../src/protocol/kinds.ts';
import { itemsOf } from '../support/items.ts';
import * as fc from '../support/properties.ts';
import { makeFolder } from '../support/session.ts';

const CONFIG = '/home/somebody/mcp.json';
const ID = Cache.identify(entryOf());
const ALL = Cache.identifyAll([entryOf()]);
const NAMING = { separator: ':', isStrict: false };

function entryOf(changes: Partial<ServerConfig> = {}): ServerConfig {
  return { key: 'a', command: 'node', commandText: 'node', args: ['a.js'], env: { TOKEN: 'x' }, ...changes };
}

/** Spacing, escapes and numbers that would not survive being parsed and written again. */
async function createFacts(tool = '{ "name":"\\u00e4" ,"n":1.0e0,"__proto__":{}}'): Promise<Facts> {
  return {
    era: 'legacy',
    avoidsProbe: false,
    welcome: Buffer.from('{ "capabilities":{"tools":{}},"instructions":"Über\\u0020\\"all\\""}'),
    lists: {
      tools: await itemsOf([tool, '{"name":"b"}']),
      prompts: [],
      resources: await itemsOf(['{"uri":"x://y","name":"y"}'], 'resources'),
      templates: await itemsOf(['{"uriTemplate":"x://{y}","name":"y"}'], 'templates'),
    },
  };
}

function bytesOf(facts: Facts | undefined): unknown {
  const lists = KIND_NAMES.map((kind) => facts?.lists[kind].map(({ bytes }) => bytes.toString()));
  return [facts?.welcome.toString(), ...lists];
}

async function saveOne(folder: string, facts?: Facts): Promise<void> {
  const cache = new Cache(folder, CONFIG);
  cache.update(ID, facts ?? (await createFacts()));
  save(cache);
}

/** Of the one server there is, under its id. */
function save(cache: Cache, overview?: Overview): void {
  cache.save(new Set([ID]), ALL, () => overview);
}

test('gives back every byte that a server said, to the next one who asks', async () => {
  const folder = makeFolder();
  const facts = await createFacts();
  await saveOne(folder, facts);
  const next = new Cache(folder, CONFIG);
  expect(next.readWelcome(ID)?.toString()).toBe(facts.welcome.toString());
  expect(bytesOf(next.readAll().get(ID))).toEqual(bytesOf(facts));
  expect([...next.readAll().keys()]).toEqual([ID]);
  expect(next.readWelcome('other')).toBeUndefined();
});

describe('what all servers were together', () => {
  async function saveTogether(folder: string): Promise<Overview> {
    const facts = await createFacts();
    const overview = createOverview(new Map([['a', facts]]), NAMING);
    const cache = new Cache(folder, CONFIG);
    cache.update(ID, facts);
    save(cache, overview);
    return overview;
  }

  test('is given back as it was, before or without what each of them said', async () => {
    const folder = makeFolder();
    const overview = await saveTogether(folder);
    const next = new Cache(folder, CONFIG);
    const read = next.readOverview(ALL);
    expect(read).toEqual({ id: ALL, ...overview });
    expect(read?.lists.tools.bytes.toString()).toContain('"a:b"');
    expect(bytesOf(next.readAll().get(ID))).toEqual(bytesOf(await createFacts()));
  });

  test('is nothing to servers that are not the same, or not called the same', async () => {
    const folder = makeFolder();
    await saveTogether(folder);
    const others = [[], [entryOf({ key: 'b' })], [entryOf({ args: [] })], [entryOf(), entryOf({ key: 'b' })]];
    for (const entries of others)
      expect(new Cache(folder, CONFIG).readOverview(Cache.identifyAll(entries))).toBeUndefined();
  });

  test('need not be known for the servers to be', async () => {
    const folder = makeFolder();
    await saveOne(folder);
    const next = new Cache(folder, CONFIG);
    expect(next.readOverview(ALL)).toBeUndefined();
    expect([...next.readAll().keys()]).toEqual([ID]);
  });
});

test('keeps what different configs know apart', async () => {
  const folder = makeFolder();
  await saveOne(folder);
  expect(new Cache(folder, '/elsewhere/mcp.json').readAll().size).toBe(0);
});

test('writes only when something has changed', async () => {
  const folder = makeFolder();
  await saveOne(folder);
  const files = readdirSync(folder).map((name) => join(folder, name));
  expect(files).toHaveLength(2);
  const cache = new Cache(folder, CONFIG);
  cache.readAll();
  cache.update(ID, await createFacts());
  for (const file of files) writeFileSync(file, 'untouched');
  save(cache);
  for (const file of files) expect(readFileSync(file, 'utf8')).toBe('untouched');
  cache.update(ID, await createFacts('{"name":"c"}'));
  save(cache);
  for (const file of files) expect(readFileSync(file, 'utf8')).not.toBe('untouched');
});

test('remembers nothing without a folder, and makes none before it has something to keep', async () => {
  await saveOne(join(makeFolder(), 'deep', 'er'));
  const folder = join(makeFolder(), 'none');
  save(new Cache(folder, CONFIG));
  expect(existsSync(folder)).toBe(false);
  const nowhere = new Cache(undefined, CONFIG);
  nowhere.update(ID, await createFacts());
  save(nowhere);
  expect(nowhere.readWelcome(ID)).toBeUndefined();
});

describe('a server is the same', () => {
  test.each<[string, Partial<ServerConfig>]>([
    ['key', { key: 'b' }],
    ['spelling of the command in the file', { commandText: '${NODE}' }],
    ['spelling of the folder in the file', { cwdText: '~' }],
  ])('whatever its %s', (_, changes) => {
    expect(Cache.identify(entryOf(changes))).toBe(ID);
  });

  test.each<[string, Partial<ServerConfig>]>([
    ['command', { command: 'deno' }],
    ['argument', { args: ['b.js'] }],
    ['division of the arguments', { args: ['a', '.js'] }],
    ['folder', { cwd: '/' }],
    ['name of a variable', { env: { TOKEM: 'x' } }],
    ['value of a variable', { env: { TOKEN: 'y' } }],
    ['number of variables', { env: { TOKEN: 'x', MORE: '' } }],
  ])('but not with another %s', (_, changes) => {
    expect(Cache.identify(entryOf(changes))).not.toBe(ID);
  });
});

describe('damage', () => {
  test('never throws, and what is read is what was written or nothing', async () => {
    const folder = makeFolder();
    const facts = await createFacts();
    const overview = createOverview(new Map([['a', facts]]), NAMING);
    const written = new Cache(folder, CONFIG);
    written.update(ID, facts);
    save(written, overview);
    const files = readdirSync(folder).map((name) => ({
      file: join(folder, name),
      whole: readFileSync(join(folder, name)),
    }));
    const damage = fc.record({
      which: fc.integer({ min: 0, max: 1 }),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.uint8Array({ maxLength: 4 }),
      removed: fc.integer({ min: 0, max: 12 }),
    });
    fc.assert(
      fc.property(damage, ({ which, at, bytes, removed }) => {
        for (const { file, whole } of files) writeFileSync(file, whole);
        const { file, whole } = files[which] ?? { file: '', whole: Buffer.alloc(0) };
        const start = Math.floor(at * whole.length);
        writeFileSync(
          file,
          Buffer.concat([whole.subarray(0, start), bytes, whole.subarray(start + removed)]),
        );
        const cache = new Cache(folder, CONFIG);
        const read = cache.readOverview(ALL);
        if (read !== undefined) expect(read).toEqual({ id: ALL, ...overview });
        for (const known of cache.readAll().values()) expect(bytesOf(known)).toEqual(bytesOf(facts));
      }),
      { numRuns: 2000 },
    );
  });

  test('does not matter that left both copies alike', async () => {
    const folder = makeFolder();
    await saveOne(folder);
    const [header = ''] = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'latin1').split('\n');
    const files = readdirSync(folder).map((name) => join(folder, name));
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (index, body) => {
        const half = `${JSON.stringify(index)}\n${body}`;
        for (const file of files) writeFileSync(file, `${header}\n${half}${half}`);
        const cache = new Cache(folder, CONFIG);
        expect(cache.readOverview(ALL)).toBeUndefined();
        expect(cache.readWelcome(ID)).toBeUndefined();
        expect([...cache.readAll().keys()]).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('of a place that cannot be written to is nobody’s business', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'file'), '');
    await saveOne(join(folder, 'file', 'cache'));
    mkdirSync(join(folder, 'cache'));
    await saveOne(join(folder, 'cache'));
    expect(readdirSync(join(folder, 'cache'))).toHaveLength(2);
  });
});
