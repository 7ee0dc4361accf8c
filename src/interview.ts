/** Asks a server who it is and what it has: how it greets, then its lists. Keeps nothing. */
import { CLOCK } from './clock.ts';
import type { NodeStdioMcpConnection } from './connection.ts';
import { Greeter, type Greeting, readCapabilities } from './era/greeting.ts';
import type { Opening } from './protocol/handshake.ts';
import { KINDS, type KindName } from './protocol/kinds.ts';
import { EMPTY_LIST, readList, type ServerList } from './protocol/lists.ts';
import { BATCH_VERSION } from './wire/batch.ts';
import { McpError } from './wire/error.ts';
import { type Json, METHOD_NOT_FOUND } from './wire/messages.ts';

export interface Findings extends Greeting {
  readonly lists: Readonly<Record<KindName, ServerList>>;
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

  /** One of its lists, as it is now. One that the server advertises but does not give counts as empty: real servers do that. */
  async readList(kind: KindName): Promise<ServerList> {
    if (!this.#capabilities.has(KINDS[kind].capability)) return EMPTY_LIST;
    try {
      return await readList((method, params) => this.#greeter.request(method, params), KINDS[kind]);
    } catch (error) {
      // Many servers have resources but no templates, and say so this way.
      if (error instanceof McpError && error.code === METHOD_NOT_FOUND) return EMPTY_LIST;
      const reason = error instanceof Error ? error.message : String(error);
      const finding = `${KINDS[kind].list} failed, so it counts as empty: ${reason}`;
      return { items: [], findings: this.#connection.isConnected ? [finding] : [] };
    }
  }
}
