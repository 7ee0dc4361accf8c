/** Turns the path of a config file into servers ready to start, or into one error with every problem; starts nothing. */
import { isUtf8 } from 'node:buffer';
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf, describeFileProblem } from '../system-error.ts';
import { expandText } from './expand.ts';
import { ConfigError, pathTo } from './problem.ts';
import { Secrets } from './secrets.ts';
import { JsonSyntaxError, type Duplicate, readJson, type Reading, type Steps } from './syntax.ts';
import { type RawEntry, validateConfig } from './validate.ts';

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

/** One server of a config, ready to start. */
export interface ServerConfig {
  /** Its name in the config; stands in front of its tools. */
  readonly key: string;
  readonly command: string;
  readonly args: readonly string[];
  /** On top of what it inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Its working directory; ours when absent. */
  readonly cwd?: string;
  /** The cwd as the file has it, before expansion: safe to show. */
  readonly cwdText?: string;
  /** The command as the file has it, before expansion: safe to show. */
  readonly commandText: string;
}

/** A config is a few kilobytes, though some clients keep it in a file with their history. */
const MAX_CONFIG_BYTES = 64 * 1024 * 1024;
const SHOWN_LINES = 10;

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
  return { path: findRealPath(file), servers, secrets: [...expander.secrets.values], notices };
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
  const code = codeOf(error);
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
    const { place, steps } = error;
    const { line, column, excerpt } = place;
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
  readonly secrets = new Secrets();
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
      this.secrets.noteVariable(name, text);
    }
    this.secrets.noteArguments(server.args);
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
    for (const substitution of used) this.secrets.noteSubstitution(substitution);
    this.secrets.noteAddresses(expanded);
    return expanded;
  }
}

/** The path in double quotes, with whatever could disturb a terminal replaced. */
function quote(path: string): string {
  return `"${path.replace(/[\p{C}\u2028\u2029]/gu, '?')}"`;
}
