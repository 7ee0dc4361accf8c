/** The command: arguments in, exit code out. Only this file and cli/ touch the process they run in. */
import { HELP } from './cli/help.ts';
import { type Command, parseOptions } from './cli/options.ts';
import { serve } from './cli/serve.ts';
import { VERSION } from './version.ts';

const USAGE_ERROR = 2;

export interface Outcome {
  readonly exitCode: number;
  /** Whether it served a client, as it mostly does. */
  readonly isTypical: boolean;
}

/** Never rejects: what goes wrong is said on stderr and in the exit code. */
export async function run(): Promise<Outcome> {
  try {
    const command = parseOptions(process.argv.slice(2), { version: VERSION });
    if (command.kind === 'serve') return { exitCode: await serve(command), isTypical: true };
    outliveReaders();
    if (command.kind === 'help' || command.kind === 'version') {
      process.stdout.write(command.kind === 'help' ? HELP : `${VERSION}\n`);
      return { exitCode: 0, isTypical: false };
    }
    return { exitCode: await runForPeople(command), isTypical: false };
  } catch (error) {
    outliveReaders();
    const isExpected = isMistake(error);
    const text = isExpected ? error.message : String(error instanceof Error ? error.stack : error);
    process.stderr.write(`mcp-simple-aggregator: ${text}\n`);
    return { exitCode: isExpected ? USAGE_ERROR : 1, isTypical: false };
  }
}

/** Whoever reads what we say may be gone before we are done, as in `| head`: the exit code is the same. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** What a person runs at a terminal, from a file of its own: serving must not even read it. */
async function runForPeople(
  command: Exclude<Command, { kind: 'serve' | 'help' | 'version' }>,
): Promise<number> {
  // oxlint-disable-next-line typescript/no-require-imports -- built beside this file
  const people = require('./people.cjs') as typeof import('./cli/people.ts');
  if (command.kind === 'check') return people.runCheck(command);
  if (command.kind === 'call') return people.runCall(command);
  return people.terminate(command.path, (line) => void process.stdout.write(`${line}\n`));
}

/** By name: the other file has classes of its own. */
function isMistake(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'UsageError' || error.name === 'ConfigError');
}
