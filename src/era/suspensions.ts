/**
 * Questions of handshake servers for a client that cannot be asked: the call that is in flight is answered with the
 * question, goes on at the server, and is taken over by the request with which the client comes back. Never runs twice.
 */
import type { Call, Finish } from '../protocol/calls.ts';
import type { Conversation } from '../protocol/conversation.ts';
import type { Peer } from '../protocol/peer.ts';
import type { Request } from '../wire/envelope.ts';
import { isObject, memberOf, membersOf } from '../wire/json.ts';
import { failure, INTERNAL_ERROR, INVALID_PARAMS, notification, success } from '../wire/messages.ts';
import { splice } from '../wire/splice.ts';
import { declares } from '../protocol/declared.ts';
import { removeMembers } from './members.ts';
import { RETRIED_METHODS, SERVER_KEY } from './modern.ts';
import type { Claim, Tools } from './types.ts';

/** A question of a server. */
interface Asked {
  /** The server's id, raw. */
  readonly id: string;
  /** What is asked, as the client is to see it. */
  readonly request: Buffer;
}

/** A call whose client is away, looking for answers. */
interface Suspension {
  readonly token: string;
  /** The id of the request that was answered with the questions. */
  readonly id: string;
  readonly peer: Peer;
  readonly call: Call;
  /** What the call is for: the client must come back with the same. */
  readonly target: string | undefined;
  /** By the name under which the client is to answer. */
  readonly asked: Map<string, Asked>;
  readonly stopClock: () => void;
  /** The answer, when the server could not wait for its own. */
  finish: Finish | undefined;
}

const MOST_SUSPENDED = 100;
/** Of one call, while its client is away. */
const MOST_ASKED = 20;
const LONGEST_AWAY_MS = 10 * 60_000;

export class Suspensions {
  readonly #shared: Conversation;
  readonly #tools: Tools;
  readonly #byToken = new Map<string, Suspension>();
  readonly #byCall = new Map<Call, Suspension>();
  #lastName = 0;

  constructor(shared: Conversation, tools: Tools) {
    this.#shared = shared;
    this.#tools = tools;
  }

  /** Whether a server has a question that nobody has answered yet. */
  has(key: string): boolean {
    return [...this.#byToken.values()].some(({ peer, finish }) => peer.key === key && finish === undefined);
  }

  /** Puts a server's question to the client; false when no call is in flight that it can be asked with. */
  ask(peer: Peer, message: Request): boolean {
    const { params, method } = message;
    const mode = params && memberOf(message.line, params, 'mode');
    const isUrl = message.string(mode) === 'url';
    const calls = [...peer.calls.inFlight].filter(
      ({ claim, bridge, method: called }) =>
        bridge !== undefined &&
        claim !== undefined &&
        RETRIED_METHODS.has(called) &&
        declares(claim.capabilities, method, isUrl),
    );
    const asked = { id: message.id, request: writeQuestion(message) };
    // The answer finds its way back by the server's own id, so the newest call is as right as any.
    const call = calls.findLast((one) => !this.#byCall.has(one));
    const waiting = calls.findLast((one) => this.#byCall.has(one));
    if (call !== undefined) this.#suspend(peer, call, [asked]);
    else if (waiting !== undefined) this.#add(this.#byCall.get(waiting), asked);
    else return false;
    return true;
  }

  /** Whether the request is one with which the client comes back to a call that waits for it. */
  resume(message: Request, claim: Claim): boolean {
    const state = message.string(message.param('requestState'));
    const suspension = state === undefined ? undefined : this.#byToken.get(state);
    // Another's may be passed on to it; what only looks like one of ours is refused where it would go.
    if (suspension === undefined) return false;
    if (
      suspension.call.method !== message.method ||
      (suspension.target ?? '') !== (readTarget(message) ?? '')
    ) {
      this.#refuse(message, 'The "requestState" belongs to another request');
    } else {
      this.#takeOver(suspension, message, claim);
    }
    return true;
  }

  /** Whether a server took back a question that it had asked here. */
  takeBack(peer: Peer, id: string): boolean {
    for (const suspension of this.#byToken.values()) {
      if (suspension.peer !== peer) continue;
      for (const [name, asked] of suspension.asked) {
        if (asked.id === id) return suspension.asked.delete(name);
      }
    }
    return false;
  }

  /** The client will not come back: it has taken back the request that was answered with a question. */
  cancel(id: string): boolean {
    const suspension = [...this.#byToken.values()].find((one) => one.id === id);
    if (suspension !== undefined) this.#end(suspension, 'The client has cancelled the call');
    return suspension !== undefined;
  }

  /** Its process is gone, and with it everything that it asked. */
  down(peer: Peer): void {
    for (const suspension of this.#byToken.values()) if (suspension.peer === peer) suspension.asked.clear();
  }

  #suspend(peer: Peer, call: Call, questions: readonly Asked[]): void {
    if (this.#byToken.size >= MOST_SUSPENDED) {
      refuseAll(peer, questions, `The client owes answers to ${MOST_SUSPENDED} questions already`);
      return;
    }
    const token = this.#tools.createSecret();
    const suspension: Suspension = {
      token,
      id: call.id,
      peer,
      call,
      target: call.bridge?.target,
      asked: new Map(questions.map((asked) => [this.#nameNext(), asked])),
      stopClock: this.#tools.later(LONGEST_AWAY_MS, () =>
        this.#end(suspension, 'The client did not come back in time'),
      ),
      finish: undefined,
    };
    this.#byToken.set(token, suspension);
    this.#byCall.set(call, suspension);
    this.#shared.answer(call.id, ...success(call.id, writeResult(suspension)));
    call.id = '';
    // A call that has asked something is not begun anew behind the user's back, here or elsewhere.
    call.repeatable = undefined;
    call.elsewhere = undefined;
    call.heardAs = '';
    call.hold = (finish) => void (suspension.finish = finish);
  }

  #add(suspension: Suspension | undefined, asked: Asked): void {
    if (suspension === undefined) return;
    const { peer, asked: all } = suspension;
    if (all.size < MOST_ASKED) all.set(this.#nameNext(), asked);
    else refuseAll(peer, [asked], `The client owes answers to ${MOST_ASKED} questions of one call already`);
  }

  #takeOver(suspension: Suspension, message: Request, claim: Claim): void {
    const { peer, call, asked, finish } = suspension;
    this.#forget(suspension);
    call.id = message.id;
    call.claim = claim;
    call.hold = undefined;
    const token = message.meta('progressToken');
    call.heardAs = token === undefined ? '' : message.text(token);
    const responses = message.param('inputResponses');
    for (const { name, value } of responses ? membersOf(message.line, responses) : []) {
      const question = isObject(message.line, value) ? asked.get(name) : undefined;
      if (question === undefined) continue;
      peer.send(...success(question.id, message.bytes(value)));
      asked.delete(name);
    }
    if (finish !== undefined) {
      refuseAll(peer, asked.values(), 'The call is over');
      this.#shared.answer(message.id, ...finish(message.id));
    } else if (asked.size > 0) {
      // What is not answered, or was asked meanwhile.
      this.#suspend(peer, call, [...asked.values()]);
    }
  }

  #end(suspension: Suspension, why: string): void {
    const { peer, call, asked, finish } = suspension;
    this.#forget(suspension);
    refuseAll(peer, asked.values(), why);
    if (finish !== undefined || !peer.calls.has(call)) return;
    peer.calls.take(call.sentId);
    call.bridge?.cancel(peer);
    peer.send(notification('notifications/cancelled', `{"requestId":${call.sentId}}`));
  }

  #forget({ token, call, stopClock }: Suspension): void {
    this.#byToken.delete(token);
    this.#byCall.delete(call);
    stopClock();
  }

  #refuse({ id }: Request, message: string): void {
    this.#shared.answer(id, failure(id, { code: INVALID_PARAMS, message }));
  }

  #nameNext(): string {
    this.#lastName += 1;
    return `question-${this.#lastName}`;
  }
}

function refuseAll(peer: Peer, questions: Iterable<Asked>, message: string): void {
  for (const { id } of questions) peer.send(failure(id, { code: INTERNAL_ERROR, message }));
}

/** What a request is for, as the client calls it. */
export function readTarget(message: Request): string | undefined {
  return message.string(message.param('name') ?? message.param('uri'));
}

/** Without the id of a visit to a URL, and without a progress token: both mean nothing without a handshake. */
function writeQuestion(message: Request): Buffer {
  const { method, params } = message;
  const start = Buffer.from(`{"method":${JSON.stringify(method)}`);
  if (params === undefined) return Buffer.concat([start, Buffer.from('}')]);
  const whole = message.bytes(params);
  const span = { start: 0, end: whole.length };
  const meta = memberOf(whole, span, '_meta');
  const splices = [
    ...(meta === undefined ? [] : removeMembers(whole, meta, (name) => name === 'progressToken')),
    ...removeMembers(whole, span, (name) => name === 'elicitationId'),
  ];
  return Buffer.concat([start, Buffer.from(',"params":'), ...splice([whole], splices), Buffer.from('}')]);
}

function writeResult({ token, asked, peer }: Suspension): Buffer {
  const requests = [...asked].flatMap(([name, { request }], index) => [
    Buffer.from(`${index === 0 ? '' : ','}"${name}":`),
    request,
  ]);
  const signature = peer.info === undefined ? '' : `,"_meta":{"${SERVER_KEY}":${peer.info}}`;
  return Buffer.concat([
    Buffer.from('{"resultType":"input_required","inputRequests":{'),
    ...requests,
    Buffer.from(`},"requestState":${JSON.stringify(token)}${signature}}`),
  ]);
}
