import * as fc from '../support/properties.ts';
import { describe, expect, test } from 'vitest';

import { type JsonValue, JsonSyntaxError, readJson } from '../../src/config/syntax.ts';

function toPlain(value: JsonValue): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, item]) => [name, toPlain(item)]));
  return Array.isArray(value) ? value.map(toPlain) : value;
}

function catchError(text: string): JsonSyntaxError {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error('The text was read without an error');
}

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe('readJson', () => {
  test('reads whatever JSON.parse reads, with the same result', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, '\t'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(toPlain(readJson(text).value)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('refuses exactly what JSON.parse refuses', () => {
    const scrap = fc.constantFrom(
      ...'{ } [ ] , : " \n \t \\ / u'.split(' '),
      ' ',
      '"a"',
      '"b":',
      '12',
      '-',
      '0',
      '.5',
      'e+1',
      'true',
      'null',
      'nul',
      '\\u00e9',
      '\\x',
      '\u0001',
      '\u00a0',
    );
    fc.assert(
      fc.property(fc.array(scrap, { maxLength: 12 }), (scraps) => {
        const text = scraps.join('');
        expect(accepts(() => readJson(text))).toBe(accepts(() => JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps the order of the file, whatever the names', () => {
    const { value } = readJson('{"10": 1, "__proto__": 2, "a": 3, "2": 4, "constructor": 5}');
    expect(value instanceof Map && [...value.keys()]).toEqual(['10', '__proto__', 'a', '2', 'constructor']);
  });

  test('finds repeated names at every level with their lines', () => {
    const text = '{\n"a": {"x": 1,\r\n"x": 2, "\\u0078": 3},\n"b": [{"y": 1, "y": 1}],\n"a": 0}';
    expect(readJson(text).duplicates).toEqual([
      { steps: ['a', 'x'], lines: [2, 3, 3] },
      { steps: ['b', 0, 'y'], lines: [4, 4] },
      { steps: ['a'], lines: [2, 5] },
    ]);
  });

  test.each<[problem: string, text: string, line: number, column: number, reason: string]>([
    ['an empty file', ' \n', 1, 1, 'empty'],
    ['a trailing comma in an object', '{\n"a": 1,\n}', 2, 7, 'a comma too many'],
    ['a trailing comma in an array', '["a", ]', 1, 5, 'a comma too many'],
    ['two commas', '[1,,2]', 1, 4, 'a comma too many'],
    ['a comment', '{\n  // mine\n}', 2, 3, 'no comments'],
    ['a comment after a value', '{"a": 1 /* mine */}', 1, 9, 'no comments'],
    ['single quotes', "{'a': 1}", 1, 2, 'straight double quote'],
    ['typographic quotes', '{"a": “b”}', 1, 7, 'straight double quote'],
    ['a missing comma', '{"a": 1\n  "b": 2}', 1, 8, 'a comma is missing here'],
    ['a missing closing quote', '{"a": "b,\n"c": 1}', 1, 7, 'closing double quote'],
    ['a missing opening quote', '{"a": b"}', 1, 7, 'stands in double quotes'],
    ['a name without quotes', '{a: 1}', 1, 2, 'a name in double quotes'],
    ['a missing colon', '{"a" 1}', 1, 6, 'expected ":"'],
    ['a quote inside a text', '{"a": "say "hi""}', 1, 13, 'inside a text is written \\"'],
    ['a Windows path', '{"a": "C:\\Users"}', 1, 10, 'a backslash is written twice'],
    ['a tab in a text', '["a\tb"]', 1, 4, 'write "\\t"'],
    ['a missing bracket', '{\n"a": {\n"b": 1\n\n', 3, 7, 'the "{" of line 2 is not closed'],
    ['a wrong bracket', '{"a": [\n1}', 2, 2, 'expected "]" to close line 1, found "}"'],
    ['a bracket too many', '{}\n}', 2, 1, 'a bracket too many'],
    ['words of other languages', '[True]', 1, 2, 'use true, false or null'],
    ['a number with a zero in front', '[007]', 1, 2, 'expected a value'],
    ['a space that is none', '{\u00a0"a": 1}', 1, 2, 'invisible character'],
    ['endless nesting', '['.repeat(100_000), 1, 257, 'levels deep'],
    ['an end after a name', '{"a":', 1, 6, 'the file ends'],
  ])('explains %s and where it is', (_, text, line, column, reason) => {
    const error = catchError(text);
    expect(error.message).toContain(reason);
    expect(error.place).toMatchObject({ line, column });
  });

  test('says in which part of the file the mistake is', () => {
    expect(catchError('{"mcpServers": {"fs": {"args": ["a", b]}}}').steps).toEqual([
      'mcpServers',
      'fs',
      'args',
      1,
    ]);
  });

  test('shows the line with a caret, its names and nothing of its values', () => {
    const { excerpt } = catchError('{\n\t"env": {"KEY": "hunter2", "N": 42, "B": true,}}').place;
    expect(excerpt).toEqual([
      '2 | "env": {"KEY": "…", "N": …, "B": true,}}',
      '  |                                      ^',
    ]);
  });

  test('shows of a long line only what is around the mistake', () => {
    const { excerpt } = catchError(`{${'"name": "value", '.repeat(1000)}oops}`).place;
    expect(excerpt[0]?.length).toBeLessThan(120);
    expect(excerpt[0]?.[excerpt[1]?.indexOf('^') ?? 0]).toBe('…');
  });

  test('shows no value, whatever is broken in its line', () => {
    const line = '"env": {"KEY": "SECRET-1", "URL": "SECRET:2,{SECRET}", "N": 7}';
    const breakage = fc.record({
      at: fc.nat(line.length),
      remove: fc.nat(2),
      insert: fc.constantFrom('', '"', "'", '\\', ',', ':', '}', ' x ', '//', '\u2028'),
    });
    fc.assert(
      fc.property(breakage, ({ at, remove, insert }) => {
        const text = `{${line.slice(0, at)}${insert}${line.slice(at + remove)}}`;
        if (accepts(() => JSON.parse(text))) return;
        const error = catchError(text);
        expect(error.message + error.place.excerpt.join()).not.toMatch(/SECRET|ECRET|SECRE/);
      }),
      { numRuns: 1000 },
    );
  });

  test('shows no part of a text that goes over several lines', () => {
    const error = catchError('{"KEY": "-----BEGIN\nSECRET\n-----END"}');
    expect(error.place.excerpt).toEqual(['1 | {"KEY": "…', '  |         ^']);
  });
});
