/** The one door between this room and the rest: who is of which era, and what has to be done about it. No I/O. */
import type { Call } from '../protocol/calls.ts';
import type { Conversation } from '../protocol/conversation.ts';
import type { Identity } from '../protocol/handshake.ts';
import type { Owner } from '../protocol/owners.ts';
import type { Peer } from '../protocol/peer.ts';
import type { Wanted } from '../protocol/wanted.ts';
import type { Answer, Envelope, Notification, Request } from '../wire/envelope.ts';
import { memberOf, parse } from '../wire/json.ts';
import type { ErrorObject } from '../wire/messages.ts';
import type { Splice } from '../wire/splice.ts';
import { declaresExtension, refuseWithout } from './claim.ts';
import { type Crossing, Crossings } from './crossings.ts';
import { FromModernClient } from './from-modern-client.ts';
import { Listens } from './listens.ts';
import { Logs } from './logs.ts';
import { removeMembers } from './members.ts';
import { mapHandshake, removeClaim } from './meta.ts';
import { SUBSCRIPTION_KEY, TASKS_EXTENSION } from './modern.ts';
import { OwnListens } from './own-listens.ts';
import { Suspensions } from './suspensions.ts';
import type { Claim, Desk, Meta, Tools } from './types.ts';
import { Watches } from './watches.ts';

export class Eras {
  readonly #shared: Conversation;
  readonly #logs: Logs;
  readonly #crossings: Crossings;
  readonly #ownListens: OwnListens;
  readonly #watches: Watches;
  readonly #listens: Listens;
  readonly #suspensions: Suspensions;
  readonly #fromClient: FromModernClient;

  constructor(shared: Conversation, tools: Tools) {
    this.#shared = shared;
    this.#logs = new Logs(shared);
    this.#crossings = new Crossings(shared, this.#logs, tools);
    this.#ownListens = new OwnListens(shared, tools);
    this.#watches = new Watches(shared, this.#ownListens);
    this.#listens = new Listens(shared, this.#watches);
    this.#suspensions = new Suspensions(shared, tools);
    this.#fromClient = new FromModernClient(shared, this.#listens, this.#suspensions);
  }

  /** Serves a request of the stateless era; false for all others. */
  receive(message: Request, desk: Desk): boolean {
    return this.#fromClient.receive(message, desk);
  }

  /** What a client says of itself in its handshake, for servers that know none. */
  mapHandshake(message: Request): Meta {
    return mapHandshake(message);
  }

  /** Undefined when both are of one era; a sentence when the request cannot be served. `splices` are made anyway. */
  cross(
    message: Request,
    owner: Owner,
    claim: Claim | undefined,
    splices: readonly Splice[],
  ): Crossing | string | undefined {
    return this.#crossings.cross(message, owner, claim, splices);
  }

  /** Whether a server hears what does not belong to a request, and can be asked for such things. */
  hasHandshake(peer: Peer): boolean {
    return peer.era === 'legacy';
  }

  /** A notification of the client, for such a server: nothing that only the stateless era knows. */
  lower(message: Notification, peer: Peer): Splice[] {
    return this.hasHandshake(peer) && message.param('_meta') !== undefined ? removeClaim(message) : [];
  }

  /** The client has taken a call back; true when the server need not hear of it. */
  cancelCall({ bridge }: Call, peer: Peer): boolean {
    return bridge?.cancel(peer) === true;
  }

  /** Whether the client ended something that no server owes an answer to: a subscription, or a call that it was to come back to. */
  cancel(id: string): boolean {
    return this.#listens.end(id) || this.#suspensions.cancel(id);
  }

  /** Whether a client with a handshake subscribes at a server that has no such request. */
  isSubscribing({ method }: Request, peer: Peer): boolean {
    return peer.era === 'modern' && (method === 'resources/subscribe' || method === 'resources/unsubscribe');
  }

  /** Does it then; false when it is to be done the usual way. */
  subscribe(message: Request, peer: Peer, original: Buffer): boolean {
    if (!this.isSubscribing(message, peer)) return false;
    const uri = String(parse(original.toString()));
    if (message.method === 'resources/subscribe') this.#watches.start(peer, uri);
    else if (!this.#listens.holds(peer.key, uri)) this.#watches.stop(peer, uri);
    return true;
  }

  /** A server has come up, or come up again. */
  up(peer: Peer): void {
    this.#logs.forget(peer);
    this.#ownListens.forget(peer);
    if (peer.era === 'modern') {
      this.#watches.startLists(peer);
      for (const uri of this.#shared.subscriptions.urisOf(peer.key)) this.#watches.start(peer, uri);
    }
    this.#listens.reopen(peer);
  }

  down(peer: Peer): void {
    this.#suspensions.down(peer);
  }

  /** Puts a server's question to a client that cannot be asked otherwise; false when that is not possible. */
  ask(peer: Peer, message: Request): boolean {
    return this.#suspensions.ask(peer, message);
  }

  /** The refusal of what nobody has, where it is another than that; a server that has it refuses by itself. */
  refuse({ kind, claim }: Wanted): ErrorObject | undefined {
    const isUnknown = claim !== undefined && !declaresExtension(claim.capabilities, TASKS_EXTENSION);
    return kind === 'tasks' && isUnknown ? refuseWithout(TASKS_EXTENSION) : undefined;
  }

  /** Whether a stateless server answered with a task instead of a result. */
  isTask(peer: Peer, answer: Answer): boolean {
    if (peer.era === 'legacy' || answer.result === undefined || !peer.has('tasks')) return false;
    // Not before: joining and searching a long answer costs more than passing it on.
    const { line, result } = answer;
    const type = line.includes('taskId"') ? memberOf(line, result, 'resultType') : undefined;
    return type !== undefined && line.toString('latin1', type.start, type.end) === '"task"';
  }

  /** Whether an answer that nobody waits for ends a subscription of ours. */
  endListen(peer: Peer, { id, error }: Answer): boolean {
    return this.#ownListens.end(peer, id, error !== undefined);
  }

  /** Whether a server ended a subscription of ours, or took back a question that a client is away with. */
  takeBack(peer: Peer, id: string): boolean {
    return this.#ownListens.end(peer, id, false) || this.#suspensions.takeBack(peer, id);
  }

  /** Whether the client is to hear a log message. */
  passesLog(peer: Peer, message: Notification): boolean {
    return this.#logs.passes(peer, message);
  }

  /** News of a URI, for the subscriptions of a stateless client. */
  passUpdate(peer: Peer, message: Notification, uri: string): void {
    this.#listens.passUpdate(peer, message, uri);
  }

  /** Whether a notification is not for the client as it is. `renamed` is what is changed in it anyway. */
  consume(peer: Peer, message: Notification, renamed: readonly Splice[]): boolean {
    const { method } = message;
    if (method === 'notifications/subscriptions/acknowledged') return true;
    if (method === 'notifications/tasks') this.#listens.passTask(peer, message, renamed);
    else return this.#shared.legacy === undefined && ONLY_LEGACY.has(method);
    return true;
  }

  /** Whether anybody has asked for news in the way of the stateless era. */
  get isHeard(): boolean {
    return !this.#listens.isEmpty;
  }

  /** A list of ours has changed: told to whoever wants to hear it. */
  announce(method: string): void {
    this.#listens.announce(method);
  }

  isHeld(key: string): boolean {
    return this.#listens.holds(key) || this.#suspensions.has(key);
  }

  /** The ids of our subscriptions mean nothing to the client. */
  untag(message: Envelope, peer: Peer): Splice[] {
    const meta = this.hasHandshake(peer) ? undefined : message.param('_meta');
    return meta === undefined ? [] : removeMembers(message.line, meta, (name) => name === SUBSCRIPTION_KEY);
  }

  /** Everything ends. */
  close(identity: Identity): void {
    this.#listens.endAll(identity);
  }
}

/** What a client without a handshake has never heard of. */
const ONLY_LEGACY: ReadonlySet<string> = new Set([
  'notifications/elicitation/complete',
  'notifications/tasks/status',
]);
