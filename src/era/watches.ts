/** Has servers of either era say when something changes: by subscribing, or by a subscription of the stateless era. */
import type { Conversation } from '../protocol/conversation.ts';
import { bringUp, type Peer } from '../protocol/peer.ts';
import type { OwnListens } from './own-listens.ts';
import type { Meta } from './types.ts';

export class Watches {
  readonly #shared: Conversation;
  readonly #own: OwnListens;

  constructor(shared: Conversation, own: OwnListens) {
    this.#shared = shared;
    this.#own = own;
  }

  /** Asked once more of a server that is asked already, it changes nothing. */
  start(peer: Peer, uri: string): void {
    bringUp(peer, () => {
      if (peer.status !== 'running') return;
      if (peer.era === 'modern') this.#own.open(peer, { resourceSubscriptions: [uri] });
      else peer.ask('resources/subscribe', JSON.stringify({ uri })).catch(() => {});
    });
  }

  /** Nobody holds it any more; a client with a handshake may still. */
  stop(peer: Peer, uri: string): void {
    if (peer.status !== 'running' || this.#shared.subscriptions.nameOf(peer.key, uri) !== undefined) return;
    if (peer.era === 'modern') this.#own.close(peer, { resourceSubscriptions: [uri] });
    else peer.ask('resources/unsubscribe', JSON.stringify({ uri })).catch(() => {});
  }

  /** In the name of the client as it is in the request: it must have declared that it knows tasks. */
  startTask(peer: Peer, taskId: string, meta: Meta): void {
    if (peer.era === 'modern') this.#own.open(peer, { taskIds: [taskId] }, meta);
  }

  stopTask(peer: Peer, taskId: string): void {
    this.#own.close(peer, { taskIds: [taskId] });
  }

  /** A stateless server announces changes of its lists only to those who asked for them. */
  startLists(peer: Peer): void {
    const filter = {
      ...(peer.has('tools') && { toolsListChanged: true }),
      ...(peer.has('prompts') && { promptsListChanged: true }),
      ...(peer.has('resources') && { resourcesListChanged: true }),
    };
    if (Object.keys(filter).length > 0) this.#own.open(peer, filter);
  }
}
