/** Asks a server who it is and what it has: how it greets, then its lists. Keeps nothing. */
import { CLOCK } from '../clock.ts';
import { Greeter, type Greeting, readCapabilities } from '../era/greeting.ts';
import type { Facts } from '../memory/facts.ts';
import type { Opening } from '../protocol/handshake.ts';
import { byKind, KINDS, type KindName } from '../protocol/kinds.ts';
import { EMPTY_LIST, readList, type ServerList } from '../protocol/lists.ts';
import { BATCH_VERSION } from '../wire/batch.ts';
import { McpError } from '../wire/error.ts';
import { type Json, METHOD_NOT_FOUND } from '../wire/messages.ts';
import type { NodeStdioMcpConnection } from './connection.ts';

export interface Findings extends Greeting {
  readonly lists: Readonly<Record<KindName, ServerList>>;
}

/** What is worth remembering of what a server answered. */
export function extractFacts({ lists, ...rest }: Findings): Facts {
  return { ...rest, lists: byKind((kind) => lists[kind].items) };
}

export class Interview {
  readonly #connection: NodeStdioMcpConnection;
  readonly #greeter: Greeter;
  #capabilities: ReadonlySet<string> = new Set();

  constructor(connection: NodeStdioMcpConnection, opening: Opening, avoidsProbe: boolean) {
    this.#connection = connection;
    this.#greeter = new Greeter(connection, opening, CLOCK, avoidsProbe);
    connection.acceptsBatches = opening.protocolVersion === BATCH_VERSION;
  }

  /** Whether it has been asked something that old servers may die of. */
  get isProbing(): boolean {
    return this.#greeter.isProbing;
  }

  /** Who it is; before this, it has no lists. */
  async greet(): Promise<Greeting> {
    const greeting = await this.#greeter.greet();
    this.#capabilities = readCapabilities(greeting);
    return greeting;
  }

  /** Params of a request to it, with what every request carries in its era. */
  complete(params: Json): Json {
    return this.#greeter.complete(params) ?? params;
  }

  /** One of its lists, as it is now. One that the server advertises but does not give is no obstacle: real servers do that. */
  async readList(kind: KindName): Promise<ServerList> {
    if (!this.#capabilities.has(KINDS[kind].capability)) return EMPTY_LIST;
    try {
      return await readList((method, params) => this.#greeter.request(method, params), KINDS[kind]);
    } catch (error) {
      // Many servers have resources but no templates, and say so this way.
      if (error instanceof McpError && error.code === METHOD_NOT_FOUND) return EMPTY_LIST;
      const reason = error instanceof Error ? error.message : String(error);
      const finding = `${KINDS[kind].list} failed: ${reason}`;
      return { items: [], findings: this.#connection.isConnected ? [finding] : [], isUnread: true };
    }
  }
}
