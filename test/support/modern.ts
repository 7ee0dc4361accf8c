/** Config entries for the server of the stateless era, and a client of that era. Starts nothing by itself. */
import { join } from 'node:path';
import type { Message } from './inbox.ts';
import { type ServerEntry, Session, type SessionOptions } from './session.ts';

const SERVER: string = join(import.meta.dirname, '../fixtures/modern.mjs');
export const KEY = 'io.modelcontextprotocol/';

export interface ModernOptions {
  /** What it calls itself in what it says. */
  name?: string;
  capabilities?: Record<string, unknown>;
  instructions?: string;
  tools?: string[];
  prompts?: string[];
  resources?: string[];
  /** URIs that can be read but are in no list; to read one that ends with "?", the roots have to be known. */
  hidden?: string[];
  /** Whether it takes a handshake too. */
  legacyToo?: boolean;
  /** Reads nothing before this file has this text. */
  after?: [file: string, text: string];
  /** File that receives every line that the server receives. */
  record?: string;
}

/** All that a server of the stateless era can say it has. */
export const ALL = {
  completions: {},
  logging: {},
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  tools: { listChanged: true },
};

export function modern(options: ModernOptions = {}): ServerEntry {
  return { command: 'node', args: [SERVER, JSON.stringify({ capabilities: ALL, ...options })] };
}

export interface InputRequired {
  resultType: string;
  inputRequests: Record<string, { method: string; params: Record<string, unknown> }>;
  requestState: string;
}

/** A client without a handshake: every request says who it is. */
export class ModernSession extends Session {
  capabilities: Record<string, unknown> = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  logLevel: string | undefined;

  get meta(): Record<string, unknown> {
    return {
      [`${KEY}protocolVersion`]: '2026-07-28',
      [`${KEY}clientInfo`]: { name: 'story', version: '1' },
      [`${KEY}clientCapabilities`]: this.capabilities,
      ...(this.logLevel !== undefined && { [`${KEY}logLevel`]: this.logLevel }),
    };
  }

  override async request(
    method: string,
    params: Record<string, unknown> = {},
    id?: string,
  ): Promise<Message> {
    const _meta = { ...this.meta, ...(params['_meta'] as object | undefined) };
    return super.request(method, { ...params, _meta }, id);
  }

  /** Sends a request and waits for nothing. */
  begin(method: string, params: Record<string, unknown>, id: string): void {
    const _meta = { ...this.meta, ...(params['_meta'] as object | undefined) };
    this.write(
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify({ ...params, _meta })}}\n`,
    );
  }

  cancel(id: string): void {
    this.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}\n`);
  }
}

export function startModern(options: SessionOptions): ModernSession {
  return new ModernSession(options);
}

export function readQuestions(message: Message): InputRequired {
  const result = message.result as InputRequired | undefined;
  if (result?.resultType !== 'input_required') throw new Error(`No question in ${message.raw.slice(0, 500)}`);
  return result;
}
