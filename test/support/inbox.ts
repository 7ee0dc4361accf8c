/** Keeps every line that the command writes on stdout and hands each message out once. Judges purity; what it means, only if given a judge. */
import type { Judge } from './judge.ts';
import { elementTexts, memberText } from './raw.ts';

export interface Message {
  raw: string;
  /** The id as it is written, so that 1, 1.0 and "1" differ. */
  id: string | undefined;
  method: string | undefined;
  params: Record<string, unknown> | undefined;
  result: unknown;
  error: { code: number; message: string; data?: unknown } | undefined;
  /** The messages of an array; nothing else is there then. */
  batch?: Message[];
}

export class Inbox {
  readonly messages: Message[] = [];
  readonly impurities: string[] = [];
  #parts: Buffer[] = [];
  #taken = new Set<Message>();
  readonly #judge: Pick<Judge, 'findProblem'> | undefined;
  #waiting: { matches: (message: Message) => boolean; take: (message: Message) => void }[] = [];

  constructor(judge?: Pick<Judge, 'findProblem'>) {
    this.#judge = judge;
  }

  receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...this.#parts, chunk.subarray(start, end)]);
      this.#parts = [];
      start = end + 1;
      this.#accept(line.toString());
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
  }

  /** The next message nobody has taken that matches, now or later. */
  take(matches: (message: Message) => boolean): Promise<Message> {
    const there = this.untaken().find(matches);
    if (there !== undefined) {
      this.#taken.add(there);
      return Promise.resolve(there);
    }
    return new Promise((resolve) => {
      this.#waiting.push({ matches, take: resolve });
    });
  }

  untaken(): Message[] {
    return this.messages.filter((message) => !this.#taken.has(message));
  }

  /** What is wrong with stdout so far, an unfinished last line included. */
  listImpurities(): string[] {
    const rest = Buffer.concat(this.#parts).toString();
    return rest === '' ? this.impurities : [...this.impurities, `Unfinished line: ${rest.slice(0, 200)}`];
  }

  #accept(raw: string): void {
    const message = this.#read(raw);
    if (message === undefined) return;
    this.messages.push(message);
    const index = this.#waiting.findIndex(({ matches }) => matches(message));
    if (index === -1) return;
    this.#taken.add(message);
    this.#waiting.splice(index, 1)[0]?.take(message);
  }

  #read(raw: string): Message | undefined {
    try {
      const value: unknown = JSON.parse(raw);
      const problem = this.#judge?.findProblem(value);
      if (problem !== undefined) this.impurities.push(`${problem}: ${raw.slice(0, 500)}`);
      return Array.isArray(value) ? readBatch(raw) : readOne(raw, value);
    } catch (error) {
      this.impurities.push(`${String(error)}: ${raw.slice(0, 200)}`);
      return undefined;
    }
  }
}

function readOne(raw: string, value: unknown): Message {
  const { jsonrpc, method, params, result, error } = value as Message & { jsonrpc: unknown };
  if (jsonrpc !== '2.0') throw new Error('No "jsonrpc": "2.0"');
  return { raw, id: memberText(raw, 'id'), method, params, result, error };
}

function readBatch(raw: string): Message {
  const batch = elementTexts(raw).map((one) => readOne(one, JSON.parse(one)));
  return {
    raw,
    id: undefined,
    method: undefined,
    params: undefined,
    result: undefined,
    error: undefined,
    batch,
  };
}
