/** Asks a server who it is and what it has: in which era it speaks, then its lists. Keeps nothing. */
import type { Facts } from './cache.ts';
import type { NodeStdioMcpConnection } from './connection.ts';
import { addMeta, type Meta, readMember } from './era/envelope.ts';
import { DISCOVER, type Era, MODERN_VERSION, SERVER_KEY, TASKS_EXTENSION } from './era/modern.ts';
import type { Opening } from './protocol/handshake.ts';
import { KINDS, type KindName } from './protocol/kinds.ts';
import { EMPTY_LIST, readList, type ServerList } from './protocol/lists.ts';
import { BATCH_VERSION } from './wire/batch.ts';
import type { Answer } from './wire/envelope.ts';
import { McpError } from './wire/error.ts';
import { isObject, parse } from './wire/json.ts';
import { METHOD_NOT_FOUND, notification } from './wire/messages.ts';

/** What it says first. */
export interface Greeting {
  readonly era: Era;
  /** The result of `initialize` or `server/discover`, in the server's bytes. */
  readonly welcome: Buffer;
}

export interface Findings extends Greeting {
  /** Whether it would not answer `server/discover`, not even with an error. */
  readonly avoidsProbe: boolean;
  readonly lists: Readonly<Record<KindName, ServerList>>;
}

/** A server that has not answered by then knows no `server/discover`; real clients wait as long. */
const PROBE_MS = 3000;

export class Interview {
  readonly #connection: NodeStdioMcpConnection;
  readonly #opening: Opening;
  #avoidsProbe: boolean;
  #capabilities: ReadonlySet<string> = new Set();
  /** What each request carries, in an era in which every request does. */
  #meta: Meta | undefined;
  /** Whether it has been asked and has not answered, not even with an error. */
  #isSilent = false;
  /** Whether the question is out that old servers may die of. */
  isProbing = false;

  /** With the client's own words, so that the server sees the client and not us. */
  constructor(connection: NodeStdioMcpConnection, opening: Opening, avoidsProbe: boolean) {
    this.#connection = connection;
    this.#opening = opening;
    this.#avoidsProbe = avoidsProbe;
  }

  async run(onGreeting: (greeting: Greeting) => void): Promise<Findings> {
    const { era, welcome } = await this.greet();
    onGreeting({ era, welcome });
    const [tools, prompts, resources, templates] = await Promise.all([
      this.readList('tools'),
      this.readList('prompts'),
      this.readList('resources'),
      this.readList('templates'),
    ]);
    return { era, avoidsProbe: this.#avoidsProbe, welcome, lists: { tools, prompts, resources, templates } };
  }

  /** Who it is; before this, it has no lists. */
  async greet(): Promise<Greeting> {
    const greeting = await this.#open();
    this.#meta = greeting.era === 'modern' ? this.#opening.meta : undefined;
    this.#capabilities = readCapabilities(greeting);
    return greeting;
  }

  /** One of its lists, as it is now. */
  readList(kind: KindName): Promise<ServerList> {
    return askList(this.#connection, kind, this.#capabilities, this.#meta);
  }

  /** In the client's era if the server can, so that nothing has to be translated. */
  async #open(): Promise<Greeting> {
    const isModern = this.#opening.era === 'modern' && !this.#avoidsProbe;
    const probed = isModern ? await this.#probe() : undefined;
    if (probed !== undefined) return { era: 'modern', welcome: probed };
    this.#connection.acceptsBatches = this.#opening.protocolVersion === BATCH_VERSION;
    try {
      const answer = await this.#connection.request('initialize', this.#opening.params);
      const welcome = readResult(answer);
      this.#connection.send(notification('notifications/initialized'));
      this.#avoidsProbe ||= this.#isSilent;
      return { era: 'legacy', welcome };
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const welcome = await this.#discover().catch(() => undefined);
      if (welcome === undefined) throw error;
      return { era: 'modern', welcome };
    }
  }

  /** Undefined when the server is of the handshake era, whichever way it shows. */
  async #probe(): Promise<Buffer | undefined> {
    let timer: NodeJS.Timeout | undefined;
    this.isProbing = true;
    this.#isSilent = true;
    // A server that is only slow answers this before it answers the handshake.
    const discovered = this.#discover().finally(() => (this.#isSilent = false));
    const tooLong = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), PROBE_MS);
    });
    try {
      return await Promise.race([discovered, tooLong]);
    } catch (error) {
      if (!this.#connection.isConnected) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
      discovered.catch(() => {});
      this.isProbing = false;
    }
  }

  async #discover(): Promise<Buffer | undefined> {
    const params = addMeta('{}', this.#opening.meta);
    const welcome = readResult(await this.#connection.request(DISCOVER, params));
    const { supportedVersions: versions } = parse(welcome.toString()) as { supportedVersions?: unknown };
    return Array.isArray(versions) && versions.includes(MODERN_VERSION) ? welcome : undefined;
  }
}

/** A list that the server advertises but does not give counts as empty: real servers do that. */
async function askList(
  connection: NodeStdioMcpConnection,
  kind: KindName,
  capabilities: ReadonlySet<string>,
  meta: Meta | undefined,
): Promise<ServerList> {
  if (!capabilities.has(KINDS[kind].capability)) return EMPTY_LIST;
  try {
    return await readList(
      (method, params) => connection.request(method, meta === undefined ? params : addMeta(params, meta)),
      KINDS[kind],
    );
  } catch (error) {
    // Many servers have resources but no templates, and say so this way.
    if (error instanceof McpError && error.code === METHOD_NOT_FOUND) return EMPTY_LIST;
    const reason = error instanceof Error ? error.message : String(error);
    const finding = `${KINDS[kind].list} failed, so it counts as empty: ${reason}`;
    return { items: [], findings: connection.isConnected ? [finding] : [] };
  }
}

/** Tasks are an extension in the stateless era. */
function readCapabilities({ welcome, era }: Pick<Facts, 'welcome' | 'era'>): ReadonlySet<string> {
  const { capabilities } = parse(welcome.toString()) as { capabilities?: { extensions?: object } };
  const names = Object.keys(capabilities ?? {});
  const hasTasks = era === 'modern' && TASKS_EXTENSION in (capabilities?.extensions ?? {});
  return new Set(hasTasks ? [...names, 'tasks'] : names);
}

/** What a server says of itself. */
export interface Profile {
  readonly capabilities: ReadonlySet<string>;
  /** Its name and version, as JSON text. */
  readonly info: string | undefined;
}

export function readProfile(facts: Pick<Facts, 'welcome' | 'era'>): Profile {
  const path = facts.era === 'modern' ? ['_meta', SERVER_KEY] : ['serverInfo'];
  return { capabilities: readCapabilities(facts), info: readMember(facts.welcome, ...path) };
}

function readResult(answer: Answer): Buffer {
  if (!answer.result || !isObject(answer.line, answer.result)) throw new Error('its answer is not an object');
  return Buffer.from(answer.bytes(answer.result));
}
