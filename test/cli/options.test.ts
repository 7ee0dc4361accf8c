import { describe, expect, test } from 'vitest';

import { HELP } from '../../src/cli/help.ts';
import { type Command, parseOptions, UsageError } from '../../src/cli/options.ts';

const PROGRAM = { version: '9.8.7' };
const DEFAULTS: Command = {
  kind: 'serve',
  config: 'c.json',
  debug: false,
  name: 'mcp-simple-aggregator',
  version: '9.8.7',
  strict: false,
  isolateEnv: false,
  restart: false,
  lazy: false,
  idleTimeoutMs: 600_000,
  maxProcesses: 50,
  startupTimeoutMs: 30_000,
};

function parse(...argv: string[]): Command {
  return parseOptions(argv, PROGRAM);
}

function catchMessage(...argv: string[]): string {
  try {
    parse(...argv);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('The arguments were accepted');
}

describe('parseOptions', () => {
  test.each([[['--config', 'c.json']], [['--config=c.json']], [['c.json']], [['--', 'c.json']]])(
    'takes the config file from %j',
    (argv) => {
      expect(parse(...argv)).toEqual(DEFAULTS);
    },
  );

  test('takes a path with "=" in it and one that looks like an option', () => {
    expect(parse('--config=a=b.json')).toMatchObject({ config: 'a=b.json' });
    expect(parse('--', '--help')).toMatchObject({ config: '--help' });
  });

  test('takes every option, with its value after "=" or as the next argument', () => {
    const expected = {
      kind: 'serve',
      config: 'c.json',
      debug: true,
      logFile: 'l.log',
      name: 'n',
      version: '1.2',
      separator: '__',
      strict: true,
      isolateEnv: true,
      restart: true,
      lazy: true,
      idleTimeoutMs: 0,
      maxProcesses: 7,
      startupTimeoutMs: 2500,
      terminatorManifest: 'm.kill',
    };
    const flags = ['--debug', '--strict', '--isolate-env', '--restart', '--lazy'];
    const values = [
      ['--log-file', 'l.log'],
      ['--name', 'n'],
      ['--version', '1.2'],
      ['--separator', '__'],
      ['--idle-timeout', '0'],
      ['--max-processes', '7'],
      ['--startup-timeout', '2.5'],
      ['--terminator-manifest', 'm.kill'],
    ];
    expect(parse('--config', 'c.json', ...flags, ...values.flat())).toEqual(expected);
    expect(parse(...values.map((pair) => pair.join('=')), ...flags, 'c.json')).toEqual(expected);
  });

  test('takes a dash as a separator', () => {
    expect(parse('c.json', '--separator', '-')).toMatchObject({ separator: '-' });
    expect(parse('c.json', '--separator=--')).toMatchObject({ separator: '--' });
  });

  test('starts again what is started on use', () => {
    expect(parse('c.json', '--lazy')).toMatchObject({ lazy: true, restart: true });
    expect(parse('c.json', '--restart')).toMatchObject({ lazy: false, restart: true });
  });

  test('takes check with its options in any order', () => {
    const check = {
      kind: 'check',
      config: 'c.json',
      lazy: false,
      maxProcesses: 50,
      isolateEnv: false,
      startupTimeoutMs: 30_000,
    };
    expect(parse('check', 'c.json')).toEqual({ ...check, json: false, tools: false });
    const all = ['--json', '--tools', '--server', 'fs', '--isolate-env', '--separator=_'];
    const more = { json: true, tools: true, server: 'fs', isolateEnv: true, separator: '_' };
    expect(parse(...all, 'check', '--config', 'c.json')).toEqual({ ...check, ...more });
  });

  test('takes call with a tool and its arguments', () => {
    const base = { kind: 'call', config: 'c.json', tool: 'fs:read', isolateEnv: false, debug: false };
    const call = { ...base, startupTimeoutMs: 30_000 };
    const values = ['path=a=b', 'n=-1', 'empty='];
    expect(parse('call', 'fs:read', ...values, '--config', 'c.json', '--json')).toEqual({
      ...call,
      values,
      json: true,
    });
    expect(parse('--config=c.json', 'call', 'fs:read', '--args', '{"a":1}')).toEqual({
      ...call,
      args: '{"a":1}',
      values: [],
      json: false,
    });
  });

  test('takes terminate with its file', () => {
    expect(parse('terminate', 'm.kill')).toEqual({ kind: 'terminate', path: 'm.kill' });
  });

  test('takes a config file that is named like a command', () => {
    expect(parse('--config', 'check')).toMatchObject({ kind: 'serve', config: 'check' });
    expect(parse('./call')).toMatchObject({ kind: 'serve', config: './call' });
    expect(parse('--', 'check')).toMatchObject({ kind: 'serve', config: 'check' });
  });

  test.each([
    [['--help']],
    [['-h']],
    [['help']],
    [['help', 'check']],
    [['check', '-h']],
    [['--nonsense', '--help']],
    [['c.json', '-h']],
  ])('shows help for %j', (argv) => {
    expect(parse(...argv)).toEqual({ kind: 'help' });
  });

  test.each([[['--version']], [['c.json', '--version']], [['--version', '--debug']]])(
    'shows its own version for %j',
    (argv) => {
      expect(parse(...argv)).toEqual({ kind: 'version' });
    },
  );

  test.each<[argv: string[], message: string]>([
    [
      [],
      'No config file given: name the JSON file with your servers, as in mcp-simple-aggregator --config mcp.json',
    ],
    [['--debug'], 'No config file given'],
    [['--version', '2.0'], 'No config file given'],
    [[''], 'No config file given'],
    [['--config'], 'Option "--config" needs a file, as in --config mcp.json'],
    [['--config', '--debug'], 'Option "--config" needs a file'],
    [['--config='], 'The value of "--config" is empty: give a file'],
    [['c.json', '--separator', ''], 'The value of "--separator" is empty: give one or more characters'],
    [['c.json', '--separator= '], 'The value of "--separator" is empty'],
    [['c.json', '--version='], 'The value of "--version" is empty'],
    [['c.json', '--name', ' '], 'The value of "--name" is empty'],
    [['c.json', '--debug=yes'], 'Option "--debug" takes no value'],
    [['c.json', '--debug', '--debug'], 'Option "--debug" is given twice'],
    [['--config', 'a', '--config=b'], 'Option "--config" is given twice'],
    [['/My', 'Files/c.json'], 'Unexpected argument "Files/c.json", the config file is already "/My"'],
    [['--config', 'a.json', 'b.json'], 'Unexpected argument "b.json"'],
    [
      ['check'],
      'No config file given: name the JSON file with your servers, as in mcp-simple-aggregator check',
    ],
    [['check', 'a.json', 'b.json'], 'Unexpected argument "b.json"'],
    [['check', '--config=a.json', 'fs'], 'already "a.json": choose one server with --server, and put'],
    [['a.json', 'check'], 'a command comes first, as in mcp-simple-aggregator check mcp.json'],
    [['call', 'a.json', 'a:b', 'x=1'], 'Unexpected argument "a.json": give the config file with --config'],
    [['call'], 'No tool given: name it as KEY:TOOL, as in mcp-simple-aggregator call'],
    [['call', 'a:b'], 'No config file given'],
    [['call', 'a:b', 'x', '--config=c'], 'Unexpected argument "x": arguments of a tool are name=value'],
    [['call', 'a:b', '=x', '--config=c'], 'Unexpected argument "=x"'],
    [['call', 'a:b', 'x=1', '--args={}', '--config=c'], 'The arguments are given twice'],
    [['terminate'], 'No manifest given: name the file of --terminator-manifest'],
    [['terminate', 'a', 'b'], 'Unexpected argument "b", the manifest is already "a"'],
    [['c.json', '--tools'], 'Option "--tools" is for "check", not for serving'],
    [['c.json', '--json'], 'Option "--json" is for "check" and "call", not for serving'],
    [['check', 'c.json', '--restart'], 'Option "--restart" is for serving, not for "check"'],
    [['terminate', 'm', '--config=c'], 'Option "--config" is for serving and "check" and "call"'],
    [['c.json', '--idle-timeout', '5'], 'add --lazy'],
    [
      ['c.json', '--startup-timeout', 'soon'],
      'Option "--startup-timeout" needs seconds from 0.1 to 1000000, as in --startup-timeout 30: found "soon"',
    ],
    [['c.json', '--startup-timeout', '0'], 'needs seconds from 0.1'],
    [['c.json', '--startup-timeout', '-5'], 'found "-5"'],
    [['c.json', '--lazy', '--idle-timeout', '1e3'], 'Option "--idle-timeout" needs seconds from 0 to'],
    [['c.json', '--max-processes', '0'], 'Option "--max-processes" needs a whole number from 1 to'],
    [['c.json', '--max-processes', '2.5'], 'as in --max-processes 50: found "2.5"'],
  ])('refuses %j with what to do', (argv, message) => {
    expect(catchMessage(...argv)).toContain(message);
  });

  test.each([
    ['--cofnig', '--config'],
    ['--confg=x', '--config'],
    ['-config', '--config'],
    ['-c', '--config'],
    ['-v', '--version'],
    ['--DEBUG', '--debug'],
    ['--logfile', '--log-file'],
    ['--log_file', '--log-file'],
    ['--isolated-env', '--isolate-env'],
    ['--seperator', '--separator'],
    ['--max-proceses', '--max-processes'],
    ['--jsn', '--json'],
  ])('guesses what %s was meant to be', (given, meant) => {
    expect(catchMessage(given, 'x')).toBe(
      `Unknown option "${given.split('=')[0]}": did you mean "${meant}"?`,
    );
  });

  test.each([
    ['chek', 'check'],
    ['Check', 'check'],
    ['cal', 'call'],
    ['terminat', 'terminate'],
  ])('guesses which command %s was meant to be', (given, meant) => {
    const message = `Unknown command "${given}": did you mean "${meant}"?`;
    expect(catchMessage(given)).toContain(message);
    expect(catchMessage(given, '--config', 'c.json')).toContain(message);
  });

  test('takes two words for a command that it does not know', () => {
    expect(catchMessage('list', 'mcp.json')).toMatch(/^Unknown command "list": there are "check", "call"/);
  });

  test.each(['--frobnicate', '-x', '-', '-s'])(
    'points to the help for %s, which is like no option',
    (given) => {
      expect(catchMessage(given)).toBe(
        `Unknown option "${given}": "mcp-simple-aggregator --help" lists all options`,
      );
    },
  );

  test('repeats neither a value nor what could disturb a terminal', () => {
    expect(catchMessage('--token=CANARY')).not.toContain('CANARY');
    expect(catchMessage('--\u001b[31m\nx')).toContain('"--?[31m?x"');
  });
});

describe('HELP', () => {
  test('fits one screen', () => {
    const lines = HELP.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(80);
  });

  test('lists every option, and only those that exist', () => {
    const options = new Set(HELP.match(/--[a-z-]+/g));
    expect(options.size).toBe(19);
    for (const option of options) {
      expect(() => parse('c.json', `${option}=1`)).not.toThrow(/Unknown option/);
    }
  });

  test('names every command', () => {
    for (const command of ['check', 'call', 'terminate']) expect(HELP).toContain(`\n  ${command} `);
  });
});
