/** The one door between this room and the rest: who is of which era, and what has to be done about it. No I/O. */
import type { Entry } from '../protocol/catalog.ts';
import type { Conversation } from '../protocol/conversation.ts';
import type { Peer } from '../protocol/peer.ts';
import type { Answer, Notification, Request } from '../wire/envelope.ts';
import { McpError } from '../wire/error.ts';
import { memberOf, parse, type Span } from '../wire/json.ts';
import { type Splice, splice } from '../wire/splice.ts';
import type { Bridge, Tools } from './bridge.ts';
import { type Claim, Claims } from './claim.ts';
import { insertClaim, removeClaim } from './envelope.ts';
import { Listens } from './listens.ts';
import { Logs } from './logs.ts';
import { insertMembers, removeMembers } from './members.ts';
import { SUBSCRIPTION_KEY } from './modern.ts';
import { completeResult, mapCode, ModernOverLegacy } from './modern-over-legacy.ts';
import { OwnListens } from './own-listens.ts';
import { Rounds } from './rounds.ts';
import { Suspensions } from './suspensions.ts';
import { Watches } from './watches.ts';

/** How a request goes to a server of the other era. */
export interface Crossing {
  readonly bridge: Bridge;
  readonly splices: readonly Splice[];
}

export class Eras {
  readonly claims: Claims = new Claims();
  readonly logs: Logs;
  readonly ownListens: OwnListens;
  readonly watches: Watches;
  readonly listens: Listens;
  readonly suspensions: Suspensions;
  readonly #shared: Conversation;
  readonly #tools: Tools;

  constructor(shared: Conversation, tools: Tools) {
    this.#shared = shared;
    this.#tools = tools;
    this.logs = new Logs(shared);
    this.ownListens = new OwnListens(shared);
    this.watches = new Watches(shared, this.ownListens);
    this.listens = new Listens(shared, this.watches);
    this.suspensions = new Suspensions(shared, tools);
  }

  /** Undefined when both are of one era; a sentence when the request cannot be served. `splices` are made anyway. */
  cross(
    message: Request,
    { peer, entry }: { readonly peer: Peer; readonly entry?: Entry },
    claim: Claim | undefined,
    splices: readonly Splice[],
  ): Crossing | string | undefined {
    if ((claim !== undefined) === (peer.era === 'modern')) return undefined;
    if (claim === undefined) {
      const all = [...splices, ...this.#lowerToModern(message)];
      return { splices: all, bridge: new Rounds(this.#shared, this.#tools, message, all) };
    }
    if (message.param('requestState') !== undefined)
      return 'Unknown "requestState": this server never gave one';
    this.logs.prepare(peer, claim);
    const isTask = entry !== undefined && needsTask(entry);
    const all = [...splices, ...removeClaim(message)];
    if (isTask && message.params !== undefined)
      all.push(insertMembers(message.line, message.params, '"task":{}'));
    return { splices: all, bridge: new ModernOverLegacy(message, isTask) };
  }

  /** Asks one of several servers that may know the answer. */
  askFor(message: Request, peer: Peer, claim: Claim | undefined): Promise<Answer> {
    const { method, params } = message;
    return peer.ask(method, params && this.#lowerParams(message, params, peer, claim));
  }

  #lowerParams(message: Request, params: Span, peer: Peer, claim: Claim | undefined): Buffer {
    const isSame = (claim !== undefined) === (peer.era === 'modern');
    if (isSame) return message.bytes(params);
    const splices = claim === undefined ? this.#lowerToModern(message) : removeClaim(message);
    const moved = splices.map(({ span, bytes }) => ({
      span: { start: span.start - params.start, end: span.end - params.start },
      bytes,
    }));
    return Buffer.concat(splice([message.bytes(params)], moved));
  }

  /** The answer to that. */
  raiseAnswer(message: Request, peer: Peer, claim: Claim | undefined, answer: Answer): Splice[] {
    return claim !== undefined && peer.era === 'legacy' ? completeResult(peer, message.method, answer) : [];
  }

  raiseError(claim: Claim | undefined, { code, message, data }: McpError): McpError {
    return new McpError({ code: claim === undefined ? code : mapCode(code), message, data });
  }

  /** Whether a client with a handshake subscribes at a server that has no such request. */
  isSubscribing({ method }: Request, peer: Peer): boolean {
    return peer.era === 'modern' && (method === 'resources/subscribe' || method === 'resources/unsubscribe');
  }

  /** Does it then; false when it is to be done the usual way. */
  subscribe(message: Request, peer: Peer, original: Buffer): boolean {
    if (!this.isSubscribing(message, peer)) return false;
    const uri = String(parse(original.toString()));
    if (message.method === 'resources/subscribe') this.watches.start(peer, uri);
    else if (!this.listens.holds(peer.key, uri)) this.watches.stop(peer, uri);
    return true;
  }

  /** What a client may say of itself even in a notification is nothing for a server with a handshake. */
  lowerCancellation(message: Notification, peer: Peer): Splice[] {
    return peer.era === 'legacy' && message.param('_meta') !== undefined ? removeClaim(message) : [];
  }

  /** A server has come up, or come up again. */
  up(peer: Peer): void {
    this.logs.forget(peer);
    this.ownListens.forget(peer);
    if (peer.era === 'modern') {
      this.watches.startLists(peer);
      for (const uri of this.#shared.subscriptions.get(peer.key)?.keys() ?? []) this.watches.start(peer, uri);
    }
    this.listens.reopen(peer);
  }

  /** Whether a stateless server answered with a task instead of a result. */
  isTask(peer: Peer, { line, result }: Answer): boolean {
    if (peer.era === 'legacy' || result === undefined || !line.includes('taskId"')) return false;
    const type = memberOf(line, result, 'resultType');
    return type !== undefined && line.toString('latin1', type.start, type.end) === '"task"';
  }

  /** Whether a server ended a subscription of ours, or took back a question that a client is away with. */
  takeBack(peer: Peer, id: string): boolean {
    return this.ownListens.end(peer, id) || this.suspensions.takeBack(peer, id);
  }

  /** Whether a notification is not for the client as it is. `renamed` is what is changed in it anyway. */
  consume(peer: Peer, message: Notification, renamed: readonly Splice[]): boolean {
    const { method } = message;
    if (method === 'notifications/subscriptions/acknowledged') return true;
    if (method === 'notifications/tasks') this.listens.passTask(peer, message, renamed);
    else return this.#shared.legacy === undefined && ONLY_LEGACY.has(method);
    return true;
  }

  /** A list of ours has changed: told to whoever wants to hear it. */
  announce(method: string): void {
    this.listens.announce(method);
  }

  isHeld(key: string): boolean {
    return this.listens.holds(key) || this.suspensions.has(key);
  }

  /** A client with a handshake knows no subscription ids. */
  untag(message: Notification): Splice[] {
    const meta = message.param('_meta');
    return meta === undefined ? [] : removeMembers(message.line, meta, (name) => name === SUBSCRIPTION_KEY);
  }

  #lowerToModern(message: Request): Splice[] {
    const { legacy, logLevel } = this.#shared;
    const level = logLevel && (parse(logLevel.toString()) as { level?: unknown }).level;
    return insertClaim(message, legacy?.meta ?? {}, typeof level === 'string' ? level : undefined);
  }
}

/** What a client without a handshake has never heard of. */
const ONLY_LEGACY: ReadonlySet<string> = new Set([
  'notifications/elicitation/complete',
  'notifications/tasks/status',
]);

/** Whether the tool can only be called as a task. */
function needsTask({ item }: Entry): boolean {
  if (!item.bytes.includes('"taskSupport"')) return false;
  const { execution } = parse(item.bytes.toString()) as { execution?: { taskSupport?: unknown } };
  return execution?.taskSupport === 'required';
}
