/** The requests of servers that the client still owes an answer to. Each gets an id of ours: servers' ids may be alike. */
import type { Answer, Request } from '../wire/envelope.ts';
import { readLoosely } from './calls.ts';

export interface Question {
  /** Our id, raw. */
  readonly id: string;
  readonly key: string;
  readonly method: string;
  /** The server's id, raw. */
  readonly serverId: string;
  /** The server's progress token, raw; the client is given our id in its place. */
  readonly serverToken: string | undefined;
  /** Takes the answer, when it is not for the server as it is. */
  readonly onAnswer?: (answer: Answer) => void;
}

/** No client has so many dialogs open; a server that asks more is refused, before it fills the memory. */
const MOST_QUESTIONS = 1000;
export const TOO_MANY_QUESTIONS: string = `The client owes answers to ${MOST_QUESTIONS} questions of this server already`;

export class Questions {
  readonly #byId = new Map<string, Question>();
  /** By server and the server's own id: a server that takes back what it never asked must not make us search. */
  readonly #byServerId = new Map<string, Set<Question>>();
  readonly #counts = new Map<string, number>();
  #lastId = 0;

  add(key: string, message: Request): Question {
    const token = message.meta('progressToken');
    const question: Question = {
      id: String(++this.#lastId),
      key,
      method: message.method,
      serverId: message.id,
      serverToken: token && message.text(token),
    };
    const place = locate(question);
    this.#keep(question);
    this.#byServerId.set(place, (this.#byServerId.get(place) ?? new Set()).add(question));
    return question;
  }

  /** One that is asked on behalf of a server that cannot ask by itself. */
  addOwn(key: string, method: string, onAnswer: (answer: Answer) => void): Question {
    const id = String(++this.#lastId);
    const question: Question = { id, key, method, serverId: '', serverToken: undefined, onAnswer };
    this.#keep(question);
    return question;
  }

  take(id: string): Question | undefined {
    const question = this.find(id);
    if (question !== undefined) this.#drop(question);
    return question;
  }

  /** The question that the client means: it may write our number in its own way, or as a string. */
  find(id: string): Question | undefined {
    return this.#byId.get(id) ?? this.#byId.get(readLoosely(id));
  }

  /** Whether a server has one open. */
  has(key: string): boolean {
    return this.#counts.has(key);
  }

  /** Whether a server that asks this many more asks more than it may. */
  isFull(key: string, more = 1): boolean {
    return (this.#counts.get(key) ?? 0) + more > MOST_QUESTIONS;
  }

  /** Takes the question that its own server takes back. */
  takeByServerId(key: string, serverId: string): Question | undefined {
    const [first] = this.#byServerId.get(locate({ key, serverId })) ?? [];
    return first && this.take(first.id);
  }

  /** Takes all questions of a server that is gone. */
  takeAllOf(key: string): Question[] {
    const questions = [...this.#byId.values()].filter((question) => question.key === key);
    for (const question of questions) this.#drop(question);
    return questions;
  }

  #keep(question: Question): void {
    this.#byId.set(question.id, question);
    this.#counts.set(question.key, (this.#counts.get(question.key) ?? 0) + 1);
  }

  #drop(question: Question): void {
    const left = (this.#counts.get(question.key) ?? 0) - 1;
    if (left > 0) this.#counts.set(question.key, left);
    else this.#counts.delete(question.key);
    const place = locate(question);
    const same = this.#byServerId.get(place);
    same?.delete(question);
    if (same?.size === 0) this.#byServerId.delete(place);
    this.#byId.delete(question.id);
  }
}

function locate({ key, serverId }: Pick<Question, 'key' | 'serverId'>): string {
  return `${key}\0${serverId}`;
}
