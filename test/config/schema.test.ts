/** The schema that editors use against the validator that decides: both take and refuse the same files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type AnySchema } from 'ajv';
import { array, assert, constantFrom, dictionary, oneof, property, record } from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { readJson } from '../../src/config/syntax.ts';
import { validateConfig } from '../../src/config/validate.ts';

const ROOT = join(import.meta.dirname, '../..');
const schema = JSON.parse(readFileSync(join(ROOT, 'schema.json'), 'utf8')) as AnySchema;
const matchesSchema = new Ajv({ strict: true, strictRequired: false }).compile(schema);

function isValid(config: unknown): boolean {
  return validateConfig(readJson(JSON.stringify(config)).value).problems.length === 0;
}

/** Whether both take it; fails when they differ. */
function judge(config: unknown): boolean {
  const verdicts = { validator: isValid(config), schema: matchesSchema(config) === true };
  expect(verdicts, JSON.stringify(config)).toEqual({
    validator: verdicts.validator,
    schema: verdicts.validator,
  });
  return verdicts.schema;
}

function serve(entry: unknown): unknown {
  return { mcpServers: { a: entry } };
}

describe('schema.json', () => {
  test.each<[string, unknown]>([
    ['no servers', { mcpServers: {} }],
    ['a command', serve({ command: 'npx' })],
    ['every field', serve({ command: 'npx', args: ['-y', ''], env: { A: '' }, cwd: '/', type: 'stdio' })],
    ['fields of other clients', serve({ command: 'npx', autoApprove: ['x'], timeout: 5 })],
    ['other fields beside the servers', { $schema: './schema.json', mcpServers: {}, history: [1] }],
    ['a disabled server of any shape', serve({ disabled: true, url: 5, command: 7, args: null })],
    ['a server that is not disabled', serve({ disabled: false, command: 'npx' })],
    ['variables', serve({ command: '${A:-b}', args: ['$A'] })],
    ['odd keys', { mcpServers: { __proto__x: { command: 'a' }, 'my server': { command: 'b' } } }],
  ])('takes %s, as the validator does', (_, config) => {
    expect(judge(config)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['null', null],
    ['nothing', {}],
    ['"servers"', { servers: {} }],
    ['a list of servers', { mcpServers: [] }],
    ['an empty key', { mcpServers: { '': { command: 'npx' } } }],
    ['a server that is a text', serve('npx')],
    ['a server that is null', serve(null)],
    ['a name that is empty, even if disabled', { mcpServers: { '': { command: 'npx', disabled: true } } }],
    ['no command', serve({})],
    ['a blank command', serve({ command: ' \t' })],
    ['a command that is a list', serve({ command: ['npx'] })],
    ['args that are a text', serve({ command: 'npx', args: '-y' })],
    ['a number among args', serve({ command: 'npx', args: ['-p', 80] })],
    ['a number in env', serve({ command: 'npx', env: { PORT: 80 } })],
    ['an empty name in env', serve({ command: 'npx', env: { '': 'x' } })],
    ['"=" in a name in env', serve({ command: 'npx', env: { 'A=B': 'x' } })],
    ['a list as env', serve({ command: 'npx', env: [] })],
    ['an empty cwd', serve({ command: 'npx', cwd: '' })],
    ['NUL', serve({ command: 'npx', args: ['a\0b'] })],
    ['"disabled" as a text', serve({ command: 'npx', disabled: 'yes' })],
    ['an address', serve({ url: 'https://example.com/mcp' })],
    ['an address besides a command', serve({ command: 'npx', serverUrl: 'https://example.com' })],
    ['another type', serve({ command: 'npx', type: 'http' })],
    ['another transport', serve({ command: 'npx', transport: 'sse' })],
  ])('refuses %s, as the validator does', (_, config) => {
    expect(judge(config)).toBe(false);
  });

  test('judges as the validator does whatever is written', () => {
    const text = constantFrom('npx', '', ' ', 'a\0b', '${A}', 'stdio', 'http', '\u2028', '\ufeff');
    const odd = constantFrom<unknown>(null, 5, true, false, [], {}, ['x'], [1], { A: 'b' }, { '': 'b' });
    const value = oneof(text, odd, dictionary(text, oneof(text, odd)), array(oneof(text, odd)));
    const names = ['command', 'args', 'env', 'cwd', 'type', 'transport', 'transportType', 'disabled', 'url'];
    const name = constantFrom(...names, 'serverUrl', 'other');
    const entry = oneof(
      value,
      dictionary(name, value),
      dictionary(name, value).map((fields) => ({ ...fields, command: 'npx' })),
    );
    const config = oneof(
      value,
      record({ mcpServers: oneof(value, dictionary(text, entry)) }),
      entry.map((one) => serve(one)),
    );
    assert(
      property(config, (one) => void judge(one)),
      { numRuns: 2000 },
    );
  });
});
