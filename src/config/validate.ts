/** Turns parsed JSON into raw server entries, or into every problem at once with its JSON path; expands and reads nothing. */
import { pathTo } from './problem.ts';
import type { JsonValue } from './syntax.ts';

export interface RawEntry {
  readonly key: string;
  readonly path: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string | undefined;
}

export interface Validation {
  readonly entries: readonly RawEntry[];
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

type JsonObject = ReadonlyMap<string, JsonValue>;

/** What has been found wrong or worth a word so far. */
interface Findings {
  readonly problems: string[];
  readonly notices: string[];
}

const ENTRY_FIELDS = new Set([
  'command',
  'args',
  'env',
  'cwd',
  'type',
  'transport',
  'transportType',
  'disabled',
  'url',
  'serverUrl',
]);
const REMOTE_FIELDS = ['url', 'serverUrl'] as const;
const TRANSPORT_FIELDS = ['type', 'transport', 'transportType'] as const;

const COMMAND_ADVICE = 'name the program that starts the server';

export function validateConfig(json: JsonValue): Validation {
  const found: Findings = { problems: [], notices: [] };
  const entries: RawEntry[] = [];
  const servers = findServers(json, found);
  for (const [key, value] of servers ?? []) {
    const entry = validateEntry(key, value, found);
    if (entry) entries.push(entry);
  }
  if (servers && entries.length === 0 && found.problems.length === 0) {
    const reason = servers.size === 0 ? 'no server is configured' : 'every server is disabled';
    found.notices.push(`mcpServers: ${reason}, so there is nothing to offer`);
  }
  return { entries, ...found };
}

/** The notice about a server that is there, but skipped. */
export function describeDisabled(key: string): string {
  return `${pathTo('mcpServers', key)}: disabled, skipped`;
}

function findServers(json: JsonValue, found: Findings): JsonObject | undefined {
  if (!isObject(json)) {
    found.problems.push(`the file: expected an object like {"mcpServers": {…}}, found ${kindOf(json)}`);
    return undefined;
  }
  const servers = json.get('mcpServers');
  if (servers === undefined) {
    const similar = [...json.keys()].find((name) => /^(?:mcp[_-]?)?servers?$/i.test(name));
    found.problems.push(
      similar !== undefined
        ? `${pathTo('', similar)}: the servers are expected under the name "mcpServers": rename "${similar}" to "mcpServers"`
        : 'mcpServers: missing: put the servers in an object with this name, as in {"mcpServers": {…}}',
    );
    return undefined;
  }
  for (const field of json.keys()) {
    if (field !== 'mcpServers' && field !== '$schema')
      found.notices.push(`${pathTo('', field)}: unknown field, ignored`);
  }
  if (isObject(servers)) return servers;
  found.problems.push(
    `mcpServers: expected an object, found ${kindOf(servers)}: write {"name of a server": {"command": …}}`,
  );
  return undefined;
}

function validateEntry(key: string, value: JsonValue, found: Findings): RawEntry | undefined {
  const path = pathTo('mcpServers', key);
  if (!isObject(value)) {
    found.problems.push(
      `${path}: expected an object, found ${kindOf(value)}: write {"command": …, "args": […]}`,
    );
    return undefined;
  }
  if (key === '') found.problems.push(`${path}: the name of a server must not be empty: give it one`);
  // Such a name turns into another one on its way to the client.
  if (Buffer.from(key).toString() !== key)
    found.problems.push(`${path}: the name has half of a surrogate pair: write it anew`);
  if (value.get('disabled') === true) {
    found.notices.push(describeDisabled(key));
    return undefined;
  }
  const disabled = value.get('disabled');
  if (disabled !== undefined && disabled !== false) {
    const advice = typeof disabled === 'string' ? ': write it without quotes' : '';
    found.problems.push(`${path}.disabled: expected true or false, found ${kindOf(disabled)}${advice}`);
  }
  for (const field of value.keys()) {
    if (!ENTRY_FIELDS.has(field)) found.notices.push(`${pathTo(path, field)}: unknown field, ignored`);
  }
  const remote = describeRemote(value);
  if (remote !== undefined) {
    found.problems.push(
      `${path}: ${remote}, but only stdio servers are served: give it a "command" instead, or skip it with "disabled": true`,
    );
    return undefined;
  }
  return {
    key,
    path,
    command: readCommand(value, path, found),
    args: readArgs(value, path, found),
    env: readEnv(value, path, found),
    cwd: readCwd(value, path, found),
  };
}

function describeRemote(entry: JsonObject): string | undefined {
  for (const field of TRANSPORT_FIELDS) {
    const transport = entry.get(field);
    if (transport === undefined || transport === 'stdio') continue;
    // Short words only: the value is the user's, and only a transport's name is worth repeating.
    const isWord = typeof transport === 'string' && /^[A-Za-z-]{1,20}$/.test(transport);
    return isWord ? `its "${field}" is "${transport}"` : `its "${field}" is not "stdio"`;
  }
  const address = REMOTE_FIELDS.find((field) => entry.has(field));
  return address === undefined ? undefined : `it has a "${address}"`;
}

function readCommand(entry: JsonObject, path: string, found: Findings): string {
  const value = entry.get('command');
  if (value === undefined) {
    found.problems.push(`${path}.command: missing: ${COMMAND_ADVICE}`);
    return '';
  }
  if (isArray(value)) {
    found.problems.push(
      `${path}.command: expected a string, found an array: write the program alone, and the rest as "args"`,
    );
    return '';
  }
  const command = readText(value, `${path}.command`, found);
  if (command?.trim() === '') {
    found.problems.push(`${path}.command: must not be empty: ${COMMAND_ADVICE}`);
  }
  return command ?? '';
}

function readCwd(entry: JsonObject, path: string, found: Findings): string | undefined {
  const value = entry.get('cwd');
  if (value === undefined) return undefined;
  const cwd = readText(value, `${path}.cwd`, found);
  if (cwd?.trim() === '')
    found.problems.push(`${path}.cwd: must not be empty: name a folder or leave it out`);
  return cwd;
}

function readArgs(entry: JsonObject, path: string, found: Findings): string[] {
  const args = entry.get('args');
  if (args === undefined) return [];
  if (!isArray(args)) {
    found.problems.push(
      `${path}.args: expected an array of strings, found ${kindOf(args)}: write ["one", "two"]`,
    );
    return [];
  }
  return args.map((arg, index) => readText(arg, pathTo(`${path}.args`, index), found) ?? '');
}

function readEnv(entry: JsonObject, path: string, found: Findings): Map<string, string> {
  const env = new Map<string, string>();
  const values = entry.get('env');
  if (values === undefined) return env;
  if (!isObject(values)) {
    found.problems.push(
      `${path}.env: expected an object of strings, found ${kindOf(values)}: write {"NAME": "value"}`,
    );
    return env;
  }
  for (const [name, value] of values) {
    const place = pathTo(`${path}.env`, name);
    if (name === '' || /[=\0]/.test(name)) {
      found.problems.push(
        `${place}: a variable's name must not be empty, nor contain "=" or a NUL character: correct it`,
      );
    }
    env.set(name, readText(value, place, found) ?? '');
  }
  return env;
}

function readText(value: JsonValue, path: string, found: Findings): string | undefined {
  if (typeof value !== 'string') {
    found.problems.push(`${path}: expected a string, found ${kindOf(value)}: ${adviseText(value)}`);
    return undefined;
  }
  if (value.includes('\0'))
    found.problems.push(`${path}: must not contain a NUL character ("\\u0000"): remove it`);
  return value;
}

function adviseText(value: Exclude<JsonValue, string>): string {
  if (value === null) return 'write a text, or leave it out';
  return typeof value === 'object' ? 'write one text' : 'put it in double quotes';
}

function isObject(value: JsonValue): value is JsonObject {
  return value instanceof Map;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  return `a ${typeof value}`;
}
