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
    };
    const flags = ['--debug', '--strict', '--isolate-env'];
    const values = [
      ['--log-file', 'l.log'],
      ['--name', 'n'],
      ['--version', '1.2'],
      ['--separator', '__'],
    ];
    expect(parse('--config', 'c.json', ...flags, ...values.flat())).toEqual(expected);
    expect(parse(...values.map((pair) => pair.join('=')), ...flags, 'c.json')).toEqual(expected);
  });

  test('takes a dash as a separator', () => {
    expect(parse('c.json', '--separator', '-')).toMatchObject({ separator: '-' });
    expect(parse('c.json', '--separator=--')).toMatchObject({ separator: '--' });
  });

  test.each([[['--help']], [['-h']], [['--nonsense', '--help']], [['c.json', '-h']]])(
    'shows help for %j',
    (argv) => {
      expect(parse(...argv)).toEqual({ kind: 'help' });
    },
  );

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
  ])('guesses what %s was meant to be', (given, meant) => {
    expect(catchMessage(given, 'x')).toBe(
      `Unknown option "${given.split('=')[0]}": did you mean "${meant}"?`,
    );
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

  test('lists only options that exist', () => {
    const options = new Set(HELP.match(/--[a-z-]+/g));
    expect(options.size).toBe(9);
    for (const option of options) {
      expect(() => parse('c.json', `${option}=1`)).not.toThrow(/Unknown option/);
    }
  });
});
