/** What it means for the client that a server comes up, changes its lists, or goes down. No I/O, no timers. */
import type { Eras } from '../era/eras.ts';
import { failure, notification } from '../wire/messages.ts';
import type { Call } from './calls.ts';
import type { Conversation } from './conversation.ts';
import { KIND_NAMES, type KindName } from './kinds.ts';
import type { ServerList } from './lists.ts';
import { blame, type Peer } from './peer.ts';

/** How a server went down. */
export interface Downfall {
  /** What happened to it, to follow its name: `exited with code 1`. */
  readonly what: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Whether it will be started again when it is needed: then its things stay listed. */
  readonly isForNow: boolean;
}

export interface LifecycleOptions {
  /** The client is to hear that a list has changed; soon, and once for many changes. */
  readonly announce: (kind: KindName) => void;
  /** Sends a call again that may run twice without harm. */
  readonly repeat: (call: Call) => boolean;
}

export class Lifecycle {
  readonly #shared: Conversation;
  readonly #eras: Eras;
  readonly #options: LifecycleOptions;

  constructor(shared: Conversation, eras: Eras, options: LifecycleOptions) {
    this.#shared = shared;
    this.#eras = eras;
    this.#options = options;
  }

  /** A list has been read. A client that was given another one hears of it, unless that is to be said by itself. */
  list(peer: Peer, kind: KindName, { items, findings, isUnread }: ServerList, isRefresh: boolean): void {
    for (const finding of findings) this.#shared.log.warn(finding, peer.key);
    // What it listed before is more likely than that it has nothing any more.
    if (isRefresh && isUnread) return;
    const hasChanged = this.#shared.catalogs[kind].replace(peer.key, items);
    if (!isRefresh && hasChanged && this.#shared.listed.has(kind)) this.changed(kind);
  }

  /** The client is to hear that it should ask for a list again. */
  changed(kind: KindName): void {
    this.#options.announce(kind);
  }

  /** What the client has asked of all servers, or of this one before it was started again, is asked of it now. */
  up(peer: Peer): void {
    this.#eras.up(peer);
    if (!this.#eras.hasHandshake(peer)) return;
    if (this.#shared.logLevel !== undefined && peer.has('logging')) {
      peer.ask('logging/setLevel', this.#shared.logLevel).catch(() => {});
    }
    for (const uri of this.#shared.subscriptions.urisOf(peer.key)) {
      peer.ask('resources/subscribe', JSON.stringify({ uri })).catch(() => {});
    }
  }

  down(peer: Peer, downfall: Downfall): void {
    const calls = peer.calls.takeAll();
    this.#eras.down(peer);
    for (const question of this.#shared.questions.takeAllOf(peer.key)) {
      if (!this.#shared.isInitialized) continue;
      const reason = JSON.stringify(`Server "${peer.key}" ${downfall.what}`);
      const params = `{"requestId":${question.id},"reason":${reason}}`;
      this.#shared.toClient(notification('notifications/cancelled', params));
    }
    if (!downfall.isForNow) this.#forget(peer);
    for (const call of calls) {
      if (downfall.isForNow && this.#options.repeat(call)) continue;
      const fail = (): void => this.#fail(peer, call, downfall);
      if (call.elsewhere === undefined) fail();
      else call.elsewhere(fail);
    }
  }

  /** Everything ends: what was not answered by now will not be. */
  abandon(peer: Peer): void {
    const downfall = {
      what: 'was stopped, because the client is done,',
      exitCode: null,
      signal: null,
      isForNow: false,
    };
    for (const call of peer.calls.takeAll()) this.#fail(peer, call, downfall);
  }

  #forget({ key }: Peer): void {
    this.#shared.subscriptions.forget(key);
    for (const kind of KIND_NAMES) {
      if (this.#shared.catalogs[kind].remove(key)) this.changed(kind);
    }
  }

  #fail(peer: Peer, call: Call, { what, exitCode, signal }: Downfall): void {
    const whole = `${what} before it answered; whether the request took effect is unknown`;
    const error = blame(peer, whole, { exitCode, signal });
    this.#shared.conclude(call, (id) => [failure(id, error)]);
  }
}
