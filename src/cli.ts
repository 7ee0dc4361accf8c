/** The command: arguments in, exit code out. Only this file and cli/ touch the process they run in. */
import { HELP } from './cli/help.ts';
import { type Command, parseOptions, UsageError } from './cli/options.ts';
import { serve } from './cli/serve.ts';
import { ConfigError } from './config/validate.ts';
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
    if (command.kind === 'help' || command.kind === 'version') {
      process.stdout.write(command.kind === 'help' ? HELP : `${VERSION}\n`);
      return { exitCode: 0, isTypical: false };
    }
    return { exitCode: await runForPeople(command), isTypical: false };
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof ConfigError;
    const text = isExpected ? error.message : String(error instanceof Error ? error.stack : error);
    process.stderr.write(`mcp-simple-aggregator: ${text}\n`);
    return { exitCode: isExpected ? USAGE_ERROR : 1, isTypical: false };
  }
}

/** What a person runs at a terminal; loaded only then, because serving must not pay for it. */
async function runForPeople(
  command: Exclude<Command, { kind: 'serve' | 'help' | 'version' }>,
): Promise<number> {
  if (command.kind === 'check') return (await import('./cli/check/check.ts')).runCheck(command);
  if (command.kind === 'call') return (await import('./cli/call/call.ts')).runCall(command);
  const { terminate } = await import('./cli/terminate.ts');
  return terminate(command.path, (line) => void process.stdout.write(`${line}\n`));
}
