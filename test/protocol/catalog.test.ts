/** The merged list: whose name it is, in which order, in which bytes. */
import * as fc from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { Catalog } from '../../src/protocol/catalog.ts';
import { KINDS } from '../../src/protocol/kinds.ts';
import type { Naming } from '../../src/protocol/names.ts';
import { itemsOf, namedItems } from '../support/items.ts';

const PLAIN: Naming = { separator: ':', isStrict: false };
const STRICT: Naming = { separator: ':', isStrict: true };

/** Names by server, in the order of the config. */
type Servers = readonly (readonly [key: string, names: readonly string[]])[];

async function build(servers: Servers, naming = PLAIN): Promise<Catalog> {
  const keys = servers.map(([key]) => key);
  const catalog = new Catalog(KINDS.tools, keys, naming);
  for (const [key, names] of servers) catalog.replace(key, await namedItems(names));
  return catalog;
}

/** Names as the client reads them in the list. */
function listed(catalog: Catalog): string[] {
  const { tools } = JSON.parse(catalog.bytes.toString()) as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
}

const anyServers: fc.Arbitrary<Servers> = fc.uniqueArray(
  fc.tuple(
    fc.string({ unit: fc.constantFrom('a', 'b', ':', '_', ' ', 'ü'), minLength: 1, maxLength: 5 }),
    fc.uniqueArray(
      fc.oneof(
        fc.string({ unit: fc.constantFrom('a', 'b', ':', '_', '.', '\ud800'), maxLength: 5 }),
        fc.constantFrom('x'.repeat(80), `${'x'.repeat(80)}y`),
      ),
      { maxLength: 6 },
    ),
  ),
  { maxLength: 6, selector: ([key]) => key },
);

describe('the list', () => {
  test('is in the order of the config, then of each server, whoever came first', async () => {
    const catalog = new Catalog(KINDS.tools, ['b', 'a', 'c'], PLAIN);
    catalog.replace('c', await namedItems(['z']));
    catalog.replace('a', await namedItems(['y', 'x']));
    expect(listed(catalog)).toEqual(['a:y', 'a:x', 'c:z']);
    catalog.replace('b', await namedItems(['2', '1']));
    expect(listed(catalog)).toEqual(['b:2', 'b:1', 'a:y', 'a:x', 'c:z']);
  });

  test('is empty but whole when nobody has anything', () => {
    expect(new Catalog(KINDS.tools, ['a'], PLAIN).bytes.toString()).toBe('{"tools":[]}');
    expect(new Catalog(KINDS.templates, [], PLAIN).bytes.toString()).toBe('{"resourceTemplates":[]}');
  });

  test('has the bytes of the servers, but for the names', async () => {
    const texts = [
      '{ "description" : "a \\u0041 ü" ,\t"name":"one", "n": 1.0, "big": 12345678901234567890 }',
      '{"inputSchema":{"name":"inner","type":"object","enum":[1e2,-0]},"name":"t\\u0077o","_meta":{"name":"x"}}',
      '{"name":"\\"","unknown":null,"__proto__":{"name":1}}',
    ];
    const catalog = new Catalog(KINDS.tools, ['key'], PLAIN);
    catalog.replace('key', await itemsOf(texts));
    const [one = '', two = '', three = ''] = texts;
    const expected = [
      one.replace('"name":"one"', '"name":"key:one"'),
      two.replace('"t\\u0077o"', '"key:two"'),
      three.replace('"\\""', '"key:\\""'),
    ];
    expect(catalog.bytes.toString()).toBe(`{"tools":[${expected.join(',')}]}`);
  });

  test('changes with a server and with the naming, and says whether anything was removed', async () => {
    const catalog = await build([
      ['a', ['x', 'y']],
      ['b', ['z']],
    ]);
    catalog.replace('a', await namedItems(['w']));
    expect(listed(catalog)).toEqual(['a:w', 'b:z']);
    catalog.naming = STRICT;
    expect(listed(catalog)).toEqual(['a__w', 'b__z']);
    expect(catalog.remove('a')).toBe(true);
    expect(catalog.remove('a')).toBe(false);
    expect(catalog.remove('stranger')).toBe(false);
    expect(listed(catalog)).toEqual(['b__z']);
    expect(catalog.find('a:w')).toBeUndefined();
  });
});

describe('a name that two servers spell', () => {
  test.each([
    ['the shorter key first', ['a', 'a:b']],
    ['the longer key first', ['a:b', 'a']],
  ])('belongs to the longer key, with %s in the config', async (_, keys) => {
    const names = new Map([
      ['a', ['first', 'b:tool', 'last']],
      ['a:b', ['other', 'tool']],
    ]);
    const catalog = await build(keys.map((key) => [key, names.get(key) ?? []]));
    expect(catalog.find('a:b:tool')).toMatchObject({ key: 'a:b', item: { name: 'tool' } });
    const own = { a: ['a:first', 'a:last'], 'a:b': ['a:b:other', 'a:b:tool'] };
    expect(listed(catalog)).toEqual(keys.flatMap((key) => own[key as keyof typeof own]));
    expect(catalog.findings).toHaveLength(1);
    expect(catalog.findings[0]).toMatch(/^"a:b:tool" .*belongs to "a:b".*"a"/);
  });

  test('goes to the longest of three', async () => {
    const catalog = await build([
      ['a:b', ['c:t']],
      ['a:b:c', ['t']],
      ['a', ['b:c:t']],
    ]);
    expect(catalog.find('a:b:c:t')?.key).toBe('a:b:c');
    expect(listed(catalog)).toEqual(['a:b:c:t']);
    expect(catalog.findings).toHaveLength(2);
  });

  test('falls to the other when its owner goes', async () => {
    const catalog = await build([
      ['a', ['b:tool']],
      ['a:b', ['tool']],
    ]);
    catalog.remove('a:b');
    expect(catalog.find('a:b:tool')).toMatchObject({ key: 'a', item: { name: 'b:tool' } });
    expect(catalog.findings).toEqual([]);
  });
});

describe('whatever the servers are called', () => {
  const check = async (servers: Servers, naming: Naming): Promise<void> => {
    const catalog = await build(servers, naming);
    const names = listed(catalog);
    expect(new Set(names).size).toBe(names.length);
    expect([...catalog.entries].map(({ exposed }) => exposed)).toEqual(names);
    for (const entry of catalog.entries) {
      expect(catalog.find(entry.exposed)).toBe(entry);
      if (naming.isStrict) expect(entry.exposed).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      else expect(entry.exposed).toBe(`${entry.key}:${entry.item.name}`);
    }
    // Nothing is lost but what another server with a longer key has under the same name.
    for (const [key, own] of servers) {
      for (const name of own) {
        const spelled = `${key}:${name}`;
        const rivals = servers.filter(([other, theirs]) =>
          theirs.some((their) => `${other}:${their}` === spelled),
        );
        const owner = rivals.map(([rival]) => rival).toSorted((x, y) => y.length - x.length)[0];
        const found = [...catalog.entries].filter((entry) => `${entry.key}:${entry.item.name}` === spelled);
        expect(found.map((entry) => entry.key)).toEqual([owner]);
      }
    }
  };

  test('every name is there once and leads to its owner', async () => {
    await fc.assert(fc.asyncProperty(anyServers, (servers) => check(servers, PLAIN)));
  });

  test('so it is with strict names', async () => {
    await fc.assert(fc.asyncProperty(anyServers, (servers) => check(servers, STRICT)));
  });
});

describe('finding', () => {
  test.each([PLAIN, STRICT])('works under either form (strict: $isStrict)', async (naming) => {
    const catalog = await build([['my server', ['a.b']]], naming);
    expect(catalog.find('my server:a.b')?.item.name).toBe('a.b');
    expect(catalog.find('my_server__a_b')?.item.name).toBe('a.b');
    expect(catalog.find('my server:a_b')).toBeUndefined();
  });

  test('takes the bare name only where one server alone has it', async () => {
    const catalog = await build([
      ['a', ['both', 'mine']],
      ['b', ['both']],
    ]);
    expect(catalog.find('mine')?.key).toBe('a');
    expect(catalog.find('both')).toBeUndefined();
  });

  test.each(['constructor', '__proto__', 'toString', ''])('is not fooled by "%s"', async (name) => {
    const catalog = await build([['a', ['x']]]);
    expect(catalog.find(name)).toBeUndefined();
    catalog.replace('a', await namedItems([name]));
    expect(catalog.find(`a:${name}`)?.item.name).toBe(name);
  });
});

test('URIs stay as they are, and the first server in the config keeps one that two have', async () => {
  const catalog = new Catalog(KINDS.resources, ['a', 'b'], STRICT);
  const text = (uri: string, name: string): string => JSON.stringify({ uri, name });
  catalog.replace('b', await itemsOf([text('file:///x', 'b'), text('file:///y', 'b')], 'resources'));
  catalog.replace('a', await itemsOf([text('file:///x', 'a')], 'resources'));
  expect(catalog.find('file:///x')?.key).toBe('a');
  expect(catalog.find('file:///y')?.key).toBe('b');
  expect(catalog.bytes.toString()).toContain(`${text('file:///x', 'a')},`);
  expect(catalog.bytes.toString()).toContain(text('file:///y', 'b'));
});
