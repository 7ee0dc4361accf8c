/** Finds the server that a request is for. */
import type { Entry } from './catalog.ts';
import type { Conversation } from './conversation.ts';
import type { KindName } from './kinds.ts';
import { readLinks } from './links.ts';
import { mayBelongTo } from './names.ts';
import type { Peer } from './peer.ts';
import { decodeTaskId } from './tasks.ts';
import { matchesTemplate } from './template.ts';
import type { Wanted } from './wanted.ts';

export interface Owner {
  readonly peer: Peer;
  /** What the server calls it, as JSON. */
  readonly original: Buffer;
  /** Where it stands in the lists, if it does. */
  readonly entry?: Entry;
}

export function findOwner(shared: Conversation, { kind, name }: Wanted): Owner | undefined {
  if (kind === 'tasks') return findTaskOwner(shared, name);
  const owner = findListed(shared, kind, name);
  if (owner !== undefined || kind === 'tools' || kind === 'prompts') return owner;
  // A completion may name a template or what was made from it.
  const resource = kind === 'templates' ? findListed(shared, 'resources', name) : undefined;
  return resource ?? findUnlisted(shared, name);
}

/** The server at which the client subscribed to a URI, whoever claims it now. */
export function findSubscribed(shared: Conversation, { name }: Wanted): Owner | undefined {
  const found = shared.subscriptions.find(name);
  const peer = found && shared.peers.get(found.key);
  return found && peer && { peer, original: quote(found.uri) };
}

/** The servers that may turn out to have it, though nothing says so: for names none, for URIs all that have resources. */
export function listCandidates(shared: Conversation, { kind }: Wanted): Peer[] {
  if (kind !== 'resources') return [];
  return [...shared.peers.values()].filter((peer) => peer.has('resources'));
}

/** Whether a server that is still starting may have it. */
export function mayOwn(shared: Conversation, peer: Peer, { kind, name }: Wanted): boolean {
  if (kind === 'resources' || kind === 'templates') return true;
  return mayBelongTo(peer.key, name, shared.separator);
}

function findListed(shared: Conversation, kind: KindName, name: string): Owner | undefined {
  const entry = shared.catalogs[kind].find(name);
  const peer = entry && shared.peers.get(entry.key);
  if (entry === undefined || peer === undefined) return undefined;
  const { bytes, nameSpan } = entry.item;
  return { peer, entry, original: bytes.subarray(nameSpan.start, nameSpan.end) };
}

/** By a link that a server gave, by the key in front, by a template that fits. */
function findUnlisted(shared: Conversation, uri: string): Owner | undefined {
  const linked = shared.peers.get(shared.links.find(uri) ?? findLinking(shared, uri) ?? '');
  if (linked?.has('resources') === true) return { peer: linked, original: quote(uri) };
  const fitting = [...shared.catalogs.templates.entries].filter(({ item }) =>
    matchesTemplate(item.name, uri),
  );
  for (const peer of sortByKey(shared)) {
    const prefix = `${peer.key}+`;
    // A scheme may have a plus too; a template that spells it out knows better.
    if (!uri.startsWith(prefix) || fitting.some(({ item }) => item.name.startsWith(prefix))) continue;
    if (peer.has('resources')) return { peer, original: quote(uri.slice(prefix.length)) };
  }
  const peer = shared.peers.get(fitting[0]?.key ?? '');
  return peer && { peer, original: quote(uri) };
}

/** The server with a tool that links to it: MCP Apps are told so where their pages are. */
function findLinking(shared: Conversation, uri: string): string | undefined {
  for (const { key, item } of shared.catalogs.tools.entries) {
    for (const link of readLinks(item.bytes)) if (link === uri) return key;
  }
  return undefined;
}

function findTaskOwner(shared: Conversation, taskId: string): Owner | undefined {
  for (const peer of sortByKey(shared)) {
    const id = decodeTaskId(taskId, peer.key);
    if (id !== undefined && peer.has('tasks')) return { peer, original: quote(id) };
  }
  return undefined;
}

/** The longest first: what begins with one key may begin with a longer one, as with names. */
function sortByKey({ peers }: Conversation): Peer[] {
  return [...peers.values()].toSorted((one, other) => other.key.length - one.key.length);
}

function quote(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}
