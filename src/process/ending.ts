/** How a process came to its end, as data and as words. */

/** What is known of it when it is over. */
export interface Ending {
  /** What showed it first; `stopped` when it was asked to end. */
  readonly cause: 'spawn' | 'exit' | 'stdin' | 'stdout' | 'stopped';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Only when the process could not be started. */
  readonly error?: NodeJS.ErrnoException;
  /** The last lines of its stderr. */
  readonly stderr: readonly string[];
}

const SHOWN_STDERR_LINES = 10;
/** Nothing, a line of a stack trace, or a mark below a line of code; npm puts its name before each. */
const UNTELLING = /^(?:npm (?:error|ERR!))?(?:\s*|\s+at \S.*|\s*[\^~]+)$/;

/** To follow the name of the server. */
export function describeEnding({ cause, exitCode, signal }: Ending): string {
  if (cause === 'spawn') return 'could not be started';
  if (cause === 'stopped') return 'was stopped';
  if (signal !== null) return `was ended by ${signal}`;
  if (exitCode !== null) return `exited with code ${exitCode}`;
  return cause === 'stdin' ? 'closed its stdin' : 'closed its stdout';
}

/** The last lines of a server's stderr, to end a message with. */
export function quoteStderr(lines: readonly string[]): string {
  const words = lastWords(lines);
  if (words.length === 0) return '';
  const shown = words.map((line) => `\n  ${line}`);
  return `; the last lines of its stderr:${shown.join('')}`;
}

/** What explains most: where in its own code it happened would push out why. */
export function lastWords(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !UNTELLING.test(line)).slice(-SHOWN_STDERR_LINES);
}
