/** The conversation around one call: progress and log messages shown, questions asked, rounds of input gone through. */
import type { ServerConfig } from '../../config/load.ts';
import { type Demand, MOST_ROUNDS, readDemand, writeAnswers } from '../../era/demand.ts';
import { type Envelope, isRequest } from '../../wire/envelope.ts';
import { parse } from '../../wire/json.ts';
import { failure, INVALID_PARAMS, success } from '../../wire/messages.ts';
import type { Probe } from '../stage/probe.ts';
import type { Task } from '../stage/progress.ts';
import type { Stage } from '../stage/stage.ts';
import { Questions } from './questions.ts';

const CAPABILITIES = { elicitation: { form: {}, url: {} } };
const PROGRESS_TOKEN = 'call';
const WAIT_FOR_EVER = 0;

export class Exchange {
  readonly #stage: Stage;
  readonly #showsStderr: boolean;
  readonly #questions: Questions;
  readonly #tasks = new Map<string, Task>();
  /** Questions are asked one after the other. */
  #asking: Promise<unknown> = Promise.resolve();

  constructor(stage: Stage, { debug }: { readonly debug: boolean }) {
    this.#stage = stage;
    this.#showsStderr = debug;
    this.#questions = new Questions({ input: process.stdin, output: process.stderr });
  }

  start(server: ServerConfig): Probe {
    const { key } = server;
    const task = this.#stage.progress.begin(this.#stage.clean(key));
    task.hint('starting');
    this.#tasks.set(key, task);
    return this.#stage.start(server, {
      capabilities: CAPABILITIES,
      onStderr: (line) => {
        if (this.#showsStderr) this.#print(key, 'stderr', line);
      },
      onMessage: (message, probe) => this.#receive(message, probe),
    });
  }

  /** The result as JSON text, as the server wrote it; the inputs are JSON text too. */
  async call(probe: Probe, tool: string, inputs: string): Promise<string> {
    this.#tasks.get(probe.key)?.hint('working');
    const members = [
      `"name":${JSON.stringify(tool)}`,
      `"arguments":${inputs}`,
      `"_meta":{"progressToken":"${PROGRESS_TOKEN}"}`,
    ];
    let answers: string[] = [];
    for (let round = 0; ; round += 1) {
      const params = probe.complete(`{${[...members, ...answers].join(',')}}`);
      const answer = await probe.connection.request('tools/call', params, { timeoutMs: WAIT_FOR_EVER });
      const demand = readDemand(answer);
      if (demand === undefined) return answer.result ? answer.bytes(answer.result).toString() : 'null';
      if (round === MOST_ROUNDS) {
        throw new Error(`The server wants to know more after ${MOST_ROUNDS} rounds of questions: given up`);
      }
      answers = await this.#collect(probe, demand);
    }
  }

  close(): void {
    this.#questions.close();
  }

  /** What a server of the stateless era wants to know before it goes on. */
  async #collect(probe: Probe, demand: Demand): Promise<string[]> {
    const answers = new Map<string, string>();
    for (const { name, method, params } of demand.wishes) {
      if (method !== 'elicitation/create')
        throw new Error(`The server asks "${method}", which "call" cannot answer: an MCP client may`);
      const answer = await this.#ask(probe.key, params && parse(params.toString()));
      answers.set(name, JSON.stringify(answer));
    }
    return writeAnswers(answers, demand);
  }

  #receive(message: Envelope, probe: Probe): boolean {
    const params = message.params && message.value(message.params);
    if (!isRequest(message)) {
      this.#note(message.method, params, probe.key);
      return true;
    }
    if (message.method !== 'elicitation/create') {
      if (message.method !== 'ping') this.#refuse(probe.key, message.method);
      return false;
    }
    const { id } = message;
    this.#ask(probe.key, params).then(
      (answer) => probe.connection.send(...success(id, JSON.stringify(answer))),
      (error: Error) => probe.connection.send(failure(id, { code: INVALID_PARAMS, message: error.message })),
    );
    return true;
  }

  /** The server is told the same by whoever answers it; the person should know why the call may fail. */
  #refuse(key: string, method: string): void {
    this.#print(key, 'asks', `"${method}", which "call" cannot answer: an MCP client may`);
  }

  #note(method: string | undefined, params: unknown, key: string): void {
    const { progress, total, message, level, data } = (params ?? {}) as Record<string, unknown>;
    if (method === 'notifications/progress') {
      const count = typeof total === 'number' ? `${String(progress)} of ${total}` : String(progress);
      const text = typeof message === 'string' ? `${count}: ${message}` : count;
      this.#tasks.get(key)?.say(this.#stage.clean(text));
    } else if (method === 'notifications/message') {
      this.#print(key, String(level), typeof data === 'string' ? data : JSON.stringify(data));
    }
  }

  async #ask(key: string, params: unknown): Promise<unknown> {
    const { progress, clean } = this.#stage;
    const answer = this.#asking.then(async () => {
      progress.pause();
      try {
        return await this.#questions.ask(clean(key), params ?? {});
      } finally {
        progress.resume();
      }
    });
    this.#asking = answer.catch(() => {});
    return answer;
  }

  #print(key: string, kind: string, text: string): void {
    const { progress, clean, paintError } = this.#stage;
    progress.print(paintError('dim', `${clean(key)} ${clean(kind)} | ${clean(text)}`));
  }
}
