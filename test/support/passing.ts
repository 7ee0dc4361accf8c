/** Config entries for the server that offers everything, and what a story sees of the lines it receives. Starts nothing. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './deadline.ts';
import { makeFolder, type ServerEntry } from './session.ts';

const SERVER: string = join(import.meta.dirname, '../fixtures/passing.mjs');
const WAIT_MS = 60_000;

/** All that a server of the handshake era can say it has. */
const ALL = {
  completions: {},
  logging: {},
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  tools: { listChanged: true },
};

type Listed = string | Record<string, unknown>;

export interface PassingOptions {
  /** What it calls itself in what it says. */
  name?: string;
  capabilities?: Record<string, unknown>;
  instructions?: string;
  version?: string;
  /** Names or whole definitions; without `tools`, those that a story tells what to do. */
  tools?: Listed[];
  prompts?: Listed[];
  resources?: Listed[];
  resourceTemplates?: Listed[];
  tasks?: Listed[];
  /** URIs that can be read but are in no list. */
  hidden?: string[];
  /** The code for a URI that it does not have. */
  notFound?: number;
  pageSize?: number;
  /** Raw reply members by method, such as `"result":{}`. */
  replies?: Record<string, string>;
  /** Methods that are answered only when the tool `release` is called. */
  hold?: string[];
  /** Raw lines that it writes as soon as it may. */
  prologue?: string[];
  /** Reads nothing before this file has this text. */
  after?: [file: string, text: string];
  /** File that receives every line that the server receives. */
  record?: string;
}

export function passing(options: PassingOptions = {}): ServerEntry {
  return { command: 'node', args: [SERVER, JSON.stringify({ capabilities: ALL, ...options })] };
}

export interface Received {
  raw: string;
  id: unknown;
  method: string | undefined;
  params: Record<string, unknown> | undefined;
  result: unknown;
  error: unknown;
}

/** Every line that one server has received. */
export class Recording {
  readonly file: string = join(makeFolder(), 'record');

  all(): Received[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').split('\n').slice(0, -1);
    return lines.map((raw) => ({ ...(JSON.parse(raw) as Received), raw }));
  }

  of(method: string): Received[] {
    return this.all().filter((one) => one.method === method);
  }

  /** Waits for a line that the server has received or will receive. */
  async line(matches: (received: Received) => boolean): Promise<Received> {
    let found: Received | undefined;
    await until(
      WAIT_MS,
      () => (found = this.all().find((one) => matches(one))) !== undefined,
      () =>
        `a line for the server; it received\n${this.all()
          .map(({ raw }) => raw)
          .join('\n')}`,
    );
    return found as unknown as Received;
  }

  async first(method: string): Promise<Received> {
    return this.line((one) => one.method === method);
  }
}
