/** Finds the server that a request is for. */
import type { Entry } from './catalog.ts';
import type { Conversation } from './conversation.ts';
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
  const entry = shared.catalogs[kind].find(name);
  if (entry !== undefined) {
    const { bytes, nameSpan } = entry.item;
    const peer = shared.peers.get(entry.key);
    return peer && { peer, entry, original: bytes.subarray(nameSpan.start, nameSpan.end) };
  }
  return kind === 'resources' ? findUnlisted(shared, name) : undefined;
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

/** By a link that a server gave, by the key in front, by a template that fits. */
function findUnlisted(shared: Conversation, uri: string): Owner | undefined {
  const linked = shared.peers.get(shared.links.find(uri) ?? '');
  if (linked?.has('resources') === true) return { peer: linked, original: quote(uri) };
  for (const peer of shared.peers.values()) {
    const prefix = `${peer.key}+`;
    if (peer.has('resources') && uri.startsWith(prefix))
      return { peer, original: quote(uri.slice(prefix.length)) };
  }
  for (const { key, item } of shared.catalogs.templates.entries) {
    const peer = shared.peers.get(key);
    if (peer !== undefined && matchesTemplate(item.name, uri)) return { peer, original: quote(uri) };
  }
  return undefined;
}

function findTaskOwner(shared: Conversation, taskId: string): Owner | undefined {
  for (const peer of shared.peers.values()) {
    const id = decodeTaskId(taskId, peer.key);
    if (id !== undefined && peer.has('tasks')) return { peer, original: quote(id) };
  }
  return undefined;
}

function quote(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}
