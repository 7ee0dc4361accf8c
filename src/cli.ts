/** The command: arguments in, exit code out. Only this file and cli/ touch the process they run in. */
import { HELP } from './cli/help.ts';
import { parseOptions, UsageError } from './cli/options.ts';
import { serve } from './cli/serve.ts';
import { ConfigError } from './config/validate.ts';
import { VERSION } from './version.ts';

const USAGE_ERROR = 2;

async function main(): Promise<number> {
  const command = parseOptions(process.argv.slice(2), { version: VERSION });
  if (command.kind === 'serve') return serve(command);
  process.stdout.write(command.kind === 'help' ? HELP : `${VERSION}\n`);
  return 0;
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    const isExpected = error instanceof UsageError || error instanceof ConfigError;
    const text = isExpected ? error.message : String(error instanceof Error ? error.stack : error);
    process.stderr.write(`mcp-simple-aggregator: ${text}\n`);
    process.exitCode = isExpected ? USAGE_ERROR : 1;
  },
);
