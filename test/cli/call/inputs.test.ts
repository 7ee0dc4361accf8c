/** What is typed as name=value against the schemas that real servers write, and those that none should. */
import { describe, expect, test } from 'vitest';
import { readInputs } from '../../../src/cli/call/inputs.ts';
import { readInputSchema } from '../../../src/cli/call/schema.ts';

function read(schema: unknown, ...values: string[]): string {
  return readInputs({ values }, 'a:tool', readInputSchema(schema));
}

function take(property: unknown, ...texts: string[]): string {
  const schema = { properties: { x: property }, $defs: { Mode: { enum: ['fast', 'slow'] } } };
  return read(schema, ...texts.map((text) => `x=${text}`));
}

const optional = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });
const SELF = { $ref: '#/properties/x' };
const texts = { type: 'array', items: { type: 'string' } };

describe('a value is read', () => {
  test.each<[string, unknown, string[], string]>([
    ['as text where text or nothing is wanted', optional({ type: 'string' }), ['5'], '"5"'],
    ['as nothing where that is allowed', optional({ type: 'string' }), ['null'], 'null'],
    ['as a list where a list or nothing is wanted', optional(texts), ['5'], '["5"]'],
    ['as a list when it is given twice', { oneOf: [{ type: 'string' }, texts] }, ['1', '2'], '["1","2"]'],
    ['as text when it is given once', { oneOf: [{ type: 'string' }, texts] }, ['1'], '"1"'],
    ['as a whole list in JSON', texts, ['["a"]'], '["a"]'],
    ['as one of the choices elsewhere in the schema', { $ref: '#/$defs/Mode' }, ['slow'], '"slow"'],
    ['as no choice at all', { anyOf: [{ $ref: '#/$defs/Mode' }, { type: 'null' }] }, ['null'], 'null'],
    ['by what must hold besides', { allOf: [{ type: 'string' }], default: '' }, ['5'], '"5"'],
    ['as a choice that is a number', { enum: [1, 2] }, ['2'], '2'],
    [
      'as a whole number with its digits',
      { type: 'integer' },
      ['12345678901234567890'],
      '12345678901234567890',
    ],
    ['as a list in a list', { type: 'array', items: { type: 'array' } }, ['[1]', '[2]'], '[[1],[2]]'],
  ])('%s', (_, property, given, expected) => {
    expect(take(property, ...given)).toBe(`{"x":${expected}}`);
  });
});

test.each<[string, unknown, string[], string]>([
  ['a fraction for a whole number', { type: 'integer' }, ['1.5'], 'takes a whole number: found "1.5"'],
  ['a text for a number or nothing', optional({ type: 'integer' }), ['x'], 'a whole number or null'],
  ['what is no choice', { $ref: '#/$defs/Mode' }, ['x'], 'takes one of "fast", "slow": found "x"'],
  ['an element that is no choice', { type: 'array', items: { enum: ['a'] } }, ['b'], 'takes one of "a"'],
])('%s is refused', (_, property, given, words) => {
  expect(() => take(property, ...given)).toThrow(words);
});

test.each<[string, unknown]>([
  ['null', null],
  ['a text', 'x'],
  ['true', true],
  ['no properties', { properties: null }],
  ['a property that is null', { properties: { x: null } }],
  ['required that is a text', { required: 'x' }],
  ['required that is a number', { required: [5] }],
  ['choices that are a text', { properties: { x: { enum: 'x' } } }],
  ['a description that is a number', { properties: { x: { description: 5 } }, additionalProperties: false }],
  ['elements that are null', { properties: { x: { items: null } } }],
  ['a reference to nothing', { properties: { x: { $ref: '#/nothing/here' } } }],
  ['a reference to itself', { properties: { x: { ...SELF, anyOf: [SELF] } } }],
  ['fifty references to itself', { properties: { x: { anyOf: Array.from({ length: 50 }, () => SELF) } } }],
  ['a reference to what every object has', { properties: { x: { $ref: '#/constructor' } } }],
])('a schema that is %s says nothing, and breaks nothing', (_, schema) => {
  expect(read(schema, 'x=1')).toBe('{"x":1}');
});

test('what a tool takes is told in one line each', () => {
  const schema = {
    properties: { one: optional({ type: 'integer' }), many: texts, mode: { $ref: '#/$defs/Mode' }, any: {} },
    required: ['missing'],
    $defs: { Mode: { enum: ['fast'], description: 'How' } },
  };
  expect(() => read(schema)).toThrow(
    [
      'needs "missing": give name=value; it takes',
      '  one   integer | null',
      '  many  string[]',
      '  mode  "fast"          How',
      '  any   any',
    ].join('\n'),
  );
});
