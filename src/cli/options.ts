/** Turns the arguments of the command line into one command, or says in a sentence what is wrong; prints and opens nothing. */
import { DEFAULTS } from '../aggregator-options.ts';
import {
  type Arguments,
  type CommandName,
  PROGRAM,
  quote,
  readArguments,
  readNumber,
  refuseForeignOptions,
  UsageError,
} from './arguments.ts';
import { COMMANDS, EXAMPLES, refuseMistypedCommand, refuseSecond } from './mistakes.ts';

export { UsageError } from './arguments.ts';

/** What every command that starts servers is told. */
interface Starting {
  readonly config: string;
  readonly isolateEnv: boolean;
  readonly separator?: string;
  readonly startupTimeoutMs: number;
}

interface ServeCommand extends Starting {
  readonly kind: 'serve';
  readonly debug: boolean;
  readonly logFile?: string;
  /** Name and version of the server, as told to clients. */
  readonly name: string;
  readonly version: string;
  readonly strict: boolean;
  /** The next call starts a server again that has crashed. */
  readonly restart: boolean;
  /** Servers are started on first use. */
  readonly lazy: boolean;
  /** After which a lazy server that has nothing to do is stopped; 0 never. */
  readonly idleTimeoutMs: number;
  readonly maxProcesses: number;
  readonly terminatorManifest?: string;
}

export interface CheckCommand extends Starting {
  readonly kind: 'check';
  readonly json: boolean;
  /** Whether every tool is listed. */
  readonly tools: boolean;
  /** Whether the servers need not all run at once. */
  readonly lazy: boolean;
  readonly maxProcesses: number;
  /** The only server to check. */
  readonly server?: string;
}

export interface CallCommand extends Starting {
  readonly kind: 'call';
  /** `key:tool`. */
  readonly tool: string;
  /** The arguments as JSON text. */
  readonly args?: string;
  /** The arguments as `name=value`. */
  readonly values: readonly string[];
  readonly json: boolean;
  readonly debug: boolean;
}

export type Command =
  | ServeCommand
  | CheckCommand
  | CallCommand
  | { readonly kind: 'terminate'; readonly path: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

type Options = Arguments['options'];

const MAX_SECONDS = 1_000_000;
const MAX_PROCESSES = 10_000;

export function parseOptions(argv: readonly string[], program: { readonly version: string }): Command {
  // Whoever asks for help gets it, whatever else is wrong.
  if (asksForHelp(argv)) return { kind: 'help' };
  const { options, rest, before } = readArguments(argv);
  const word = before > 0 ? rest[0] : undefined;
  if (word === 'help') return { kind: 'help' };
  if (options.has('--version') && options.get('--version') === undefined) return { kind: 'version' };
  const command: CommandName = COMMANDS.find((name) => name === word) ?? 'serve';
  refuseForeignOptions(options, command);
  if (command === 'check') return readCheck(options, rest.slice(1));
  if (command === 'call') return readCall(options, rest.slice(1));
  if (command === 'terminate') return readTerminate(rest.slice(1));
  if (word !== undefined) refuseMistypedCommand(word);
  return readServe(options, rest, program);
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

function readServe(
  options: Options,
  rest: readonly string[],
  program: { readonly version: string },
): ServeCommand {
  const starting = readStarting(options, rest, '');
  const lazy = options.has('--lazy');
  if (options.has('--idle-timeout') && !lazy) {
    throw new UsageError('Option "--idle-timeout" stops servers that are started on use: add --lazy');
  }
  const logFile = options.get('--log-file');
  const terminatorManifest = options.get('--terminator-manifest');
  return {
    kind: 'serve',
    ...starting,
    debug: options.has('--debug'),
    ...(logFile !== undefined && { logFile }),
    name: options.get('--name') ?? PROGRAM,
    version: options.get('--version') ?? program.version,
    strict: options.has('--strict'),
    restart: lazy || options.has('--restart'),
    lazy,
    idleTimeoutMs: readSeconds(options, '--idle-timeout', { defaultMs: DEFAULTS.idleTimeoutMs, min: 0 }),
    maxProcesses: readProcesses(options),
    ...(terminatorManifest !== undefined && { terminatorManifest }),
  };
}

function readCheck(options: Options, rest: readonly string[]): CheckCommand {
  const server = options.get('--server');
  return {
    kind: 'check',
    ...readStarting(options, rest, 'check '),
    json: options.has('--json'),
    tools: options.has('--tools'),
    lazy: options.has('--lazy'),
    maxProcesses: readProcesses(options),
    ...(server !== undefined && { server }),
  };
}

function readCall(options: Options, [tool, ...values]: readonly string[]): CallCommand {
  const example = `as in ${EXAMPLES.call}`;
  if (tool === undefined) throw new UsageError(`No tool given: name it as KEY:TOOL, ${example}`);
  const file = [tool, ...values].find((value) => /^[^=]+\.json$/.test(value));
  if (file !== undefined && !options.has('--config')) {
    throw new UsageError(
      `Unexpected argument ${quote(file)}: give the config file with --config, ${example}`,
    );
  }
  const starting = readStarting(options, [], 'call KEY:TOOL ');
  const args = options.get('--args');
  if (args !== undefined && values.length > 0) {
    throw new UsageError(`The arguments are given twice: use either --args or name=value, ${example}`);
  }
  const odd = values.find((value) => !/^[^=]+=/.test(value));
  if (odd !== undefined) {
    throw new UsageError(`Unexpected argument ${quote(odd)}: arguments of a tool are name=value, ${example}`);
  }
  return {
    kind: 'call',
    ...starting,
    tool,
    ...(args !== undefined && { args }),
    values,
    json: options.has('--json'),
    debug: options.has('--debug'),
  };
}

function readTerminate([path, second]: readonly string[]): Command {
  if (path === undefined || path.trim() === '') {
    throw new UsageError(
      `No manifest given: name the file of --terminator-manifest, as in ${EXAMPLES.terminate}`,
    );
  }
  if (second === undefined) return { kind: 'terminate', path };
  throw new UsageError(
    `Unexpected argument ${quote(second)}, the manifest is already ${quote(path)}: put a path with spaces in quotes`,
  );
}

function readStarting(options: Options, rest: readonly string[], command: string): Starting {
  const config = chooseConfig(options.get('--config'), rest, command);
  const separator = options.get('--separator');
  return {
    config,
    isolateEnv: options.has('--isolate-env'),
    ...(separator !== undefined && { separator }),
    startupTimeoutMs: readSeconds(options, '--startup-timeout', {
      defaultMs: DEFAULTS.startupTimeoutMs,
      min: 0.1,
    }),
  };
}

function chooseConfig(option: string | undefined, rest: readonly string[], command: string): string {
  const [first, second] = option === undefined ? rest : [option, ...rest];
  if (first === undefined || first.trim() === '') {
    throw new UsageError(
      `No config file given: name the JSON file with your servers, as in ${PROGRAM} ${command}--config mcp.json`,
    );
  }
  if (second !== undefined) refuseSecond({ first, second, command, isNamed: option !== undefined });
  return first;
}

function readProcesses(options: Options): number {
  return readNumber(options, '--max-processes', {
    default: DEFAULTS.maxProcesses,
    min: 1,
    max: MAX_PROCESSES,
  });
}

function readSeconds(
  options: Options,
  name: string,
  { defaultMs, min }: { readonly defaultMs: number; readonly min: number },
): number {
  return Math.round(
    readNumber(options, name, { default: defaultMs / 1000, min, max: MAX_SECONDS, unit: 'seconds' }) * 1000,
  );
}
