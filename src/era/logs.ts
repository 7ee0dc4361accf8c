/** Whose log messages a client of the stateless era hears: only those of servers that owe it an answer it asked logs for. */
import type { Conversation } from '../protocol/conversation.ts';
import type { Peer } from '../protocol/peer.ts';
import type { Notification } from '../wire/envelope.ts';
import { LOG_LEVELS } from './modern.ts';
import type { Claim } from './types.ts';

export class Logs {
  readonly #shared: Conversation;
  /** By server: the lowest level that was asked of it. */
  readonly #levels = new Map<string, number>();

  constructor(shared: Conversation) {
    this.#shared = shared;
  }

  /** A call goes to a handshake server, which has one level for all calls. */
  prepare(peer: Peer, { logLevel }: Claim): void {
    const level = LOG_LEVELS.indexOf(logLevel ?? '');
    const known = this.#levels.get(peer.key) ?? LOG_LEVELS.length;
    if (level === -1 || level >= known || !peer.has('logging')) return;
    this.#levels.set(peer.key, level);
    peer.ask('logging/setLevel', JSON.stringify({ level: logLevel })).catch(() => {});
  }

  /** A new process knows nothing of what the one before was asked. */
  forget(peer: Peer): void {
    this.#levels.delete(peer.key);
  }

  passes(peer: Peer, message: Notification): boolean {
    // A client with a handshake set its level there; a server of the stateless era knows the rule itself.
    if (this.#shared.legacy !== undefined || peer.era === 'modern') return true;
    const level = LOG_LEVELS.indexOf(message.string(message.param('level')) ?? '');
    for (const { claim, hold } of peer.calls.inFlight) {
      // Nothing belongs to a request that has been answered, though its call goes on.
      if (claim?.logLevel === undefined || hold !== undefined) continue;
      if (level >= LOG_LEVELS.indexOf(claim.logLevel)) return true;
    }
    return false;
  }
}
