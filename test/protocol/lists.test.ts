/** A server's list, from the first page to the last, and whatever may be wrong with it. */
import * as fc from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { KINDS } from '../../src/protocol/kinds.ts';
import { readList } from '../../src/protocol/lists.ts';
import { readPages } from '../support/items.ts';

const tool = (name: string): string => JSON.stringify({ name });
const names = ({ items }: { items: readonly { name: string }[] }): string[] => items.map(({ name }) => name);

describe('pages', () => {
  test('are all read, each with the cursor that the one before gave, in its own bytes', async () => {
    const asked: (string | undefined)[] = [];
    const list = await readPages(
      [
        `{"tools":[${tool('a')},${tool('b')}],"nextCursor":"p\\u0032 ü"}`,
        `{"nextCursor":"","tools":[${tool('c')}]}`,
        `{"tools":[${tool('d')}]}`,
      ],
      { asked },
    );
    expect(names(list)).toEqual(['a', 'b', 'c', 'd']);
    expect(asked).toEqual([undefined, '{"cursor":"p\\u0032 ü"}', '{"cursor":""}']);
    expect(list.findings).toEqual([]);
  });

  test('give the same list however they are cut', async () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, async (sizes) => {
        const all = sizes.flatMap((size, page) => Array.from({ length: size }, (_, at) => `${page}/${at}`));
        let rest = all;
        const pages = sizes.map((size, page) => {
          const here = rest.slice(0, size).map(tool).join(',');
          rest = rest.slice(size);
          return `{"tools":[${here}]${page < sizes.length - 1 ? `,"nextCursor":"${page}"` : ''}}`;
        });
        expect(names(await readPages(pages))).toEqual(all);
      }),
    );
  });

  test('end at a cursor that comes again, with what was read so far', async () => {
    const asked: (string | undefined)[] = [];
    const again = (page: number): string => `{"tools":[${tool(`t${page}`)}],"nextCursor":"again"}`;
    const list = await readPages(again, { asked });
    expect(names(list)).toEqual(['t0', 't1']);
    expect(asked).toHaveLength(2);
    expect(list.findings).toEqual([expect.stringMatching(/tools\/list.*same cursor twice/)]);
  });

  test('end after a thousand', async () => {
    const endless = (page: number): string => `{"tools":[${tool(`t${page}`)}],"nextCursor":"${page}"}`;
    const list = await readPages(endless);
    expect(list.items).toHaveLength(1000);
    expect(list.findings).toEqual([expect.stringMatching(/tools\/list.*1000 pages/)]);
  });

  test.each(['null', '5', '{"a":1}'])('end at a cursor that is no text: %s', async (cursor) => {
    const asked: (string | undefined)[] = [];
    const list = await readPages([`{"tools":[${tool('a')}],"nextCursor":${cursor}}`], { asked });
    expect(names(list)).toEqual(['a']);
    expect(asked).toHaveLength(1);
  });

  test('are not read on when the server refuses', async () => {
    const refusal = new Error('no');
    await expect(readList(() => Promise.reject(refusal), KINDS.tools)).rejects.toBe(refusal);
  });
});

describe('entries', () => {
  test('without a name are left out, and the rest stays', async () => {
    const texts = ['null', '1', '"text"', '[]', '{}', '{"name":5}', '{"name":null}', '{"title":"x"}'];
    const list = await readPages([`{"tools":[${[tool('a'), ...texts, tool('b')].join(' , ')}]}`]);
    expect(names(list)).toEqual(['a', 'b']);
    expect(list.findings.length).toBeGreaterThan(0);
    for (const finding of list.findings) expect(finding).toMatch(/^tools\/list: .*"name"/);
  });

  test('that come twice are kept once, the first, also across pages', async () => {
    const list = await readPages([
      '{"tools":[{"name":"a","n":1},{"name":"\\u0061","n":2}],"nextCursor":"2"}',
      '{"tools":[{"name":"a","n":3},{"name":"b"}]}',
    ]);
    expect(list.items.map(({ bytes }) => bytes.toString())).toEqual(['{"name":"a","n":1}', '{"name":"b"}']);
    expect(list.findings).toHaveLength(2);
    for (const finding of list.findings) expect(finding).toContain('"a"');
  });

  test('keep their bytes and know where the name stands', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.tuple(fc.string({ unit: 'binary' }), fc.dictionary(fc.string(), fc.double(), { maxKeys: 3 })),
          {
            selector: ([name]) => name,
          },
        ),
        fc.constantFrom('', ' ', '\t'),
        async (pairs, space) => {
          const texts = pairs.map(
            ([name, other]) =>
              `{${space}"x":${JSON.stringify(other)},"name"${space}:${space}${JSON.stringify(name)}${space}}`,
          );
          const { items } = await readPages([`{"tools":[${space}${texts.join(`${space},`)}]}`]);
          expect(items.map(({ bytes }) => bytes.toString())).toEqual(texts);
          items.forEach(({ name, bytes, nameSpan: { start, end } }, index) => {
            expect(name).toBe(pairs[index]?.[0]);
            expect(JSON.parse(bytes.subarray(start, end).toString())).toBe(name);
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  test('of other kinds are called by what that kind is called by', async () => {
    const templates = await readPages(['{"resourceTemplates":[{"name":"n","uriTemplate":"file:///{p}"}]}'], {
      kind: 'templates',
    });
    expect(names(templates)).toEqual(['file:///{p}']);
    const resources = await readPages(['{"resources":[{"name":"n","uri":"file:///x"}]}'], {
      kind: 'resources',
    });
    expect(names(resources)).toEqual(['file:///x']);
  });
});

test.each([
  'null',
  '[]',
  '"text"',
  '{}',
  '{"tools":{}}',
  '{"tools":null}',
  '{"tools":"[]"}',
  '{"prompts":[]}',
])('a result that is no list counts as empty, and is reported: %s', async (result) => {
  const list = await readPages([result]);
  expect(list.items).toEqual([]);
  expect(list.findings).toHaveLength(1);
  expect(list.findings[0]).toMatch(/^tools\/list: /);
});
