/** Takes a session's stdout over, line by line, for more traffic than an inbox can hold. Every line is judged. */
import { expect, onTestFinished } from 'vitest';
import type { Session } from '../support/session.ts';
import { type Answer, History, type Sent } from './history.ts';

export interface Call extends Sent {
  readonly tool: string;
  readonly args: unknown;
  /** Its progress token, raw. */
  readonly token?: string;
}

export class Traffic {
  readonly history: History = new History();
  /** Milliseconds from asking to being answered. */
  readonly latencies: number[] = [];
  /** The methods of all that came beside answers. */
  readonly heard: Set<string> = new Set();
  readonly #session: Session;
  readonly #since = new Map<string, number>();
  readonly #problems: string[] = [];
  #parts: Buffer[] = [];
  #onAnswer: () => void = () => {};

  /** To be made while nothing is under way. */
  constructor(session: Session) {
    this.#session = session;
    session.child.stdout.removeAllListeners('data');
    session.child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    onTestFinished(() => expect(this.#problems).toEqual([]));
  }

  /** Makes calls for as long as there is a next one, so many of them at a time. */
  async run(inFlight: number, next: () => Call | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fill = (): void => {
        let lines = '';
        let isOver = false;
        while (this.history.open < inFlight && !isOver) {
          const call = next();
          isOver = call === undefined;
          if (call !== undefined) lines += this.#write(call);
        }
        if (lines !== '') this.#session.write(lines);
        if (isOver && this.history.open === 0) resolve();
      };
      this.#onAnswer = fill;
      void this.#session.exited.then((exit) =>
        reject(new Error(`The command ended: ${JSON.stringify(exit)}\n${this.#session.stderr.slice(-2000)}`)),
      );
      fill();
    });
  }

  /** The latency that so many of a hundred calls stay below. */
  percentile(percent: number): number {
    const sorted = this.latencies.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
  }

  #write(call: Call): string {
    this.history.send(call);
    this.#since.set(call.id, performance.now());
    const { id, tool, args, token } = call;
    const params = JSON.stringify({ name: tool, arguments: args }).slice(1);
    const meta = token === undefined ? '' : `"_meta":{"progressToken":${token}},`;
    return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{${meta}${params}}\n`;
  }

  #receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...this.#parts, chunk.subarray(start, end)]).toString();
      this.#parts = [];
      start = end + 1;
      this.#accept(line);
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
    this.#onAnswer();
  }

  #accept(line: string): void {
    const message = JSON.parse(line) as Answer;
    const problem = this.#session.judge.findProblem(message);
    if (problem !== undefined && this.#problems.length < 20) this.#problems.push(`${problem}: ${line}`);
    if (typeof message.method === 'string') this.heard.add(message.method);
    const id = this.history.receive(message, line);
    const since = id === undefined ? undefined : this.#since.get(id);
    if (id === undefined || since === undefined) return;
    this.#since.delete(id);
    this.latencies.push(performance.now() - since);
  }
}
