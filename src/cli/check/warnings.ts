/** Looks at all servers together: names that clients refuse, names that collide, tools that are there twice, lists that are large. */
import { Catalog } from '../../protocol/catalog.ts';
import { KINDS } from '../../protocol/kinds.ts';
import type { Item } from '../../protocol/lists.ts';
import { chooseNaming, qualify } from '../../protocol/names.ts';
import { plural } from '../terminal.ts';

/** What one server lists. */
export interface Listed {
  readonly key: string;
  readonly tools: readonly Item[];
  readonly prompts: readonly Item[];
  /** Sentences about what was wrong with its lists. */
  readonly findings: readonly string[];
  /** Lines on its stdout that were no messages. */
  readonly strayCount: number;
}

export interface Remarks {
  /** Something does not work for some client. */
  readonly warnings: readonly string[];
  /** Worth knowing. */
  readonly notes: readonly string[];
}

const STRICT_CLIENT = 'claude-ai';
const STRICT_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** What the stricter of the model APIs take. */
const LONGEST_NAME = 64;
/** What the protocol advises; clients that put "_" for ":" may still stumble over other characters. */
const ADVISED_NAME = /^[A-Za-z0-9_.-]+$/;
const LARGE_LIST_TOKENS = 20_000;
const CHARACTERS_PER_TOKEN = 4;
const SHOWN_NAMES = 3;

export function findRemarks(
  servers: readonly Listed[],
  { separator, tools: areListed }: { readonly separator: string | undefined; readonly tools: boolean },
): Remarks {
  const naming = chooseNaming(undefined, separator);
  const names = servers.flatMap(({ key, tools }) =>
    tools.map(({ name }) => qualify(key, name, naming.separator)),
  );
  const warnings = [
    ...servers.flatMap(({ key, findings }) => [...new Set(findings)].map((finding) => `${key}: ${finding}`)),
    ...findStray(servers),
    ...findCollisions(servers, separator),
    ...findMerged(names),
    ...findLong(names),
    ...findUnadvised(servers, naming.separator),
    ...findRefused(servers, separator),
  ];
  const notes = [
    ...findTwins(servers),
    ...findLargeLists(servers),
    ...(areListed ? noteSeparator(names, separator) : []),
  ];
  return { warnings, notes };
}

export function measureList(tools: readonly Item[]): { characters: number; tokens: number } {
  const characters = tools.reduce((sum, { bytes }) => sum + bytes.toString().length, 0);
  return { characters, tokens: Math.round(characters / CHARACTERS_PER_TOKEN) };
}

function findStray(servers: readonly Listed[]): string[] {
  return servers
    .filter(({ strayCount }) => strayCount > 0)
    .map(
      ({ key, strayCount }) =>
        `${key}: it printed ${plural(strayCount, 'line')} on stdout that ${strayCount === 1 ? 'is no protocol message' : 'are no protocol messages'}: skipped here, but other clients may give up`,
    );
}

function findCollisions(servers: readonly Listed[], separator: string | undefined): string[] {
  return (['tools', 'prompts'] as const).flatMap((kind) => {
    const keys = servers.map(({ key }) => key);
    const catalog = new Catalog(KINDS[kind], keys, chooseNaming(undefined, separator));
    for (const server of servers) catalog.replace(server.key, server[kind]);
    return catalog.findings.map((finding) => `${finding}; rename one of the servers`);
  });
}

/** Claude Code, VS Code and Codex put "_" in the place of what they do not take, and then two names may be one. */
function findMerged(names: readonly string[]): string[] {
  const groups = new Map<string, Set<string>>();
  for (const name of names) {
    const mapped = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
    groups.set(mapped, (groups.get(mapped) ?? new Set()).add(name));
  }
  return [...groups]
    .filter(([, group]) => group.size > 1)
    .map(
      ([mapped, group]) =>
        `${listNames([...group])} become the same name (${mapped}) in clients that write "_" for other characters: rename one of the servers`,
    );
}

function findLong(names: readonly string[]): string[] {
  const long = names.filter((name) => name.length > LONGEST_NAME);
  if (long.length === 0) return [];
  return [
    `${plural(long.length, 'tool name')} over ${LONGEST_NAME} characters, which some clients and model APIs refuse or cut: ${listNames(long)}; give the server a shorter key`,
  ];
}

function findUnadvised(servers: readonly Listed[], separator: string): string[] {
  const names = servers.flatMap(({ key, tools }) =>
    tools.filter(({ name }) => !ADVISED_NAME.test(name)).map(({ name }) => qualify(key, name, separator)),
  );
  if (names.length === 0) return [];
  return [
    `${plural(names.length, 'tool name')} with characters that the protocol advises against and model APIs refuse, where a client does not replace them: ${listNames(names)}; tell the makers of the server`,
  ];
}

/** Without an explicit separator the names are made to fit, so only with one can there be anything to refuse. */
function findRefused(servers: readonly Listed[], separator: string | undefined): string[] {
  const naming = chooseNaming(STRICT_CLIENT, separator);
  const catalog = new Catalog(
    KINDS.tools,
    servers.map(({ key }) => key),
    naming,
  );
  for (const { key, tools } of servers) catalog.replace(key, tools);
  const refused = [...catalog.entries]
    .map(({ exposed }) => exposed)
    .filter((name) => !STRICT_NAME.test(name));
  if (refused.length === 0) return [];
  return [
    `Claude Desktop refuses the whole list because of ${plural(refused.length, 'name')}: ${listNames(refused)}; leave --separator out, or use "__" and keys of letters, digits, "_" and "-"`,
  ];
}

function findTwins(servers: readonly Listed[]): string[] {
  const owners = new Map<string, string[]>();
  for (const { key, tools } of servers) {
    for (const { name } of tools) owners.set(name, [...(owners.get(name) ?? []), key]);
  }
  const groups = new Map<string, string[]>();
  for (const [name, keys] of owners) {
    if (keys.length < 2) continue;
    const together = nameOwners(keys);
    groups.set(together, [...(groups.get(together) ?? []), name]);
  }
  return [...groups].map(
    ([keys, names]) =>
      `${keys} have ${listNames(names)}: a model may take one for the other; disable a server that is there twice`,
  );
}

function nameOwners(keys: readonly string[]): string {
  if (keys.length > SHOWN_NAMES) return `${keys.length} servers (${listNames(keys)})`;
  const shown = keys.map((key) => JSON.stringify(key));
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)} ${keys.length === 2 ? 'both' : 'all'}`;
}

function findLargeLists(servers: readonly Listed[]): string[] {
  return servers
    .map(({ key, tools }) => ({ key, ...measureList(tools) }))
    .filter(({ tokens }) => tokens > LARGE_LIST_TOKENS)
    .map(
      ({ key, characters, tokens }) =>
        `${key}: its tools take ${characters} characters, about ${tokens} tokens of every conversation`,
    );
}

function noteSeparator(names: readonly string[], separator: string | undefined): string[] {
  if (names.length === 0 || separator !== undefined) return [];
  return [
    'Claude Desktop gets key__tool instead of key:tool by itself; for another client that refuses ":" use --separator __',
  ];
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => JSON.stringify(name));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
