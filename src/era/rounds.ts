/** A call of a handshake client at a stateless server: what the server wants to know, the client is asked, and the call is made again. */
import type { Call } from '../protocol/calls.ts';
import type { Conversation } from '../protocol/conversation.ts';
import { blame, type Peer } from '../protocol/peer.ts';
import type { Answer, Request } from '../wire/envelope.ts';
import { memberOf } from '../wire/json.ts';
import { failure, notification, request } from '../wire/messages.ts';
import { type Splice, splice } from '../wire/splice.ts';
import { declares } from '../protocol/declared.ts';
import { type Demand, MOST_ROUNDS, readDemand, type Wish, writeAnswers } from './demand.ts';
import { insertMembers } from './members.ts';
import type { Bridge, Capabilities, Tools } from './types.ts';

/** Before a server that only wants to be asked again is asked again. */
const PAUSE_MS = 250;

export class Rounds implements Bridge {
  readonly target: string | undefined = undefined;
  readonly #shared: Conversation;
  readonly #tools: Tools;
  readonly #message: Request;
  /** What is changed in the request for this server. */
  readonly #splices: readonly Splice[];
  readonly #capabilities: Capabilities;
  /** Our ids of what the client has been asked and has not answered. */
  readonly #open = new Set<string>();
  /** Whether the server has had its say, and the client or a pause is waited for. */
  #isAway = false;
  #count = 0;

  constructor(shared: Conversation, tools: Tools, message: Request, splices: readonly Splice[]) {
    this.#shared = shared;
    this.#tools = tools;
    this.#message = message;
    this.#splices = splices;
    this.#capabilities = shared.legacy?.declared ?? {};
  }

  raise(peer: Peer, call: Call, answer: Answer): readonly Splice[] | undefined {
    const demand = readDemand(answer);
    if (demand === undefined) return [];
    this.#count += 1;
    // Put back at once: it can be cancelled, and the server can die, while the client thinks.
    const next = peer.calls.addAgain(call);
    this.#isAway = true;
    const problem = this.#findProblem(peer, demand);
    if (problem === undefined) this.#askAll(peer, next, demand);
    else this.#fail(peer, next, problem);
    return undefined;
  }

  cancel(): boolean {
    this.#withdraw();
    return this.#isAway;
  }

  /** Why the call cannot go on, to follow the name of the server. */
  #findProblem({ key }: Peer, { wishes, state }: Demand): string | undefined {
    if (this.#count > MOST_ROUNDS) return `asked for input more than ${MOST_ROUNDS} times`;
    if (wishes.length === 0 && state === undefined) return 'asked for input, but did not say for which';
    if (this.#shared.questions.isFull(key, wishes.length))
      return 'asked for more input than a client is asked for at once';
    const refused = wishes.find((wish) => !declares(this.#capabilities, wish.method, isUrl(wish)));
    return refused && `needs "${refused.method}", which the client did not declare`;
  }

  #askAll(peer: Peer, call: Call, demand: Demand): void {
    const answers = new Map<string, string>();
    if (demand.wishes.length === 0) {
      this.#tools.later(PAUSE_MS, () => this.#sendAgain(peer, call, answers, demand));
      return;
    }
    for (const { name, method, params } of demand.wishes) {
      const question = this.#shared.questions.addOwn(peer.key, method, (answer) => {
        this.#open.delete(question.id);
        if (answer.result !== undefined) answers.set(name, answer.bytes(answer.result).toString());
        else this.#giveUp(peer, call, answer);
        if (this.#open.size === 0 && answer.result !== undefined)
          this.#sendAgain(peer, call, answers, demand);
      });
      this.#open.add(question.id);
      this.#shared.toClient(request(question.id, method, params && this.#adapt(method, params, question.id)));
    }
  }

  /** The client could not answer: the call fails with its words, and nothing more is asked. */
  #giveUp(peer: Peer, call: Call, answer: Answer): void {
    this.#withdraw();
    if (!peer.calls.has(call)) return;
    peer.calls.take(call.sentId);
    const bytes = Buffer.from(call.id, 'latin1');
    this.#shared.answer(call.id, ...splice(answer.pieces, [{ span: answer.idSpan, bytes }]));
  }

  #withdraw(): void {
    for (const id of this.#open) {
      if (this.#shared.questions.take(id) === undefined) continue;
      this.#shared.toClient(notification('notifications/cancelled', `{"requestId":${id}}`));
    }
    this.#open.clear();
  }

  /** A new request with the old params, the answers, and what the server wants back. */
  #sendAgain(peer: Peer, call: Call, answers: ReadonlyMap<string, string>, demand: Demand): void {
    const { line, params, pieces, idSpan } = this.#message;
    if (params === undefined || !peer.calls.has(call)) return;
    this.#isAway = false;
    const members = writeAnswers(answers, demand);
    const id = { span: idSpan, bytes: Buffer.from(call.sentId) };
    const added = members.length === 0 ? [] : [insertMembers(line, params, members.join(','))];
    peer.send(...splice(pieces, [...added, ...this.#splices, id]));
  }

  /** The last version with a handshake wants an id for every URL. */
  #adapt(method: string, params: Buffer, id: string): Buffer {
    const whole = { start: 0, end: params.length };
    const isPlain = method !== 'elicitation/create' || !isUrl({ name: '', method, params });
    if (isPlain || memberOf(params, whole, 'elicitationId') !== undefined) return params;
    const added = insertMembers(params, whole, `"elicitationId":"${this.#tools.createSecret()}-${id}"`);
    return Buffer.concat(splice([params], [added]));
  }

  #fail(peer: Peer, call: Call, what: string): void {
    peer.calls.take(call.sentId);
    this.#shared.answer(call.id, failure(call.id, blame(peer, what)));
  }
}

function isUrl({ params }: Wish): boolean {
  const mode = params && memberOf(params, { start: 0, end: params.length }, 'mode');
  return mode !== undefined && params?.toString('utf8', mode.start, mode.end) === '"url"';
}
