/** What is wrong with a config and where: the error that carries it, and the way to a place in words. Finds nothing. */

/** What kind of problem a config has. */
export type ConfigErrorCode =
  | 'file_not_found'
  | 'unreadable'
  | 'invalid_json'
  | 'invalid_schema'
  | 'missing_env_var';

/** Everything that is wrong with a config file, in one error that can be shown as it is. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code: ConfigErrorCode;
  /** One sentence each, with its place in the file. */
  readonly problems: readonly string[];

  constructor(code: ConfigErrorCode, message: string, problems: readonly string[] = [message]) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}

/** One more step of a JSON path: `.name` where that is readable, `["any text"]` or `[index]` otherwise. */
export function pathTo(parent: string, step: string | number): string {
  if (typeof step === 'number') return `${parent}[${step}]`;
  // The first pattern is there for speed: the second takes longer to prepare than a whole config to check.
  const readable = /^[A-Za-z_$][\w$-]*$/.test(step) || /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step);
  if (!readable) return `${parent}[${quote(step)}]`;
  return parent === '' ? step : `${parent}.${step}`;
}

/** The text in double quotes, with whatever could disturb a terminal escaped. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{C}\u2028\u2029]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
