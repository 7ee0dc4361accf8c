import { describe, expect, test } from 'vitest';

import { pathTo } from '../../src/config/problem.ts';
import { readJson } from '../../src/config/syntax.ts';
import { validateConfig, type Validation } from '../../src/config/validate.ts';

function validate(json: unknown): Validation {
  return validateConfig(readJson(JSON.stringify(json)).value);
}

function validateServer(entry: unknown): Validation {
  return validate({ mcpServers: { fs: entry } });
}

describe('validateConfig', () => {
  test('fills in what an entry leaves out', () => {
    expect(validateServer({ command: 'npx' })).toEqual({
      entries: [
        { key: 'fs', path: 'mcpServers.fs', command: 'npx', args: [], env: new Map(), cwd: undefined },
      ],
      problems: [],
      notices: [],
    });
  });

  test('takes everything an entry may say', () => {
    const entry = {
      type: 'stdio',
      command: 'npx',
      args: ['-y'],
      env: { A: 'b' },
      cwd: '/x',
      disabled: false,
    };
    expect(validateServer(entry)).toMatchObject({
      entries: [{ command: 'npx', args: ['-y'], env: new Map([['A', 'b']]), cwd: '/x' }],
      problems: [],
      notices: [],
    });
  });

  test.each([
    [[], 'the file: expected an object like {"mcpServers": {…}}, found an array'],
    [{}, 'mcpServers: missing: put the servers in an object with this name, as in {"mcpServers": {…}}'],
    [
      { servers: {} },
      'servers: the servers are expected under the name "mcpServers": rename "servers" to "mcpServers"',
    ],
    [
      { mcpServers: null },
      'mcpServers: expected an object, found null: write {"name of a server": {"command": …}}',
    ],
    [
      { mcpServers: { '': { command: 'x' } } },
      'mcpServers[""]: the name of a server must not be empty: give it one',
    ],
    [
      { mcpServers: { 'a b': 1 } },
      'mcpServers["a b"]: expected an object, found a number: write {"command": …, "args": […]}',
    ],
  ])('refuses %j', (json, problem) => {
    expect(validate(json).problems).toEqual([problem]);
  });

  test.each([
    [{}, '.command: missing: name the program that starts the server'],
    [{ command: ' ' }, '.command: must not be empty: name the program that starts the server'],
    [
      { command: ['npx'] },
      '.command: expected a string, found an array: write the program alone, and the rest as "args"',
    ],
    [
      { command: 'x', args: 'y' },
      '.args: expected an array of strings, found a string: write ["one", "two"]',
    ],
    [{ command: 'x', args: null }, '.args: expected an array of strings, found null: write ["one", "two"]'],
    [
      { command: 'x', args: ['y', 1] },
      '.args[1]: expected a string, found a number: put it in double quotes',
    ],
    [{ command: 'x', args: ['\0'] }, '.args[0]: must not contain a NUL character ("\\u0000"): remove it'],
    [
      { command: 'x', env: ['A=b'] },
      '.env: expected an object of strings, found an array: write {"NAME": "value"}',
    ],
    [
      { command: 'x', env: { A: true } },
      '.env.A: expected a string, found a boolean: put it in double quotes',
    ],
    [{ command: 'x', cwd: '' }, '.cwd: must not be empty: name a folder or leave it out'],
    [
      { command: 'x', disabled: 'yes' },
      '.disabled: expected true or false, found a string: write it without quotes',
    ],
  ])('refuses the entry %j', (entry, problem) => {
    expect(validateServer(entry).problems).toEqual([`mcpServers.fs${problem}`]);
  });

  test.each([
    [{ url: 'https://SECRET' }, 'it has a "url"'],
    [{ serverUrl: 'https://SECRET', command: 'x' }, 'it has a "serverUrl"'],
    [{ type: 'http', url: 'https://SECRET' }, 'its "type" is "http"'],
    [{ type: 'https://SECRET' }, 'its "type" is not "stdio"'],
  ])('says of %j that only stdio is served and how to skip it', (entry, what) => {
    const { problems } = validateServer(entry);
    expect(problems).toEqual([
      `mcpServers.fs: ${what}, but only stdio servers are served: give it a "command" instead, or skip it with "disabled": true`,
    ]);
  });

  test('reports every problem at once', () => {
    const { problems } = validate({
      mcpServers: { a: { args: {}, env: { X: 1, '': '' } }, b: 7, c: { command: 'ok' }, d: { url: '' } },
    });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'mcpServers.a.command',
      'mcpServers.a.args',
      'mcpServers.a.env.X',
      'mcpServers.a.env[""]',
      'mcpServers.b',
      'mcpServers.d',
    ]);
  });

  test('skips a disabled entry, however wrong, and says so', () => {
    const { entries, problems, notices } = validate({
      mcpServers: { off: { url: 'x', disabled: true, args: 5 }, on: { command: 'x' } },
    });
    expect(entries.map(({ key }) => key)).toEqual(['on']);
    expect(problems).toEqual([]);
    expect(notices).toEqual(['mcpServers.off: disabled, skipped']);
  });

  test('ignores unknown fields but names them', () => {
    const { problems, notices } = validate({
      theme: 1,
      $schema: './schema.json',
      mcpServers: { a: { command: 'x', autoApprove: [] } },
    });
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      'theme: unknown field, ignored',
      'mcpServers.a.autoApprove: unknown field, ignored',
    ]);
  });

  test.each([
    [{}, 'mcpServers: no server is configured, so there is nothing to offer'],
    [{ a: { disabled: true } }, 'mcpServers: every server is disabled, so there is nothing to offer'],
  ])('accepts %j without a server to start, with a notice', (mcpServers, notice) => {
    const { problems, notices } = validate({ mcpServers });
    expect(problems).toEqual([]);
    expect(notices).toContain(notice);
  });

  test('refuses a name that could not be sent to a client', () => {
    expect(
      validateConfig(readJson('{"mcpServers": {"\\ud800": {"command": "x"}}}').value).problems,
    ).toHaveLength(1);
  });
});

describe('pathTo', () => {
  test.each([
    ['', 'mcpServers', 'mcpServers'],
    ['a', 'b-c', 'a.b-c'],
    ['a', 'ünï', 'a.ünï'],
    ['a', 'my server', 'a["my server"]'],
    ['a', 'b.c', 'a["b.c"]'],
    ['a', 3, 'a[3]'],
    ['a', '3', 'a["3"]'],
    ['a', '\u001b[31m', 'a["\\u001b[31m"]'],
    ['a', '\u202e', 'a["\\u{202e}"]'],
  ])('adds to %j the step %j', (parent, step, path) => {
    expect(pathTo(parent, step)).toBe(path);
  });
});
