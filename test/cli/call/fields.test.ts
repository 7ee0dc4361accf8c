/** What a person types in answer to a server's question, held against what the server asked for. */
import { expect, test } from 'vitest';
import { describeField, type Field, readField } from '../../../src/cli/call/fields.ts';

const many = { type: 'array', items: { enum: ['a', 'b', 'c'] } };

test.each<[string, Field, unknown]>([
  ['5', { type: 'string' }, '5'],
  ['5', { type: 'integer', minimum: 5, maximum: 5 }, 5],
  ['-1.5', { type: 'number', maximum: 0 }, -1.5],
  ['y', { type: 'boolean' }, true],
  ['ada@localhost', { type: 'string', format: 'email' }, 'ada@localhost'],
  ['2026-01-31', { type: 'string', format: 'date' }, '2026-01-31'],
  ['as I like', { type: 'string', format: 'nobody-knows' }, 'as I like'],
  ['2', { enum: ['r', 'g'], enumNames: ['Red', 'Green'] }, 'g'],
  ['Red', { oneOf: [{ const: 'r', title: 'Red' }] }, 'r'],
  ['1, c', many, ['a', 'c']],
])('takes "%s" for %j', (line, field, value) => {
  expect(readField(line, field, true)).toMatchObject({ value });
});

test.each<[string, Field, string]>([
  ['', { type: 'string' }, 'An answer is required'],
  ['x', { minLength: 2 }, 'at least 2 characters'],
  ['xxx', { maxLength: 2 }, 'from 0 to 2 characters'],
  ['4', { type: 'number', minimum: 5 }, 'a number: at least 5'],
  ['6', { type: 'number', maximum: 5 }, 'a number: at most 5'],
  ['6', { type: 'integer', minimum: 1, maximum: 5 }, 'a number: from 1 to 5'],
  ['1.5', { type: 'integer' }, 'a whole number'],
  ['nobody', { format: 'email' }, 'a mail address, as in ada@example.com'],
  ['example', { format: 'uri' }, 'a URL, as in https://example.com'],
  ['31.1.2026', { format: 'date' }, 'a date, as in 2026-01-31'],
  ['noon', { format: 'date-time' }, 'a time, as in 2026-01-31T12:00:00Z'],
  ['9', { enum: ['r', 'g'] }, 'a number from the list'],
  ['1', { ...many, minItems: 2 }, 'at least 2 of them, as in 1,2'],
  ['1,9', many, 'numbers from the list, as in 1,2'],
])('says to "%s" for %j what is wanted', (line, field, words) => {
  expect(readField(line, field, true)).toEqual({ problem: expect.stringContaining(words) });
});

test('says beforehand what is wanted', () => {
  const field = { title: 'Mail', description: 'for the receipt', format: 'email' };
  expect(describeField('mail', field, true)).toBe(
    'Mail – for the receipt (mail address, as in ada@example.com, required)',
  );
});
