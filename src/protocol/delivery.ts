/** Takes a request of the client to the server it is for: finds it, waits for it, rewrites the name. No I/O, no timers. */
import type { Eras } from '../era/eras.ts';
import type { Notification, Request } from '../wire/envelope.ts';
import { stringAt } from '../wire/json.ts';
import { failure, INVALID_PARAMS, success } from '../wire/messages.ts';
import { soon } from '../wire/soon.ts';
import { type Splice, splice } from '../wire/splice.ts';
import type { Call, Elsewhere } from './calls.ts';
import type { Conversation } from './conversation.ts';
import { isHarmless } from './harmless.ts';
import { mayBelongTo } from './names.ts';
import { findOwner, findSubscribed, listCandidates, mayOwn, type Owner } from './owners.ts';
import { blame, bringUp, type Peer } from './peer.ts';
import { ROUTES } from './routes.ts';
import { Search } from './search.ts';
import { decodeTaskIds } from './tasks.ts';
import { findWanted, KIND_WORDS, type Wanted } from './wanted.ts';

const SUBSCRIBE = 'resources/subscribe';
const UNSUBSCRIBE = 'resources/unsubscribe';

export class Delivery {
  readonly #shared: Conversation;
  readonly #eras: Eras;
  readonly #whenListed: (act: () => void) => void;
  /** Requests that wait for a server to come up; one that is cancelled meanwhile is taken out. */
  readonly #waiting = new Set<Request>();

  /** `whenListed` calls back when the lists are as complete as the client may wait for. */
  constructor(shared: Conversation, eras: Eras, whenListed: (act: () => void) => void) {
    this.#shared = shared;
    this.#eras = eras;
    this.#whenListed = whenListed;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  deliver(message: Request, wanted: Wanted): void {
    const isEnding = message.method === UNSUBSCRIBE;
    const subscribed = isEnding ? findSubscribed(this.#shared, wanted) : undefined;
    const owner = subscribed ?? findOwner(this.#shared, wanted);
    const isSure = owner?.entry === undefined || owner.entry.exposed === wanted.name;
    if (owner !== undefined && isSure) this.#forward(message, wanted, owner);
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

  /** Nobody has it, or not under this name; but one that is still starting may, and a URI may be known to a server that lists it nowhere. */
  #waitForOwner(message: Request, wanted: Wanted): void {
    const next = [...this.#shared.peers.values()].find(
      (peer) => peer.status === 'initializing' && mayOwn(this.#shared, peer, wanted),
    );
    if (next !== undefined) {
      this.#wait(message, next, () => this.deliver(message, wanted));
      return;
    }
    // Whether exactly one server has a bare name shows when all have been heard.
    this.#whenListed(
      this.#hold(message, () => {
        const owner = findOwner(this.#shared, wanted);
        if (owner !== undefined) this.#forward(message, wanted, owner);
        else this.#askAround(message, wanted);
      }),
    );
  }

  #wait(message: Request, peer: Peer, act: () => void): void {
    bringUp(peer, this.#hold(message, act));
  }

  /** The act, unless the request is cancelled before. */
  #hold(message: Request, act: () => void): () => void {
    this.#waiting.add(message);
    return () => {
      if (this.#waiting.delete(message)) act();
    };
  }

  #askAround(message: Request, wanted: Wanted): void {
    const original = message.bytes(wanted.span);
    new Search(this.#eras, message, original, listCandidates(this.#shared, wanted), {
      wait: (peer, act) => this.#wait(message, peer, act),
      forward: (owner, elsewhere) => {
        this.#forward(message, wanted, owner, (fail, refusal) => {
          if (message.method === SUBSCRIBE)
            this.#shared.subscriptions.remove(owner.peer.key, readUri(owner.original));
          elsewhere(fail, refusal);
        });
      },
      fail: () => this.#failUnowned(message, wanted),
      subscribeAll: (owners) => this.#subscribeAll(message, wanted, owners),
    }).next();
  }

  #subscribeAll(message: Request, wanted: Wanted, owners: readonly Owner[]): void {
    for (const owner of owners) {
      this.#noteSubscription(message, wanted, owner);
      this.#eras.subscribe(message, owner.peer, owner.original);
    }
    this.#shared.answer(message.id, ...success(message.id, '{}'));
  }

  #failUnowned(message: Request, wanted: Wanted): void {
    const { kind, name } = wanted;
    const down = [...this.#shared.peers.values()].find(
      (peer) => peer.problem !== undefined && mayBelongTo(peer.key, name, this.#shared.separator),
    );
    const data = down && { data: { server: down.key, reason: down.problem } };
    const text = `${KIND_WORDS[kind]} not found: ${name}`;
    const error = this.#eras.refuse(wanted) ?? { code: INVALID_PARAMS, message: text, ...data };
    this.#shared.answer(message.id, failure(message.id, error));
  }

  #forward(message: Request, wanted: Wanted, owner: Owner, elsewhere?: Elsewhere): void {
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
    const isRenamed = !original.equals(message.bytes(wanted.span));
    if (isRenamed) splices.push({ span: wanted.span, bytes: original });
    if (wanted.kind !== 'tasks') splices.push(...decodeTaskIds(message, peer));
    const crossing = this.#eras.cross(message, owner, wanted.claim, splices);
    if (typeof crossing === 'string') {
      const error = { code: INVALID_PARAMS, message: crossing };
      const fail = (): void => this.#shared.answer(message.id, failure(message.id, error));
      if (elsewhere === undefined) fail();
      else elsewhere(fail);
      return;
    }
    const mayRepeat = this.#shared.restart && wanted.isRepetition !== true;
    const isRepeatable = mayRepeat && owner.entry !== undefined && isHarmless(owner.entry.item);
    const call = peer.calls.add(message, isRepeatable, wanted.claim, crossing?.bridge);
    call.isByKey = isRenamed && wanted.kind === 'resources';
    call.elsewhere = elsewhere;
    const all = [...(crossing?.splices ?? splices)];
    if (call.sentId !== call.id) all.push({ span: message.idSpan, bytes: Buffer.from(call.sentId) });
    peer.send(...splice(message.pieces, all));
    // Right behind the write that it leaves with.
    soon(() => this.#retryRefused(message, wanted, owner, call));
  }

  /** A process that was gone already when it was sent the call has taken nothing of it: it may be sent to the next. */
  #retryRefused(message: Request, wanted: Wanted, owner: Owner, call: Call): void {
    const { peer } = owner;
    // One that is being looked for goes on elsewhere when the process has ended.
    if (peer.status !== 'ending' || !peer.calls.has(call) || call.elsewhere !== undefined) return;
    peer.calls.take(call.sentId);
    this.#forward(message, wanted, owner);
  }

  /** It is listed, but not running: it is starting, or can be started. */
  #wakeAndForward(message: Request, wanted: Wanted, owner: Owner): void {
    const { peer } = owner;
    this.#wait(message, peer, () => {
      if (peer.status === 'running') this.#forward(message, wanted, owner);
      else this.#fail(message, peer, `is not available: ${peer.problem ?? 'it is stopped'}`);
    });
  }

  /** Remembered for updates, which come under the server's URI, and for a server that is started again. */
  #noteSubscription({ method }: Request, { name }: Wanted, { peer, original }: Owner): void {
    const { subscriptions } = this.#shared;
    if (method === SUBSCRIBE) subscriptions.add(peer.key, readUri(original), name);
    else if (method === UNSUBSCRIBE) subscriptions.remove(peer.key, readUri(original));
  }

  #fail(message: Request, peer: Peer, what: string): void {
    this.#shared.answer(message.id, failure(message.id, blame(peer, what)));
  }
}

function readUri(original: Buffer): string {
  return stringAt(original, { start: 0, end: original.length });
}
