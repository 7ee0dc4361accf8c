/** Turns the arguments of the command line into one command, or says in a sentence what is wrong; prints and opens nothing. */

export type Command =
  | {
      readonly kind: 'serve';
      readonly config: string;
      readonly debug: boolean;
      readonly logFile?: string;
      /** Name and version of the server, as told to clients. */
      readonly name: string;
      readonly version: string;
      readonly separator?: string;
      readonly strict: boolean;
      readonly isolateEnv: boolean;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/** A mistake of the person at the keyboard; the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Option {
  readonly takes: 'nothing' | 'a value' | 'a value or nothing';
  /** What the value is, with an example of how to give it. */
  readonly value?: string;
}

interface Arguments {
  /** By long name; undefined where no value was given. */
  readonly options: ReadonlyMap<string, string | undefined>;
  readonly rest: readonly string[];
}

const PROGRAM = 'mcp-simple-aggregator';
const SHOWN_LENGTH = 80;
const SEE_HELP = `"${PROGRAM} --help" lists all options`;

const OPTIONS: ReadonlyMap<string, Option> = new Map<string, Option>([
  ['--config', { takes: 'a value', value: 'a file, as in --config mcp.json' }],
  ['--debug', { takes: 'nothing' }],
  ['--log-file', { takes: 'a value', value: 'a file, as in --log-file mcp.log' }],
  ['--name', { takes: 'a value', value: 'a name, as in --name tools' }],
  ['--version', { takes: 'a value or nothing', value: 'a version, as in --version 1.0.0' }],
  ['--separator', { takes: 'a value', value: 'one or more characters, as in --separator __' }],
  ['--strict', { takes: 'nothing' }],
  ['--isolate-env', { takes: 'nothing' }],
  ['--help', { takes: 'nothing' }],
]);
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([['-h', '--help']]);

export function parseOptions(argv: readonly string[], program: { readonly version: string }): Command {
  // Whoever asks for help gets it, whatever else is wrong.
  if (asksForHelp(argv)) return { kind: 'help' };
  const { options, rest } = readArguments(argv);
  if (options.has('--version') && options.get('--version') === undefined) return { kind: 'version' };
  const config = chooseConfig(options.get('--config'), rest);
  const logFile = options.get('--log-file');
  const separator = options.get('--separator');
  return {
    kind: 'serve',
    config,
    debug: options.has('--debug'),
    ...(logFile !== undefined && { logFile }),
    name: options.get('--name') ?? PROGRAM,
    version: options.get('--version') ?? program.version,
    ...(separator !== undefined && { separator }),
    strict: options.has('--strict'),
    isolateEnv: options.has('--isolate-env'),
  };
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

function readArguments(argv: readonly string[]): Arguments {
  const options = new Map<string, string | undefined>();
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index] ?? '';
    if (arg === '--') {
      rest.push(...argv.slice(index + 1));
      break;
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
  return { options, rest };
}

interface GivenOption {
  readonly name: string;
  readonly value: string | undefined;
  /** Whether the value is the next argument, and not behind a "=". */
  readonly separate: boolean;
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

function chooseConfig(option: string | undefined, rest: readonly string[]): string {
  const [first, second] = option === undefined ? rest : [option, ...rest];
  if (first === undefined || first.trim() === '') {
    throw new UsageError(
      `No config file given: name the JSON file with your servers, as in ${PROGRAM} --config mcp.json`,
    );
  }
  if (second === undefined) return first;
  throw new UsageError(
    `Unexpected argument ${quote(second)}, the config file is already ${quote(first)}: put a path with spaces in quotes`,
  );
}

function describeUnknown(given: string): string {
  const close = findClosest(given);
  return `Unknown option ${quote(given)}: ${close === undefined ? SEE_HELP : `did you mean "${close}"?`}`;
}

function findClosest(given: string): string | undefined {
  const word = given.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
  if (word === '') return undefined;
  const names = [...OPTIONS.keys()];
  // A beginning that fits only one option is meant as that one: "-c", "--sep".
  const [begun, ...others] = names.filter((name) => name.startsWith(`--${word}`));
  if (begun !== undefined && others.length === 0) return begun;
  const [best] = names
    .map((name) => ({ name, distance: measureDistance(word, name.slice(2)) }))
    .toSorted((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= (word.length < 4 ? 1 : 2) ? best.name : undefined;
}

/** How many letters must be put in, left out, changed or swapped with their neighbour. */
function measureDistance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = above;
    above = current;
  }
  return above[other.length] ?? 0;
}

function quote(text: string): string {
  const short = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return `"${short.replace(/[\p{C}\u2028\u2029]/gu, '?')}"`;
}
