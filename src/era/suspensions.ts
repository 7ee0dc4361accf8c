/**
 * Questions of handshake servers for a client that cannot be asked: the call that is in flight is answered with the
 * question, goes on at the server, and is taken over by the request with which the client comes back. Never runs twice.
 */
import type { Call, Finish } from '../protocol/calls.ts';
import type { Conversation } from '../protocol/conversation.ts';
import type { Peer } from '../protocol/peer.ts';
import { MOST_QUESTIONS, TOO_MANY_QUESTIONS } from '../protocol/questions.ts';
import type { Request } from '../wire/envelope.ts';
import { memberOf, membersOf } from '../wire/json.ts';
import { failure, INTERNAL_ERROR, INVALID_PARAMS, notification, success } from '../wire/messages.ts';
import type { Tools } from './bridge.ts';
import { type Claim, declares } from './claim.ts';
import { RETRIED_METHODS } from './modern.ts';

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

/** Ours begin like this; whatever else begins like this is forged or too old. */
const TOKEN_START = 'aggregator-';
const MOST_SUSPENDED = 100;
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

  static isToken(state: string): boolean {
    return state.startsWith(TOKEN_START);
  }

  /** Whether a server has a question that nobody has answered yet. */
  has(key: string): boolean {
    return [...this.#byToken.values()].some(({ peer }) => peer.key === key);
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
    else if (waiting !== undefined) this.#askMore(peer, waiting, asked);
    else return false;
    return true;
  }

  /** Whether the request is one with which the client comes back to a call that waits for it. */
  resume(message: Request, claim: Claim): boolean {
    const state = message.string(message.param('requestState'));
    if (state === undefined || !Suspensions.isToken(state)) return false;
    const suspension = this.#byToken.get(state);
    if (suspension === undefined) {
      this.#refuse(message, 'Unknown "requestState": it was never given, is used up, or has expired');
    } else if (
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

  /** Its process is gone, and with it everything that it asked. */
  down(peer: Peer): void {
    for (const suspension of this.#byToken.values()) if (suspension.peer === peer) suspension.asked.clear();
  }

  #askMore(peer: Peer, call: Call, question: Asked): void {
    const asked = this.#byCall.get(call)?.asked;
    if ((asked?.size ?? 0) >= MOST_QUESTIONS) refuseAll(peer, [question], TOO_MANY_QUESTIONS);
    else asked?.set(this.#nameNext(), question);
  }

  #suspend(peer: Peer, call: Call, questions: readonly Asked[]): void {
    if (this.#byToken.size >= MOST_SUSPENDED) {
      refuseAll(peer, questions, `The client owes answers to ${MOST_SUSPENDED} questions already`);
      return;
    }
    const token = `${TOKEN_START}${this.#tools.createSecret()}`;
    const suspension: Suspension = {
      token,
      peer,
      call,
      target: call.bridge?.target,
      asked: new Map(questions.map((asked) => [this.#nameNext(), asked])),
      stopClock: this.#tools.later(LONGEST_AWAY_MS, () => this.#expire(suspension)),
      finish: undefined,
    };
    this.#byToken.set(token, suspension);
    this.#byCall.set(call, suspension);
    this.#shared.answer(call.id, ...success(call.id, writeResult(suspension)));
    call.id = '';
    // A call that has asked something is not begun anew behind the user's back.
    call.repeatable = undefined;
    call.heardAs = '';
    call.hold = (finish) => void (suspension.finish = finish);
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
      const question = asked.get(name);
      if (question !== undefined) peer.send(...success(question.id, message.bytes(value)));
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

  #expire(suspension: Suspension): void {
    const { peer, call, asked, finish } = suspension;
    this.#forget(suspension);
    refuseAll(peer, asked.values(), 'The client did not come back in time');
    if (finish !== undefined || !peer.calls.has(call)) return;
    peer.calls.take(call.sentId);
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

function writeQuestion(message: Request): Buffer {
  const { method, params } = message;
  const start = Buffer.from(`{"method":${JSON.stringify(method)}`);
  const rest = params === undefined ? [] : [Buffer.from(',"params":'), message.bytes(params)];
  return Buffer.concat([start, ...rest, Buffer.from('}')]);
}

function writeResult({ token, asked }: Suspension): Buffer {
  const requests = [...asked].flatMap(([name, { request }], index) => [
    Buffer.from(`${index === 0 ? '' : ','}"${name}":`),
    request,
  ]);
  return Buffer.concat([
    Buffer.from('{"resultType":"input_required","inputRequests":{'),
    ...requests,
    Buffer.from(`},"requestState":${JSON.stringify(token)}}`),
  ]);
}
