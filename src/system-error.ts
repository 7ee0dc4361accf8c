/** Why the system did not do what it was asked for: its code, and for files in words. Asks for nothing. */

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of its path is no folder'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the disk is read-only'],
  ['ENOSPC', 'the disk is full'],
]);

/** Why a file cannot be opened or written, to stand in brackets. */
export function describeFileProblem(error: unknown): string {
  const code = codeOf(error);
  return REASONS.get(code) ?? code;
}

/** The name that the system, or Node.js, has for it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
