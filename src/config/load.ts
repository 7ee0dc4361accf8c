/** Turns the path of a config file into servers ready to start, or into one error with every problem; starts nothing. */
import { isUtf8 } from 'node:buffer';
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { describeFileProblem } from '../file-problem.ts';
import { expandText, type Substitution } from './expand.ts';
import { JsonSyntaxError, type Duplicate, readJson, type Reading, type Steps } from './syntax.ts';
import { ConfigError, pathTo, type RawEntry, type ServerConfig, validateConfig } from './validate.ts';

/** A config file that has been read, checked and expanded. */
export interface Config {
  /** The file itself, links resolved. */
  readonly path: string;
  /** In the order of the file. */
  readonly servers: readonly ServerConfig[];
  /** Values that must never be shown. */
  readonly secrets: readonly string[];
  /** What is odd but not wrong, for those who look closer. */
  readonly notices: readonly string[];
}

/** A config is a few kilobytes, though some clients keep it in a file with their history. */
const MAX_CONFIG_BYTES = 64 * 1024 * 1024;
const SHOWN_LINES = 10;
const SHORTEST_SECRET = 4;
/** Shorter values of variables whose name promises no secret are words such as "debug" or "8080". */
const SHORTEST_SUBSTITUTION = 6;

const SECRET_WORDS = 'KEY TOKEN SECRET PASS PWD CREDENTIAL AUTH PRIVATE COOKIE JWT'.split(' ');
const HARMLESS_NAMES: ReadonlySet<string> = new Set(
  [
    'HOME USER LOGNAME PATH PWD OLDPWD SHELL TERM LANG LANGUAGE TZ TMPDIR EDITOR DISPLAY HOSTNAME NODE_ENV',
    'HOMEDRIVE HOMEPATH USERNAME USERPROFILE TMP TEMP APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES',
    'PROGRAMFILES(X86) SYSTEMROOT SYSTEMDRIVE WINDIR COMPUTERNAME',
  ].flatMap((names) => names.split(' ')),
);
const HARMLESS_PREFIX = /^(?:LC|XDG)_/;
const HARMLESS_VALUE = /^(?:true|false|none|null|auto|basic|bearer|\d{1,5})$/i;
const URL_PASSWORD = /:\/\/[^\s/?#:@]*:([^\s/?#]+)@/g;
/** `--api-key=value`, `API_KEY=value` (after docker's `-e`), `Authorization: Bearer value`. */
const NAMED_VALUE = /^-{0,2}([\w-]+)[=:]\s*(.+)$/s;

/** Reads a config file, with variables from `env`; throws a `ConfigError` with everything that is wrong. */
export function loadConfig(path: string, env: NodeJS.ProcessEnv): Config {
  const file = findFile(path);
  const { value, duplicates } = parse(readText(path, file), file);
  const { entries, problems, notices } = validateConfig(value);
  const expander = new Expander(env);
  const servers = entries.map((entry) => expander.expandEntry(entry));
  const wrong = [...describeDuplicates(duplicates), ...problems, ...expander.problems];
  const all = [...wrong, ...expander.missing];
  if (all.length > 0) {
    const code = wrong.length > 0 ? 'invalid_schema' : 'missing_env_var';
    const count = all.length === 1 ? 'a problem' : `${all.length} problems`;
    throw new ConfigError(code, [`Config file ${quote(file)} has ${count}`, ...all].join('\n  '), all);
  }
  return { path: findRealPath(file), servers, secrets: [...expander.secrets], notices };
}

function findFile(path: string): string {
  try {
    return resolve(path);
  } catch {
    const text = `Config file ${quote(path)} cannot be found: the current directory is gone; write the full path`;
    throw new ConfigError('file_not_found', text);
  }
}

function readText(path: string, file: string): string {
  try {
    const problem = describeKind(statSync(file));
    if (problem !== undefined) throw new ConfigError('unreadable', `Config file ${quote(file)} ${problem}`);
    return decode(readFileSync(file), file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw describeFailure(error, path, file);
  }
}

function describeKind(stats: Stats): string | undefined {
  if (stats.isDirectory()) return 'is a directory: name the JSON file in it';
  // A pipe could block for ever, and stdin belongs to the client.
  if (!stats.isFile()) return 'is not a regular file: save the config in a file';
  return stats.size > MAX_CONFIG_BYTES ? 'is too large for a config: is it the right file?' : undefined;
}

function describeFailure(error: unknown, path: string, file: string): ConfigError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const advice = path.startsWith('~') ? '"~" is not expanded here: write the full path' : 'check the path';
    return new ConfigError('file_not_found', `Config file not found: ${quote(file)}; ${advice}`);
  }
  const reason = describeFileProblem(error);
  return new ConfigError(
    'unreadable',
    `Config file ${quote(file)} cannot be read (${reason}): correct that, or name another file`,
  );
}

function decode(bytes: Buffer, file: string): string {
  const text = bytes.toString('utf8');
  // NUL is valid UTF-8, but in a config it means UTF-16 without a mark.
  if (isUtf8(bytes) && !text.includes('\0')) return text.startsWith('\uFEFF') ? text.slice(1) : text;
  throw new ConfigError('invalid_json', `Config file ${quote(file)} is not UTF-8 text: save it as UTF-8`);
}

function parse(text: string, file: string): Reading {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const { line, column, steps, excerpt } = error.place;
    const inside = steps.length > 0 ? `, in ${describeSteps(steps)}` : '';
    const problem = `line ${line}, column ${column}${inside}: ${error.message}`;
    const lines = [`Config file ${quote(file)} is not valid JSON`, problem, ...excerpt];
    throw new ConfigError('invalid_json', lines.join('\n  '), [problem]);
  }
}

/** One of the two would silently be lost; what else a client keeps in the same file is its own affair. */
function describeDuplicates(duplicates: readonly Duplicate[]): string[] {
  return duplicates
    .filter(({ steps }) => steps.length === 1 || steps[0] === 'mcpServers')
    .map(({ steps, lines }) => {
      const shown = [...new Set(lines.slice(0, SHOWN_LINES))];
      const places = shown.length === 1 ? `line ${shown[0]}` : `lines ${shown.join(', ')}`;
      const count = lines.length === 2 ? 'twice' : `${lines.length} times`;
      return `${describeSteps(steps)}: the name is there ${count} (${places}): rename or remove one`;
    });
}

function describeSteps(steps: Steps): string {
  return steps.reduce<string>((path, step) => pathTo(path, step), '');
}

function findRealPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    // Some virtual drives cannot say; the file itself has just been read.
    return file;
  }
}

/** Expands entries and remembers what is missing, wrong or secret on the way. */
class Expander {
  readonly missing: string[] = [];
  readonly problems: string[] = [];
  readonly secrets = new Set<string>();
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  expandEntry({ key, path, command, args, env, cwd }: RawEntry): ServerConfig {
    // No prototype: a variable named __proto__ is a variable like any other.
    const expandedEnv: Record<string, string> = Object.create(null);
    const server = {
      key,
      command: this.#expandNeeded(command, `${path}.command`),
      commandText: command,
      args: args.map((arg, index) => this.#expand(arg, pathTo(`${path}.args`, index))),
      env: expandedEnv,
      ...(cwd !== undefined && { cwd: this.#expandNeeded(cwd, `${path}.cwd`), cwdText: cwd }),
    };
    for (const [name, value] of env) {
      const text = this.#expand(value, pathTo(`${path}.env`, name));
      expandedEnv[name] = text;
      this.#noteSecret(name, text);
    }
    this.#noteArguments(server.args);
    return server;
  }

  #expandNeeded(text: string, place: string): string {
    const expanded = this.#expand(text, place);
    if (expanded.trim() === '' && text.trim() !== '') {
      this.problems.push(
        `${place}: nothing is left once its variables are put in: they are set, but empty: fill them`,
      );
    }
    return expanded;
  }

  #expand(text: string, place: string): string {
    // Patterns take longer to prepare than a whole config without variables to read.
    if (!text.includes('$') && !text.includes('://')) return text;
    const { text: expanded, missing, used, problems } = expandText(text, this.#env);
    for (const name of missing) {
      const advice = `set it, or write "\${${name}:-default}"`;
      this.missing.push(`${place}: the environment variable "${name}" is not set; ${advice}`);
    }
    for (const problem of problems) this.problems.push(`${place}: ${problem}`);
    for (const substitution of used) this.#noteSubstitution(substitution);
    for (const [, password = ''] of expanded.matchAll(URL_PASSWORD)) this.#notePassword(password);
    return expanded;
  }

  #noteSubstitution({ name, value }: Substitution): void {
    if (isHarmless(name)) return;
    if (value.length >= SHORTEST_SUBSTITUTION) this.secrets.add(value);
    else this.#noteSecret(name, value);
  }

  #noteSecret(name: string, value: string): void {
    if (isHarmless(name) || !isSecretive(name)) return;
    if (value.length >= SHORTEST_SECRET && !HARMLESS_VALUE.test(value)) this.secrets.add(value);
  }

  #noteArguments(args: readonly string[]): void {
    for (const [index, arg] of args.entries()) {
      if (!isSecretive(arg) && !isSecretive(args[index - 1] ?? '')) continue;
      const [, name = '', value = ''] = NAMED_VALUE.exec(arg) ?? [];
      this.#noteSecret(name, value.replace(/^(?:Bearer|Basic)\s+/i, ''));
      const option = args[index - 1] ?? '';
      if (/^--?[\w-]+$/.test(option) && !arg.startsWith('-')) this.#noteSecret(option, arg);
    }
  }

  /** Both spellings: a program may show the address or what it took from it. */
  #notePassword(password: string): void {
    const spellings = [password];
    try {
      spellings.push(decodeURIComponent(password));
    } catch {
      // Not encoded, then.
    }
    for (const spelling of spellings) this.#noteSecret('password', spelling);
  }
}

/** Whether what is called this, or has this in it, is likely to be secret. */
function isSecretive(name: string): boolean {
  const upper = name.toUpperCase();
  // Not one pattern: preparing it would take longer than all the rest of expanding a config.
  if (SECRET_WORDS.some((word) => upper.includes(word))) return true;
  return upper.endsWith('PAT') && /(?:^|[_-])PAT$/.test(upper);
}

function isHarmless(name: string): boolean {
  return HARMLESS_NAMES.has(name.toUpperCase()) || HARMLESS_PREFIX.test(name);
}

/** The path in double quotes, with whatever could disturb a terminal replaced. */
function quote(path: string): string {
  return `"${path.replace(/[\p{C}\u2028\u2029]/gu, '?')}"`;
}
