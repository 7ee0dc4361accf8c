/** Sorts the arguments of the command line into options and the rest, or says in a sentence what is wrong. Knows every option. */
import { findClosest } from './suggest.ts';

/** What the program is asked to do; serving is what it does when no other word is given. */
export type CommandName = 'serve' | 'check' | 'call' | 'terminate';

export interface Arguments {
  /** By long name; undefined where no value was given. */
  readonly options: ReadonlyMap<string, string | undefined>;
  /** What is not an option, in order. */
  readonly rest: readonly string[];
  /** How many of the rest stood before a "--": only these can be the name of a command. */
  readonly before: number;
}

/** A mistake of the person at the keyboard; the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Option {
  readonly takes: 'nothing' | 'a value' | 'a value or nothing';
  readonly of: readonly CommandName[];
  /** What the value is, with an example of how to give it. */
  readonly value?: string;
}

interface GivenOption {
  readonly name: string;
  readonly value: string | undefined;
  /** Whether the value is the next argument, and not behind a "=". */
  readonly separate: boolean;
}

export const PROGRAM = 'mcp-simple-aggregator';
const SHOWN_LENGTH = 80;

const SERVE = ['serve'] as const;
const STARTS = ['serve', 'check', 'call'] as const;
const PEOPLE = ['check', 'call'] as const;

const OPTIONS: ReadonlyMap<string, Option> = new Map<string, Option>([
  ['--config', { takes: 'a value', of: STARTS, value: 'a file, as in --config mcp.json' }],
  ['--debug', { takes: 'nothing', of: ['serve', 'call'] }],
  ['--log-file', { takes: 'a value', of: SERVE, value: 'a file, as in --log-file mcp.log' }],
  ['--name', { takes: 'a value', of: SERVE, value: 'a name, as in --name tools' }],
  ['--version', { takes: 'a value or nothing', of: SERVE, value: 'a version, as in --version 1.0.0' }],
  ['--separator', { takes: 'a value', of: STARTS, value: 'one or more characters, as in --separator __' }],
  ['--strict', { takes: 'nothing', of: SERVE }],
  ['--isolate-env', { takes: 'nothing', of: STARTS }],
  ['--restart', { takes: 'nothing', of: SERVE }],
  ['--lazy', { takes: 'nothing', of: ['serve', 'check'] }],
  ['--idle-timeout', { takes: 'a value', of: SERVE, value: 'seconds, as in --idle-timeout 600' }],
  [
    '--max-processes',
    { takes: 'a value', of: ['serve', 'check'], value: 'a whole number, as in --max-processes 50' },
  ],
  ['--startup-timeout', { takes: 'a value', of: STARTS, value: 'seconds, as in --startup-timeout 60' }],
  [
    '--terminator-manifest',
    { takes: 'a value', of: SERVE, value: 'a file, as in --terminator-manifest mcp.kill' },
  ],
  ['--json', { takes: 'nothing', of: PEOPLE }],
  ['--tools', { takes: 'nothing', of: ['check'] }],
  ['--server', { takes: 'a value', of: ['check'], value: 'the key of a server, as in --server github' }],
  ['--args', { takes: 'a value', of: ['call'], value: `a JSON object, as in --args '{"path":"a.txt"}'` }],
  ['--help', { takes: 'nothing', of: ['serve', 'check', 'call', 'terminate'] }],
]);
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([['-h', '--help']]);

export function readArguments(argv: readonly string[]): Arguments {
  const options = new Map<string, string | undefined>();
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index] ?? '';
    if (arg === '--') {
      return { options, rest: [...rest, ...argv.slice(index + 1)], before: rest.length };
    }
    if (!arg.startsWith('-')) {
      rest.push(arg);
      continue;
    }
    const { name, value, separate } = readOption(arg, argv[index + 1]);
    if (options.has(name)) throw new UsageError(`Option "${name}" is given twice: keep one of them`);
    options.set(name, value);
    if (separate) index += 1;
  }
  return { options, rest, before: rest.length };
}

/** An option that the command would ignore was meant to do something. */
export function refuseForeignOptions(options: Arguments['options'], command: CommandName): void {
  for (const name of options.keys()) {
    const owners = OPTIONS.get(name)?.of ?? [];
    if (owners.includes(command)) continue;
    const places = owners.map((owner) => (owner === 'serve' ? 'serving' : `"${owner}"`)).join(' and ');
    const subject = command === 'serve' ? 'serving' : `"${command}"`;
    throw new UsageError(
      `Option "${name}" is for ${places}, not for ${subject}: leave it out, or see "${PROGRAM} --help"`,
    );
  }
}

/** The value of an option that takes a number, within its bounds. */
export function readNumber(
  options: Arguments['options'],
  name: string,
  bounds: { readonly default: number; readonly min: number; readonly max: number; readonly unit?: 'seconds' },
): number {
  const text = options.get(name);
  if (text === undefined) return bounds.default;
  const { min, max, unit } = bounds;
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (unit === 'seconds' || Number.isInteger(value))) return value;
  const what = unit ?? 'a whole number';
  throw new UsageError(
    `Option "${name}" needs ${what} from ${min} to ${max}, as in ${name} ${bounds.default}: found ${quote(text)}`,
  );
}

export function quote(text: string): string {
  const short = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return `"${short.replace(/[\p{C}\u2028\u2029]/gu, '?')}"`;
}

function readOption(arg: string, next: string | undefined): GivenOption {
  // What follows "=" may be a secret that was meant for a server: it is never repeated.
  const [given = '', ...parts] = arg.split('=');
  const name = SHORT_NAMES.get(given) ?? given;
  const option = OPTIONS.get(name);
  if (option === undefined) throw new UsageError(describeUnknown(given));
  const attached = parts.length > 0;
  if (attached && option.takes === 'nothing') {
    throw new UsageError(`Option "${name}" takes no value: write "${name}" alone, or leave it out`);
  }
  const separate = !attached && next !== undefined && canFollow(next, option);
  const value = attached ? parts.join('=') : separate ? next : undefined;
  if (value === undefined && option.takes === 'a value') {
    throw new UsageError(`Option "${name}" needs ${option.value}`);
  }
  if (value?.trim() === '') throw new UsageError(`The value of "${name}" is empty: give ${option.value}`);
  return { name, value, separate };
}

/** A lone "-" is a fine separator, but what looks like an option is never swallowed as a value. */
function canFollow(next: string, { takes }: Option): boolean {
  if (takes === 'nothing') return false;
  return takes === 'a value' ? !next.startsWith('--') : !next.startsWith('-');
}

function describeUnknown(given: string): string {
  const word = given.replace(/^-+/, '').replaceAll('_', '-');
  const close = findClosest(
    word,
    [...OPTIONS.keys()].map((name) => name.slice(2)),
  );
  const advice = close === undefined ? `"${PROGRAM} --help" lists all options` : `did you mean "--${close}"?`;
  return `Unknown option ${quote(given)}: ${advice}`;
}
