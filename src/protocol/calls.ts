/** The requests of the client that one server still owes an answer to. */
import type { Bridge, Claim } from '../era/types.ts';
import type { Answer, Request } from '../wire/envelope.ts';
import { parse } from '../wire/json.ts';
import { OWN_ID_START } from '../wire/messages.ts';

export interface Call {
  /** The client's id, raw; another one when the client comes back to the call. */
  id: string;
  /** The id the server was given: the client's own wherever that is safe, so that answers pass untouched. */
  sentId: string;
  readonly method: string;
  /** The client's progress token, raw. */
  readonly token: string | undefined;
  /** The request itself, kept only if it may be sent again. */
  repeatable: Request | undefined;
  /** What the client said of itself, in an era in which every request does. */
  claim: Claim | undefined;
  /** Between a client and a server of different eras; undefined for all others. */
  readonly bridge: Bridge | undefined;
  /** While the client has been sent away with a question: keeps the answer for when it comes back. */
  hold: ((finish: Finish) => void) | undefined;
  /** Whether the client named the server itself, by its key: then the answer says nothing of whose a URI is without it. */
  isByKey: boolean;
  /** While nobody is known to have what is asked for: asks the next server. `fail` tells the client that this one does not. */
  elsewhere: Elsewhere | undefined;
  /** The progress token of the request with which the client came back; empty while it is away, or if it has none. */
  heardAs: string | undefined;
}

/** `refusal` is the answer of the server, if it lived to give one. */
export type Elsewhere = (fail: () => void, refusal?: Answer) => void;

/** Writes the answer to a call, under the id that the client waits for. */
export type Finish = (id: string) => readonly Buffer[];

/** No escapes, no fractions, no more digits than a server's numbers may have. */
const PLAIN_ID = /^(?:0|-?[1-9]\d{0,14}|"[ !#-[\]-~]*")$/;

const REMEMBERED_TOKENS = 1000;

export class Calls {
  readonly #bySentId = new Map<string, Call>();
  /** By what the token means: a server gives it back as its own JSON writes it. */
  readonly #byToken = new Map<string, Call>();
  /** The same for tokens, raw, of calls that became tasks: progress goes on after that answer. */
  readonly #taskTokens = new Map<string, string>();
  #lastAlias = 0;

  get size(): number {
    return this.#bySentId.size;
  }

  get inFlight(): Iterable<Call> {
    return this.#bySentId.values();
  }

  add(message: Request, isRepeatable = false, claim?: Claim, bridge?: Bridge): Call {
    const { id, method } = message;
    const token = message.meta('progressToken');
    const call: Call = {
      id,
      sentId: this.#chooseId(id),
      method,
      token: token && message.text(token),
      repeatable: isRepeatable ? message : undefined,
      claim,
      bridge,
      hold: undefined,
      isByKey: false,
      elsewhere: undefined,
      heardAs: undefined,
    };
    return this.#register(call);
  }

  /** Puts back a call that was taken, to be sent once more under an id of its own. */
  addAgain(call: Call): Call {
    call.sentId = this.#nextAlias();
    call.elsewhere = undefined;
    return this.#register(call);
  }

  has(call: Call): boolean {
    return this.#bySentId.get(call.sentId) === call;
  }

  /** Takes the call that a server's answer belongs to; each call is given out once. */
  take(answerId: string): Call | undefined {
    const call = this.#bySentId.get(answerId) ?? this.#bySentId.get(readLoosely(answerId));
    if (call !== undefined) this.#drop(call);
    return call;
  }

  /** Takes the call with this id of the client's. */
  takeByClientId(id: string): Call | undefined {
    const direct = this.#bySentId.get(id);
    const call = direct?.id === id ? direct : [...this.#bySentId.values()].find((other) => other.id === id);
    if (call !== undefined) this.#drop(call);
    return call;
  }

  takeAll(): Call[] {
    const calls = [...this.#bySentId.values()];
    this.#bySentId.clear();
    this.#byToken.clear();
    this.#taskTokens.clear();
    return calls;
  }

  /** The call was answered with a task, which goes on under its token. */
  keepToken({ token }: Call): void {
    if (token === undefined) return;
    const [oldest] = this.#taskTokens.keys();
    if (oldest !== undefined && this.#taskTokens.size === REMEMBERED_TOKENS) this.#taskTokens.delete(oldest);
    this.#taskTokens.set(readMeaning(token), token);
  }

  /** The token, raw, under which the client hears of what a server reports under this one; undefined when it is not to. */
  findToken(sent: string): string | undefined {
    const meaning = readMeaning(sent);
    const call = this.#byToken.get(meaning);
    const token = call === undefined ? this.#taskTokens.get(meaning) : (call.heardAs ?? call.token);
    return token === '' ? undefined : token;
  }

  #register(call: Call): Call {
    this.#bySentId.set(call.sentId, call);
    if (call.token !== undefined) this.#byToken.set(readMeaning(call.token), call);
    return call;
  }

  /** The client's own, if a reply to it can be recognised whatever the server does to it on the way. */
  #chooseId(id: string): string {
    const isSafe = PLAIN_ID.test(id) && !id.startsWith(OWN_ID_START) && !this.#bySentId.has(id);
    return isSafe ? id : this.#nextAlias();
  }

  #nextAlias(): string {
    return `${OWN_ID_START}call/${++this.#lastAlias}"`;
  }

  #drop(call: Call): void {
    this.#bySentId.delete(call.sentId);
    const meaning = call.token && readMeaning(call.token);
    if (meaning !== undefined && this.#byToken.get(meaning) === call) this.#byToken.delete(meaning);
  }
}

/** One text for all ways to write a token: 1.0 comes back as 1, `\u00e9` as the letter. */
function readMeaning(token: string): string {
  if (PLAIN_ID.test(token) || !/^["\d-]/.test(token)) return token;
  return JSON.stringify(parse(Buffer.from(token, 'latin1').toString()));
}

/** The id of somebody who answers "5" or 5.0 to 5. */
export function readLoosely(id: string): string {
  const [, digits] = /^"?(-?\d[\d.eE+]*)"?$/.exec(id) ?? [];
  const number = Number(digits);
  return Number.isSafeInteger(number) ? String(number) : id;
}
