/** The subscriptions of a client of the stateless era: each covers all servers, and all that it brings carries its id. */
import type { Conversation } from '../protocol/conversation.ts';
import type { Identity } from '../protocol/handshake.ts';
import { findOwner } from '../protocol/owners.ts';
import type { Peer } from '../protocol/peer.ts';
import { decodeTaskId } from '../protocol/tasks.ts';
import type { Notification, Request } from '../wire/envelope.ts';
import { isObject } from '../wire/json.ts';
import { type ErrorObject, failure, INVALID_PARAMS, notification, success } from '../wire/messages.ts';
import { type Splice, splice } from '../wire/splice.ts';
import { declaresExtension, refuseWithout } from './claim.ts';
import { insertMeta } from './members.ts';
import { writeClaim } from './meta.ts';
import { COMPLETE, SERVER_KEY, SUBSCRIPTION_KEY, TASKS_EXTENSION } from './modern.ts';
import type { Claim, Meta } from './types.ts';
import type { Watches } from './watches.ts';

interface Filter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

interface Listen {
  /** The client's id, raw. */
  readonly id: string;
  readonly filter: Filter;
  /** What the request said of the client. */
  readonly meta: Meta;
  /** The URIs by the server that has them, each with what the client calls it. */
  readonly uris: Map<string, Map<string, string>>;
}

const SWITCHES: ReadonlyMap<string, 'toolsListChanged' | 'promptsListChanged' | 'resourcesListChanged'> =
  new Map([
    ['notifications/tools/list_changed', 'toolsListChanged'],
    ['notifications/prompts/list_changed', 'promptsListChanged'],
    ['notifications/resources/list_changed', 'resourcesListChanged'],
  ]);

export class Listens {
  readonly #shared: Conversation;
  readonly #watches: Watches;
  readonly #open = new Map<string, Listen>();

  constructor(shared: Conversation, watches: Watches) {
    this.#shared = shared;
    this.#watches = watches;
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** Acknowledged at once: which server has a URI may turn out later. */
  begin(message: Request, claim: Claim): void {
    const { id } = message;
    const filter = readFilter(message, claim, [...this.#shared.peers.keys()]);
    if ('code' in filter) {
      this.#shared.answer(id, failure(id, filter));
      return;
    }
    this.end(id);
    const listen: Listen = { id, filter, meta: writeClaim(claim), uris: new Map() };
    this.#open.set(id, listen);
    this.#send(listen, 'notifications/subscriptions/acknowledged', {
      notifications: JSON.stringify(filter),
    });
    for (const uri of filter.resourceSubscriptions ?? []) void this.#follow(listen, uri);
    for (const peer of this.#shared.peers.values()) this.#followTasks(listen, peer);
  }

  /** Whether there was one to end. */
  end(id: string): boolean {
    const listen = this.#open.get(id);
    if (listen === undefined) return false;
    this.#open.delete(id);
    for (const [key, uris] of listen.uris) {
      const peer = this.#shared.peers.get(key);
      for (const uri of peer ? uris.keys() : []) {
        if (peer !== undefined && !this.holds(key, uri)) this.#watches.stop(peer, uri);
      }
    }
    for (const peer of this.#shared.peers.values()) {
      for (const taskId of decodeAll(listen, peer.key))
        if (!this.#holdsTask(peer.key, taskId)) this.#watches.stopTask(peer, taskId);
    }
    return true;
  }

  /** Ends all, so that the client knows that it was no accident. */
  endAll({ name, version }: Identity): void {
    for (const { id } of this.#open.values()) {
      const signature = `"${SERVER_KEY}":${JSON.stringify({ name, version })}`;
      this.#shared.answer(
        id,
        ...success(id, `{${COMPLETE},"_meta":{"${SUBSCRIPTION_KEY}":${id},${signature}}}`),
      );
    }
    this.#open.clear();
  }

  /** Whether a URI of a server is in any of them; without a URI, whether anything of it is. */
  holds(key: string, uri?: string): boolean {
    for (const listen of this.#open.values()) {
      const held = listen.uris.get(key);
      if (uri === undefined ? (held?.size ?? 0) > 0 || decodeAll(listen, key).length > 0 : held?.has(uri))
        return true;
    }
    return false;
  }

  announce(method: string): void {
    const name = SWITCHES.get(method);
    for (const listen of this.#open.values()) {
      if (name !== undefined && listen.filter[name] === true) this.#send(listen, method, {});
    }
  }

  /** News of a URI, under the name that the client knows it by. */
  passUpdate(peer: Peer, message: Notification, uri: string): void {
    const span = message.param('uri');
    for (const listen of this.#open.values()) {
      const exposed = findExposed(listen.uris.get(peer.key), uri);
      if (exposed === undefined || span === undefined) continue;
      const renamed = exposed === uri ? [] : [{ span, bytes: Buffer.from(JSON.stringify(exposed)) }];
      this.#pass(listen.id, message, renamed);
    }
  }

  /** News of a task, whose id the client knows with the server's key in front. */
  passTask(peer: Peer, message: Notification, renamed: readonly Splice[]): void {
    const taskId = message.string(message.param('taskId')) ?? '';
    for (const listen of this.#open.values()) {
      if (decodeAll(listen, peer.key).includes(taskId)) this.#pass(listen.id, message, renamed);
    }
  }

  /** A server has started again: it knows of nothing. */
  reopen(peer: Peer): void {
    for (const listen of this.#open.values()) {
      for (const uri of listen.uris.get(peer.key)?.keys() ?? []) this.#watches.start(peer, uri);
      this.#followTasks(listen, peer);
    }
  }

  #pass(id: string, message: Notification, splices: readonly Splice[]): void {
    const { line, params, pieces } = message;
    if (params === undefined) return;
    this.#shared.toClient(
      ...splice(pieces, [...insertMeta(line, params, { [SUBSCRIPTION_KEY]: id }), ...splices]),
    );
  }

  #send({ id }: Listen, method: string, members: Readonly<Record<string, string>>): void {
    const all = Object.entries(members).map(([name, value]) => `,"${name}":${value}`);
    const params = `{"_meta":{"${SUBSCRIPTION_KEY}":${id}}${all.join('')}}`;
    this.#shared.toClient(notification(method, Buffer.from(params)));
  }

  /** Finds who has a URI, waiting for servers that are still starting, and watches it there. */
  async #follow(listen: Listen, name: string): Promise<void> {
    const isOver = (): boolean => this.#open.get(listen.id) !== listen;
    const note = (peer: Peer, uri: string): void => {
      const uris = listen.uris.get(peer.key) ?? new Map<string, string>();
      listen.uris.set(peer.key, uris.set(uri, name));
    };
    const find = (): ReturnType<typeof findOwner> =>
      findOwner(this.#shared, { kind: 'resources', name, span: { start: 0, end: 0 } });
    let owner = find();
    for (const peer of owner === undefined ? this.#shared.peers.values() : []) {
      await new Promise<void>((resolve) => peer.whenSettled(resolve));
      owner ??= find();
    }
    if (isOver()) return;
    if (owner !== undefined) {
      const uri = String(JSON.parse(owner.original.toString()));
      note(owner.peer, uri);
      this.#watches.start(owner.peer, uri);
      return;
    }
    // Nobody lists it: whoever knows it will say so.
    for (const peer of this.#shared.peers.values()) {
      if (!peer.has('resources') || isOver()) continue;
      note(peer, name);
      this.#watches.start(peer, name);
    }
  }

  /** Each by itself, so that a server says its news once however many subscriptions it is in. */
  #followTasks(listen: Listen, peer: Peer): void {
    for (const taskId of decodeAll(listen, peer.key)) this.#watches.startTask(peer, taskId, listen.meta);
  }

  #holdsTask(key: string, taskId: string): boolean {
    return [...this.#open.values()].some((listen) => decodeAll(listen, key).includes(taskId));
  }
}

/** The task ids of a subscription that are a server's, as the server knows them. */
function decodeAll({ filter }: Listen, key: string): string[] {
  return (filter.taskIds ?? []).flatMap((id) => decodeTaskId(id, key) ?? []);
}

/** What the client calls a URI that it listens to; a server may also have news of a part of it. */
function findExposed(uris: ReadonlyMap<string, string> | undefined, uri: string): string | undefined {
  const exact = uris?.get(uri);
  if (exact !== undefined) return exact;
  for (const [whole, exposed] of uris ?? []) {
    if (uri.startsWith(whole.endsWith('/') ? whole : `${whole}/`)) return exposed + uri.slice(whole.length);
  }
  return undefined;
}

/** What is honoured of what was asked: everything that is known, and tasks of servers that there are. */
function readFilter(message: Request, claim: Claim, keys: readonly string[]): Filter | ErrorObject {
  const span = message.param('notifications');
  if (span === undefined || !isObject(message.line, span))
    return { code: INVALID_PARAMS, message: 'Invalid params: "notifications" must be an object' };
  const asked = message.value(span) as Record<string, unknown>;
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  const uris = texts(asked['resourceSubscriptions']);
  const tasks = texts(asked['taskIds']);
  if (tasks.length > 0 && !declaresExtension(claim.capabilities, TASKS_EXTENSION))
    return refuseWithout(TASKS_EXTENSION);
  const taskIds = tasks.filter((id) => keys.some((key) => decodeTaskId(id, key) !== undefined));
  return {
    ...(asked['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(asked['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(asked['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(taskIds.length > 0 && { taskIds }),
  };
}
