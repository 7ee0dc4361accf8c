/** Takes a request of the client to the server it is for: finds it, waits for it, rewrites the name. No I/O, no timers. */
import type { Eras } from '../era/eras.ts';
import type { Notification, Request } from '../wire/envelope.ts';
import { stringAt } from '../wire/json.ts';
import { failure, INTERNAL_ERROR, INVALID_PARAMS, success } from '../wire/messages.ts';
import { type Splice, splice } from '../wire/splice.ts';
import type { Call } from './calls.ts';
import type { Conversation } from './conversation.ts';
import { isHarmless } from './harmless.ts';
import { mayBelongTo } from './names.ts';
import { findOwner, findSubscribed, listCandidates, mayOwn, type Owner } from './owners.ts';
import type { Peer } from './peer.ts';
import { ROUTES } from './routes.ts';
import { decodeTaskIds } from './tasks.ts';
import { findWanted, KIND_WORDS, type Wanted } from './wanted.ts';

export class Delivery {
  readonly #shared: Conversation;
  readonly #eras: Eras;
  /** Requests that wait for a server to come up; one that is cancelled meanwhile is taken out. */
  readonly #waiting = new Set<Request>();

  constructor(shared: Conversation, eras: Eras) {
    this.#shared = shared;
    this.#eras = eras;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  deliver(message: Request, wanted: Wanted): void {
    const isEnding = message.method === 'resources/unsubscribe';
    const subscribed = isEnding ? findSubscribed(this.#shared, wanted) : undefined;
    const owner = subscribed ?? findOwner(this.#shared, wanted);
    if (owner !== undefined) this.#forward(message, wanted, owner);
    else this.#waitForOwner(message, wanted);
  }

  /** Sends a call again, if it was kept for that; once, because it may be what the server dies of. */
  repeat({ repeatable, claim }: Call): boolean {
    const route = repeatable && ROUTES.get(repeatable.method);
    const wanted = route && findWanted(repeatable, route);
    if (repeatable === undefined || wanted === undefined || typeof wanted === 'string') return false;
    this.deliver(repeatable, { ...wanted, claim, isRepetition: true });
    return true;
  }

  /** Passes a cancellation on to whoever has the request. */
  cancel(message: Notification): void {
    const span = message.param('requestId');
    if (span === undefined) return;
    const id = message.text(span);
    if (!this.#shared.batches.isEmpty) this.#shared.toClient(...this.#shared.batches.forget(id));
    const waiting = [...this.#waiting].find((request) => request.id === id);
    if (waiting !== undefined && this.#waiting.delete(waiting)) return;
    for (const peer of this.#shared.peers.values()) {
      const call = peer.calls.takeByClientId(id);
      if (call === undefined) continue;
      if (this.#eras.cancelCall(call, peer)) return;
      const sentId = { span, bytes: Buffer.from(call.sentId, 'latin1') };
      peer.send(...splice(message.pieces, [sentId, ...this.#eras.lower(message, peer)]));
      return;
    }
    this.#eras.cancel(id);
  }

  /** Nobody has it; but one that is still starting may, and a URI may be known to a server that lists it nowhere. */
  #waitForOwner(message: Request, wanted: Wanted): void {
    const next = [...this.#shared.peers.values()].find(
      (peer) => peer.status === 'initializing' && mayOwn(this.#shared, peer, wanted),
    );
    if (next !== undefined) {
      this.#wait(message, next, () => this.deliver(message, wanted));
      return;
    }
    this.#askAround(message, wanted);
  }

  #wait(message: Request, peer: Peer, act: () => void): void {
    this.#waiting.add(message);
    peer.whenSettled(() => {
      if (this.#waiting.delete(message)) act();
    });
  }

  /** Asks one server after the other, each as if it had it, until one has. */
  #askAround(message: Request, wanted: Wanted): void {
    const original = message.bytes(wanted.span);
    const candidates = listCandidates(this.#shared, wanted);
    const silent: Peer[] = [];
    const askNext = (refuse: () => void): void => {
      const peer = candidates.shift();
      if (peer === undefined) {
        if (silent.length > 0) this.#subscribeAll(message, wanted, silent);
        else refuse();
        return;
      }
      const otherwise = (refuseAgain: () => void): void => {
        const isSubscribing = message.method === 'resources/subscribe';
        if (isSubscribing) this.#shared.subscriptions.get(peer.key)?.delete(wanted.name);
        askNext(refuseAgain);
      };
      peer.wake();
      this.#wait(message, peer, () => {
        const isSilent = this.#eras.isSubscribing(message, peer);
        if (isSilent) silent.push(peer);
        if (isSilent || peer.status !== 'running') askNext(refuse);
        else this.#forward(message, { ...wanted, otherwise }, { peer, original });
      });
    };
    askNext(() => this.#failUnowned(message, wanted));
  }

  /** Servers that cannot be asked whether they have a URI are all listened to. */
  #subscribeAll(message: Request, wanted: Wanted, peers: readonly Peer[]): void {
    const original = message.bytes(wanted.span);
    for (const peer of peers) {
      this.#noteSubscription(message, wanted, { peer, original });
      this.#eras.subscribe(message, peer, original);
    }
    this.#shared.answer(message.id, ...success(message.id, '{}'));
  }

  #failUnowned(message: Request, { kind, name }: Wanted): void {
    const down = [...this.#shared.peers.values()].find(
      (peer) => peer.problem !== undefined && mayBelongTo(peer.key, name, this.#shared.separator),
    );
    const data = down && { data: { server: down.key, reason: down.problem } };
    const text = `${KIND_WORDS[kind]} not found: ${name}`;
    this.#shared.answer(message.id, failure(message.id, { code: INVALID_PARAMS, message: text, ...data }));
  }

  #forward(message: Request, wanted: Wanted, owner: Owner): void {
    const { peer, original } = owner;
    if (peer.status !== 'running') {
      this.#wakeAndForward(message, wanted, owner);
      return;
    }
    if (peer.isBusy) {
      this.#fail(message, peer, 'is busy: it has stopped reading what it is sent; try again later');
      return;
    }
    this.#noteSubscription(message, wanted, owner);
    if (this.#eras.subscribe(message, peer, original)) {
      this.#shared.answer(message.id, ...success(message.id, '{}'));
      return;
    }
    const splices: Splice[] = [];
    if (!original.equals(message.bytes(wanted.span))) splices.push({ span: wanted.span, bytes: original });
    if (wanted.kind !== 'tasks') splices.push(...decodeTaskIds(message, peer));
    const crossing = this.#eras.cross(message, owner, wanted.claim, splices);
    if (typeof crossing === 'string') {
      const error = { code: INVALID_PARAMS, message: crossing };
      const refuse = (): void => this.#shared.answer(message.id, failure(message.id, error));
      if (wanted.otherwise === undefined) refuse();
      else wanted.otherwise(refuse);
      return;
    }
    const mayRepeat = this.#shared.restart && wanted.isRepetition !== true;
    const isRepeatable = mayRepeat && owner.entry !== undefined && isHarmless(owner.entry.item);
    const call = peer.calls.add(message, isRepeatable, wanted.claim, crossing?.bridge);
    call.otherwise = wanted.otherwise;
    const all = crossing?.splices ?? splices;
    const id = { span: message.idSpan, bytes: Buffer.from(call.sentId) };
    peer.send(...splice(message.pieces, call.sentId === call.id ? all : [...all, id]));
  }

  /** It is listed, but not running: it is starting, or can be started. */
  #wakeAndForward(message: Request, wanted: Wanted, owner: Owner): void {
    const { peer } = owner;
    peer.wake();
    this.#wait(message, peer, () => {
      if (peer.status === 'running') this.#forward(message, wanted, owner);
      else this.#fail(message, peer, `is not available: ${peer.problem ?? 'it is stopped'}`);
    });
  }

  /** Remembered for updates, which come under the server's URI, and for a server that is started again. */
  #noteSubscription({ method }: Request, { name }: Wanted, { peer, original }: Owner): void {
    if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') return;
    const uri = stringAt(original, { start: 0, end: original.length });
    const subscriptions = this.#shared.subscriptions.get(peer.key) ?? new Map<string, string>();
    this.#shared.subscriptions.set(peer.key, subscriptions);
    if (method === 'resources/subscribe') subscriptions.set(uri, name);
    else subscriptions.delete(uri);
  }

  #fail(message: Request, peer: Peer, what: string): void {
    const text = `Server "${peer.key}" ${what}`;
    const error = { code: INTERNAL_ERROR, message: text, data: { server: peer.key } };
    this.#shared.answer(message.id, failure(message.id, error));
  }
}
