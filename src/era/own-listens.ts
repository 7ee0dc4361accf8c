/** The subscriptions that we open at stateless servers, for whichever client: for their lists, for a URI, for a task. */
import type { Conversation } from '../protocol/conversation.ts';
import type { Peer } from '../protocol/peer.ts';
import { notification, OWN_ID_START, request } from '../wire/messages.ts';
import { addMeta } from './meta.ts';
import { LISTEN } from './modern.ts';
import type { Meta, Tools } from './types.ts';

interface OwnListen {
  /** Raw, as all ids. */
  readonly id: string;
  /** What it says of the client. */
  readonly meta: Meta;
  readonly openedAt: number;
}

/** A server that ends one sooner does not want it; one that kept it so long is asked again. */
const SHORTEST_MS = 60_000;

export class OwnListens {
  readonly #shared: Conversation;
  readonly #tools: Tools;
  /** By server: what is open, each by what it is for. */
  readonly #open = new Map<string, Map<string, OwnListen>>();
  #lastId = 0;

  constructor(shared: Conversation, tools: Tools) {
    this.#shared = shared;
    this.#tools = tools;
  }

  /** Opens one, unless it is open; the filter says what it is for. Without `meta`, in the name of the client as it was first. */
  open(peer: Peer, filter: object, meta: Meta | undefined = this.#shared.opening?.meta): void {
    const what = JSON.stringify(filter);
    if (meta === undefined || peer.status !== 'running' || this.#of(peer).has(what)) return;
    this.#ask(peer, what, meta);
  }

  close(peer: Peer, filter: object): void {
    const what = JSON.stringify(filter);
    const open = this.#of(peer);
    const listen = open.get(what);
    if (listen === undefined) return;
    open.delete(what);
    peer.send(notification('notifications/cancelled', `{"requestId":${listen.id}}`));
  }

  /** A new process has none of them. */
  forget(peer: Peer): void {
    this.#open.delete(peer.key);
  }

  /** Whether a server ended one of them: by an answer, by a cancellation, or by refusing it. */
  end(peer: Peer, id: string, isRefused: boolean): boolean {
    for (const [what, listen] of this.#of(peer)) {
      if (listen.id !== id) continue;
      this.#of(peer).delete(what);
      const isKept = !isRefused && this.#tools.now() - listen.openedAt >= SHORTEST_MS;
      if (isKept) this.#ask(peer, what, listen.meta);
      else this.#shared.log.debug(`It ended the subscription to ${what}`, peer.key);
      return true;
    }
    return false;
  }

  #ask(peer: Peer, what: string, meta: Meta): void {
    this.#lastId += 1;
    const id = `${OWN_ID_START}listen/${this.#lastId}"`;
    this.#of(peer).set(what, { id, meta, openedAt: this.#tools.now() });
    peer.send(request(id, LISTEN, addMeta(`{"notifications":${what}}`, meta)));
  }

  #of({ key }: Peer): Map<string, OwnListen> {
    const open = this.#open.get(key) ?? new Map<string, OwnListen>();
    this.#open.set(key, open);
    return open;
  }
}
