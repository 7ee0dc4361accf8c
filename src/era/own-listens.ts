/** The subscriptions that we open at stateless servers, for whichever client: for their lists, for a URI, for a task. */
import type { Conversation } from '../protocol/conversation.ts';
import type { Peer } from '../protocol/peer.ts';
import { notification, OWN_ID_START, request } from '../wire/messages.ts';
import { addMeta } from './envelope.ts';
import { LISTEN } from './modern.ts';

export class OwnListens {
  readonly #shared: Conversation;
  /** By server: the raw ids of what is open, each by what it is for. */
  readonly #open = new Map<string, Map<string, string>>();
  #lastId = 0;

  constructor(shared: Conversation) {
    this.#shared = shared;
  }

  /** Opens one, unless it is open; the filter says what it is for. */
  open(peer: Peer, filter: object): void {
    const { opening } = this.#shared;
    const what = JSON.stringify(filter);
    const open = this.#of(peer);
    if (opening === undefined || peer.status !== 'running' || open.has(what)) return;
    this.#lastId += 1;
    const id = `${OWN_ID_START}listen/${this.#lastId}"`;
    open.set(what, id);
    peer.send(request(id, LISTEN, addMeta(`{"notifications":${what}}`, opening.meta)));
  }

  close(peer: Peer, filter: object): void {
    const open = this.#of(peer);
    const what = JSON.stringify(filter);
    const id = open.get(what);
    if (id === undefined) return;
    open.delete(what);
    peer.send(notification('notifications/cancelled', `{"requestId":${id}}`));
  }

  /** A new process has none of them. */
  forget(peer: Peer): void {
    this.#open.delete(peer.key);
  }

  /** Whether a server ended one of them, by an answer or by a cancellation. */
  end(peer: Peer, id: string): boolean {
    const open = this.#of(peer);
    for (const [what, other] of open) if (other === id) return open.delete(what);
    return false;
  }

  #of({ key }: Peer): Map<string, string> {
    const open = this.#open.get(key) ?? new Map<string, string>();
    this.#open.set(key, open);
    return open;
  }
}
