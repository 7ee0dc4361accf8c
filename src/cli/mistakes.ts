/** Commands and their examples, and what is said of words that are in the wrong place or nearly a command. Reads no option. */
import { PROGRAM, quote, UsageError } from './arguments.ts';
import { findClosest } from './suggest.ts';

export const COMMANDS = ['check', 'call', 'terminate'] as const;
export const EXAMPLES: Readonly<Record<(typeof COMMANDS)[number], string>> = {
  check: `${PROGRAM} check mcp.json`,
  call: `${PROGRAM} call fs:read_file path=a.txt --config mcp.json`,
  terminate: `${PROGRAM} terminate mcp.kill`,
};

/** A file whose name is nearly that of a command can still be given with --config, or as a path. */
export function refuseMistypedCommand(word: string): void {
  if (/[./\\]/.test(word) || word.length < 3) return;
  const close = findClosest(word, COMMANDS);
  if (close !== undefined) {
    throw new UsageError(
      `Unknown command ${quote(word)}: did you mean "${close}"? A config file of that name is given as --config`,
    );
  }
}

/** There is one config file, and only its name stands without an option. */
export function refuseSecond({
  first,
  second,
  command,
  isNamed,
}: {
  readonly first: string;
  readonly second: string;
  /** With a space after it; empty for serving. */
  readonly command: string;
  /** Whether the config file was given with --config. */
  readonly isNamed: boolean;
}): never {
  const name = COMMANDS.find((known) => known === second);
  if (!isNamed && command === '' && name === undefined && /^[a-z]+$/.test(first)) {
    throw new UsageError(
      `Unknown command ${quote(first)}: there are "check", "call" and "terminate"; to serve, name the config file alone`,
    );
  }
  throw new UsageError(
    `Unexpected argument ${quote(second)}, the config file is already ${quote(first)}: ${adviseSecond(second, command)}`,
  );
}

function adviseSecond(second: string, command: string): string {
  const name = COMMANDS.find((known) => known === second);
  if (command === '' && name !== undefined) return `a command comes first, as in ${EXAMPLES[name]}`;
  const spaces = 'put a path with spaces in quotes';
  return command === 'check ' ? `choose one server with --server, and ${spaces}` : spaces;
}
