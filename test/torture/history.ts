/** Remembers every call and what came back: each is answered once, by the right server, with its own nonce. Sends nothing. */

export interface Sent {
  /** Raw, as it stands in the line. */
  readonly id: string;
  /** The text that this call and no other is answered with. */
  readonly expected: string;
  /** Whether it may be answered with an error instead, because its server is being killed. */
  readonly mayFail?: boolean;
}

export interface Answer {
  id?: unknown;
  method?: unknown;
  result?: { content?: { text?: string }[] };
  error?: { code: number; message: string };
}

export class History {
  readonly #open = new Map<string, Sent>();
  /** What was wrong, in sentences. */
  readonly problems: string[] = [];
  answered = 0;
  failed = 0;

  get open(): number {
    return this.#open.size;
  }

  send(sent: Sent): void {
    if (this.#open.has(sent.id)) throw new Error(`${sent.id} is in use`);
    this.#open.set(sent.id, sent);
  }

  /** Gives the id of the call that this line answers. */
  receive(answer: Answer, raw: string): string | undefined {
    if (answer.method !== undefined) return undefined;
    const id = JSON.stringify(answer.id);
    const sent = this.#open.get(id);
    if (sent === undefined) {
      this.#complain(`Answered, but nobody waits for it: ${raw}`);
      return undefined;
    }
    this.#open.delete(id);
    this.#check(answer, sent, raw);
    return id;
  }

  /** To be asked when all is over. */
  conclude(): string[] {
    return [...this.problems, ...[...this.#open.keys()].map((id) => `Never answered: ${id}`)];
  }

  #check({ result, error }: Answer, { expected, mayFail = false }: Sent, raw: string): void {
    if (error !== undefined && mayFail) {
      this.failed += 1;
      return;
    }
    this.answered += 1;
    if (result?.content?.[0]?.text !== expected) this.#complain(`Not "${expected}": ${raw.slice(0, 500)}`);
  }

  #complain(problem: string): void {
    if (this.problems.length < 20) this.problems.push(problem);
  }
}
