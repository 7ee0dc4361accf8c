/** Decides which file runs for a configured command and says why one could not run; starts nothing, shows no variable but PATH. */
import { accessSync, constants, statSync } from 'node:fs';
import { posix, resolve, win32 } from 'node:path';
import { codeOf } from '../system-error.ts';

/** What resolving needs to know of the machine. */
export interface Host {
  readonly platform: NodeJS.Platform;
  readonly execPath: string;
  exists(path: string): boolean;
}

/** The file to run; `args` go before the configured arguments. */
export interface Executable {
  readonly file: string;
  readonly args: readonly string[];
  /** Directory of the parent's Node.js; set for node, npm and npx only. */
  readonly nodeDir?: string;
  /** The command that was replaced; absent when PATH is to decide. */
  readonly resolvedFrom?: string;
}

/** One attempt to start a child, as far as a message may speak of it. */
export interface SpawnAttempt {
  /** The command as written in the config, before expansion. */
  readonly commandText: string;
  readonly executable: Executable;
  readonly cwd?: string | undefined;
  /** The cwd as written in the config; without it the message names no directory. */
  readonly cwdText?: string | undefined;
  /** The PATH that was searched. */
  readonly path: string | undefined;
  readonly platform: NodeJS.Platform;
}

const TILDE_ADVICE = '"~" is not expanded; write $HOME or the full path instead';
const UNQUOTE_ADVICE = 'write it without the quotes inside the quotes';

const NODE_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['node', 'node'],
  ['npm', 'npm'],
  ['npx', 'npx'],
]);

const WINDOWS_NODE_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ...NODE_PROGRAMS,
  ['node.exe', 'node'],
  ['npm.cmd', 'npm'],
  ['npx.cmd', 'npx'],
]);

const NO_PROGRAM = 'its file is not a program that this system can run; correct "command"';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EMFILE', 'this program has too many open files; raise the limit (ulimit -n) or configure fewer servers'],
  ['ENFILE', 'the system has too many open files; close programs or raise its limit (ulimit -n)'],
  ['EAGAIN', 'the process limit is reached; raise it (ulimit -u) or configure fewer servers'],
  ['ENOMEM', 'the system is out of memory; close programs or configure fewer servers'],
  ['E2BIG', 'its arguments and environment are too long for the system; shorten "args" or "env"'],
  ['EFTYPE', NO_PROGRAM],
  // ENOEXEC, and EBADARCH of macOS: Node.js has no names for these.
  ['Unknown system error -8', NO_PROGRAM],
  ['Unknown system error -86', NO_PROGRAM],
  ['ENOTDIR', 'a part of its path is a file, not a directory; correct the path in "command"'],
  ['ENAMETOOLONG', 'its path is too long for the system; correct "command"'],
  ['ELOOP', 'its path leads through a circle of symbolic links'],
  ['ETXTBSY', 'its file is being written to at the moment'],
  ['EPERM', 'the system does not permit it'],
  ['ERR_INVALID_ARG_VALUE', 'the command is empty, or it, "args", "env" or "cwd" contains a NUL character'],
]);

/** Replaces node, npm and npx by the parent's own; everything else, and what is not there, is left to PATH. */
export function resolveCommand(command: string, host: Host): Executable {
  const windows = host.platform === 'win32';
  const paths = windows ? win32 : posix;
  const program = windows ? WINDOWS_NODE_PROGRAMS.get(command.toLowerCase()) : NODE_PROGRAMS.get(command);
  // An upgrade or a version manager may have removed the running Node.js since it started.
  if (program === undefined || !paths.isAbsolute(host.execPath) || !host.exists(host.execPath)) {
    return { file: command, args: [] };
  }
  const nodeDir = paths.dirname(host.execPath);
  const found = { nodeDir, resolvedFrom: command };
  if (program === 'node') return { file: host.execPath, args: [], ...found };
  if (windows) {
    // Run as a script, npm needs no cmd.exe, and so its arguments need none of cmd.exe's quoting.
    const script = paths.join(nodeDir, 'node_modules', 'npm', 'bin', `${program}-cli.js`);
    if (host.exists(script)) return { file: host.execPath, args: [script], ...found };
  }
  const beside = paths.join(nodeDir, windows ? `${program}.cmd` : program);
  if (host.exists(beside)) return { file: beside, args: [], ...found };
  return { file: command, args: [], nodeDir };
}

/** What is wrong with a working directory, or undefined; Node.js would report it as a command not found. */
export function checkWorkingDirectory(cwd: string, cwdText?: string): string | undefined {
  const subject = `The working directory "${cwdText ?? 'cwd'}"`;
  try {
    if (!statSync(cwd).isDirectory()) return `${subject} is not a directory; correct "cwd"`;
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' && cwdText?.startsWith('~')) return `${subject} does not exist: ${TILDE_ADVICE}`;
    if (code === 'ENOENT') return `${subject} does not exist; create it, or correct "cwd"`;
    if (code === 'ENOTDIR') return `${subject} does not exist: a part of its path is a file; correct "cwd"`;
    if (code === 'EACCES' || code === 'EPERM') {
      return `${subject} may not be entered; permit it, or correct "cwd"`;
    }
    return `${subject} cannot be used (${code}); correct "cwd"`;
  }
}

/** One sentence on why a child could not be started, free of argument values and of variables other than PATH. */
export function explainSpawnFailure(error: unknown, attempt: SpawnAttempt): string {
  // Only the code is read: message, path and spawnargs of a spawn error carry expanded values.
  const code = codeOf(error);
  if (attempt.cwd !== undefined && (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES')) {
    const problem = checkWorkingDirectory(attempt.cwd, attempt.cwdText);
    if (problem !== undefined) return problem;
  }
  if (code === 'ENOENT') return explainMissing(attempt);
  if (code === 'EACCES') return explainRefused(attempt);
  const reason = REASONS.get(code);
  if (reason !== undefined) return `${nameCommand(attempt)} could not be started: ${reason}`;
  return `${nameCommand(attempt)} could not be started (${code})`;
}

function explainMissing(attempt: SpawnAttempt): string {
  const subject = nameCommand(attempt);
  const { commandText, executable, platform } = attempt;
  const found = findFile(attempt);
  if (found !== undefined) {
    const needs = 'the program named in its first line (#!), or the loader it was built for';
    return `${subject} exists${found.place}, but what runs it was not found: ${needs}; install that`;
  }
  if (!isPath(executable.file, platform)) {
    return `${subject} was not found ${describeSearch(attempt)}; ${adviseName(commandText)}`;
  }
  if (executable.resolvedFrom !== undefined) {
    return `${subject} was not found: it was there when the command was resolved; start again`;
  }
  if (commandText.startsWith('~')) return `${subject} was not found: ${TILDE_ADVICE}`;
  const paths = platform === 'win32' ? win32 : posix;
  const place = paths.isAbsolute(executable.file) ? '' : ' (looked up from the working directory)';
  const advice = isQuoted(commandText) ? UNQUOTE_ADVICE : 'correct the path in "command"';
  return `${subject} was not found: there is no such file${place}; ${advice}`;
}

function adviseName(commandText: string): string {
  if (isQuoted(commandText)) return UNQUOTE_ADVICE;
  if (/\s/.test(commandText)) return 'write the program alone as "command" and the rest as "args"';
  return 'install it, or write its full path as "command"';
}

/** As a shell would want it; here the quotes are part of the name. */
function isQuoted(commandText: string): boolean {
  return /^(["']).*\1$/.test(commandText);
}

function explainRefused(attempt: SpawnAttempt): string {
  const subject = nameCommand(attempt);
  const found = findFile(attempt);
  if (found === undefined) {
    return `${subject} may not be looked up: a directory on the way to it may not be read; permit it (chmod +x)`;
  }
  if (found.isDirectory) {
    return `${subject} is a directory${found.place}, not a program; correct "command"`;
  }
  return `${subject} is not executable${found.place}; permit it (chmod +x), or correct "command"`;
}

function describeSearch({ executable: { nodeDir }, path, platform }: SpawnAttempt): string {
  const directories = new Set(splitPath(path, platform).filter((directory) => directory !== ''));
  if (nodeDir !== undefined) directories.delete(nodeDir);
  const list = directories.size > 0 ? `in any directory of PATH (${[...directories].join(', ')})` : undefined;
  if (nodeDir !== undefined) {
    const beside = `beside Node.js (${nodeDir})`;
    return list === undefined ? `${beside}, and PATH names no other directory` : `${beside}, nor ${list}`;
  }
  return list ?? `because PATH is ${path === undefined ? 'not set' : 'empty'}`;
}

function nameCommand({ commandText, executable }: SpawnAttempt): string {
  if (executable.resolvedFrom === undefined) return `Command "${commandText}"`;
  return `Command "${commandText}" (resolved to "${executable.args[0] ?? executable.file}")`;
}

/** The file that the command points to, or that PATH leads to first; `place` shows of it what may be shown. */
function findFile(attempt: SpawnAttempt): { place: string; isDirectory: boolean } | undefined {
  const { executable, cwd = '', path, platform } = attempt;
  const direct = isPath(executable.file, platform);
  for (const directory of direct ? [''] : splitPath(path, platform)) {
    try {
      const isDirectory = statSync(resolve(cwd, directory, executable.file)).isDirectory();
      return { place: direct ? '' : ` in "${directory}"`, isDirectory };
    } catch {
      // Not here.
    }
  }
  return undefined;
}

function isPath(file: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? /[\\/]/.test(file) : file.includes('/');
}

function splitPath(path: string | undefined, platform: NodeJS.Platform): string[] {
  return path === undefined ? [] : path.split(platform === 'win32' ? win32.delimiter : posix.delimiter);
}
