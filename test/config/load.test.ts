import { chmodSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Config, loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problem.ts';

let folder: string;
let file: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));
  file = join(folder, 'mcp.json');
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function load(content: string | Buffer, env: NodeJS.ProcessEnv = {}): Config {
  writeFileSync(file, content);
  return loadConfig(file, env);
}

function loadServers(mcpServers: object, env: NodeJS.ProcessEnv = {}): Config {
  return load(JSON.stringify({ mcpServers }), env);
}

function catchError(act: () => unknown): ConfigError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('The config was loaded without an error');
}

describe('a good file', () => {
  test('becomes servers in which every variable is put in', () => {
    const { servers, path, notices } = loadServers(
      {
        pg: { command: '${BIN}/pg', args: ['$HOME', '--x=${X:-1}'], env: { URL: '${DB}' }, cwd: '$HOME/pg' },
      },
      { BIN: '/opt', HOME: '/home/ann', DB: 'db://x' },
    );
    expect(servers).toEqual([
      {
        key: 'pg',
        command: '/opt/pg',
        commandText: '${BIN}/pg',
        args: ['/home/ann', '--x=1'],
        env: { URL: 'db://x' },
        cwd: '/home/ann/pg',
        cwdText: '$HOME/pg',
      },
    ]);
    expect(path).toBe(file);
    expect(notices).toEqual([]);
  });

  test('keeps its order and takes any key', () => {
    const keys = ['10', '__proto__', '2', 'constructor', 'my server', 'a/b.c', 'ünï', 'a:b', '0'];
    const entries = keys.map((key) => `${JSON.stringify(key)}: {"command": "x"}`);
    const { servers } = load(`{"mcpServers": {${entries.join()}}}`);
    expect(servers.map(({ key }) => key)).toEqual(keys);
  });

  test('may set a variable with any name', () => {
    const { servers } = load(
      '{"mcpServers": {"a": {"command": "x", "env": {"__proto__": "p", "toString": "t"}}}}',
    );
    expect(Object.entries(servers[0]?.env ?? {})).toEqual([
      ['__proto__', 'p'],
      ['toString', 't'],
    ]);
    expect(Object.hasOwn(Object.prototype, 'p')).toBe(false);
  });

  test('may begin with a byte order mark and have lines that end as on Windows', () => {
    expect(load('\uFEFF{\r\n"mcpServers": {}\r\n}').servers).toEqual([]);
  });

  test('is known by its real path when a link leads to it', () => {
    loadServers({});
    const link = join(folder, 'link.json');
    symlinkSync(file, link);
    expect(loadConfig(link, {}).path).toBe(file);
  });
});

describe('a file that cannot be read', () => {
  test('is reported with its full path when it is not there', () => {
    const error = catchError(() => loadConfig('no/such.json', {}));
    expect(error.code).toBe('file_not_found');
    expect(error.message).toBe(
      `Config file not found: "${join(process.cwd(), 'no/such.json')}"; check the path`,
    );
  });

  test('is reported with advice when nobody expanded its tilde', () => {
    expect(catchError(() => loadConfig('~/mcp.json', {})).message).toContain('write the full path');
  });

  test('is not found below another file', () => {
    loadServers({});
    expect(catchError(() => loadConfig(join(file, 'mcp.json'), {})).code).toBe('file_not_found');
  });

  test('is not a directory', () => {
    const error = catchError(() => loadConfig(folder, {}));
    expect(error).toMatchObject({ code: 'unreadable' });
    expect(error.message).toContain('is a directory');
  });

  test('is not a device or a pipe', () => {
    const error = catchError(() => loadConfig('/dev/null', {}));
    expect(error).toMatchObject({ code: 'unreadable' });
    expect(error.message).toContain('is not a regular file');
  });

  test.skipIf(process.getuid?.() === 0)('is reported when permission is denied', () => {
    const locked = join(folder, 'locked.json');
    writeFileSync(locked, '{}');
    chmodSync(locked, 0);
    const error = catchError(() => loadConfig(locked, {}));
    expect(error).toMatchObject({ code: 'unreadable' });
    expect(error.message).toContain('permission denied');
  });

  test('is reported with the reason of the system otherwise', () => {
    const loop = join(folder, 'loop.json');
    symlinkSync(loop, loop);
    const error = catchError(() => loadConfig(loop, {}));
    expect(error).toMatchObject({ code: 'unreadable' });
    expect(error.message).toContain('ELOOP');
  });

  test('cannot disturb the terminal with its name', () => {
    expect(catchError(() => loadConfig('a\u001b[31m\nb', {})).message).toMatch(/a\?\[31m\?b"/);
  });
});

describe('a file that is not JSON', () => {
  test('is reported with line, column, place and the line itself, without its values', () => {
    const error = catchError(() =>
      load('{\n  "mcpServers": {\n    "pg": {\n      "env": { "KEY": "hunter2" "B": "c" }\n'),
    );
    expect(error.code).toBe('invalid_json');
    expect(error.problems).toEqual(['line 4, column 32, in mcpServers.pg.env: a comma is missing here']);
    expect(error.message.split('\n')).toEqual([
      `Config file "${file}" is not valid JSON`,
      '  line 4, column 32, in mcpServers.pg.env: a comma is missing here',
      '  4 | "env": { "KEY": "…" "…": "…" }',
      '    |                    ^',
    ]);
  });

  test.each([
    ['UTF-16', Buffer.from('\uFEFF{"mcpServers": {}}', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('{"mcpServers": {}}', 'utf16le')],
    ['Latin-1', Buffer.from('{"mcpServers": {"ü": {}}}', 'latin1')],
  ])('is reported when it is %s', (_, content) => {
    const error = catchError(() => load(content));
    expect(error.code).toBe('invalid_json');
    expect(error.message).toContain('save it as UTF-8');
  });
});

describe('a file with problems', () => {
  test('is reported with all of them at once, missing variables included', () => {
    const content = `{
      "mcpServers": {
        "bad": { "command": "x", "args": "y" },
        "good": { "command": "\${NOPE}", "env": { "A": "$NADA \${env:X}" } },
        "good": { "command": "\${NOPE}", "env": { "A": "$NADA \${env:X}" } }
      }
    }`;
    const error = catchError(() => load(content));
    expect(error.code).toBe('invalid_schema');
    expect(error.problems).toEqual([
      'mcpServers.good: the name is there twice (lines 4, 5): rename or remove one',
      'mcpServers.bad.args: expected an array of strings, found a string: write ["one", "two"]',
      'mcpServers.good.env.A: "${env:X}" is not understood: write "${X}"',
      'mcpServers.good.command: the environment variable "NOPE" is not set; set it, or write "${NOPE:-default}"',
      'mcpServers.good.env.A: the environment variable "NADA" is not set; set it, or write "${NADA:-default}"',
    ]);
    expect(error.message).toBe([`Config file "${file}" has 5 problems`, ...error.problems].join('\n  '));
  });

  test('says so when only variables are missing', () => {
    const error = catchError(() => loadServers({ a: { command: 'x', args: ['$A', '${B}$A'], cwd: '$C' } }));
    expect(error.code).toBe('missing_env_var');
    expect(error.problems.map((problem) => problem.replace(/ is not set.*/, ''))).toEqual([
      'mcpServers.a.args[0]: the environment variable "A"',
      'mcpServers.a.args[1]: the environment variable "B"',
      'mcpServers.a.args[1]: the environment variable "A"',
      'mcpServers.a.cwd: the environment variable "C"',
    ]);
  });

  test('asks nothing of the environment for a disabled server', () => {
    expect(loadServers({ a: { command: '$NOPE', disabled: true } }).servers).toEqual([]);
  });

  test('is refused when an empty variable leaves no command or folder', () => {
    const error = catchError(() => loadServers({ a: { command: '$E', cwd: '${E}' } }, { E: '' }));
    expect(error.problems.map((problem) => problem.split(':')[0])).toEqual([
      'mcpServers.a.command',
      'mcpServers.a.cwd',
    ]);
  });

  test('is reported for repeated names, but not for those in other parts of the file', () => {
    const error = catchError(() =>
      load(
        '{"other": {"x": 1, "x": 2}, "a": 1, "a": 1, "mcpServers": {"s": {"command": "x", "command": "y"}}}',
      ),
    );
    expect(error.problems).toEqual([
      'mcpServers.s.command: the name is there twice (line 1): rename or remove one',
      'a: the name is there twice (line 1): rename or remove one',
    ]);
  });

  test('never shows a value', () => {
    const env = { TOKEN: 'CANARY-1' };
    const server = {
      command: '$TOKEN',
      args: [['CANARY-2']],
      env: { A: { b: 'CANARY-3' }, C: '${X Y CANARY-4}' },
    };
    const error = catchError(() => loadServers({ a: { ...server, type: 'CANARY-5' }, b: server }, env));
    expect(error.problems.length).toBeGreaterThan(2);
    expect(error.message + error.problems.join()).not.toContain('CANARY');
  });
});

describe('secrets', () => {
  test('are what came from the environment, but for short words and what everybody knows', () => {
    const env = {
      TOKEN: 'tok1',
      DB: 'some-db',
      MODE: 'debug',
      HOME: '/home/ann',
      PWD: '/home/ann',
      LC_ALL: 'de_DE.UTF-8',
    };
    const { secrets } = loadServers(
      { a: { command: 'x', args: ['$TOKEN $DB $MODE $HOME $PWD $LC_ALL'] } },
      env,
    );
    expect(secrets).toEqual(['tok1', 'some-db']);
  });

  test('are values in the file whose name sounds secret', () => {
    const { secrets } = loadServers({
      a: {
        command: 'x',
        args: [
          '--api-key',
          'arg-1',
          '--token=arg-2',
          '-e',
          'MY_SECRET=arg-3',
          'Authorization: Bearer arg-4',
          '--auth',
        ],
        env: {
          API_KEY: 'env-1',
          github_pat: 'env-2',
          PLAIN: 'visible',
          USE_AUTH: 'true',
          MAX_TOKENS: '4096',
        },
      },
    });
    expect(secrets.toSorted()).toEqual(['arg-1', 'arg-2', 'arg-3', 'arg-4', 'env-1', 'env-2']);
  });

  test('are passwords in addresses, in both spellings', () => {
    const { secrets } = loadServers({ a: { command: 'x', args: ['postgres://ann:p%40ss@db:5432/x'] } });
    expect(secrets).toEqual(['p%40ss', 'p@ss']);
  });
});
