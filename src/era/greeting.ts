/** How a server is met: in the era of the client if it can, so that nothing has to be translated; else in its own. */
import type { Clock } from '../clock.ts';
import { type Identity, LATEST_LEGACY_VERSION, type Opening } from '../protocol/handshake.ts';
import type { Answer } from '../wire/envelope.ts';
import { McpError } from '../wire/error.ts';
import { isObject, parse } from '../wire/json.ts';
import { type Json, notification } from '../wire/messages.ts';
import { addMeta, composeMeta, readMember } from './meta.ts';
import { DISCOVER, MODERN_VERSION, SERVER_KEY, TASKS_EXTENSION } from './modern.ts';
import type { Capabilities, Era } from './types.ts';

/** What a server says first. */
export interface Greeting {
  readonly era: Era;
  /** The result of `initialize` or `server/discover`, in the server's bytes. */
  readonly welcome: Buffer;
  /** Whether it took `server/discover` so badly that it is better not asked again. */
  readonly avoidsProbe: boolean;
}

/** A server as far as it can be spoken to. */
export interface Line {
  request(method: string, params?: Json): Promise<Answer>;
  send(...pieces: readonly Buffer[]): void;
}

/** A server that has not answered by then knows no `server/discover`; real clients wait as long. */
const PROBE_MS = 3000;

export class Greeter {
  readonly #line: Line;
  readonly #opening: Opening;
  readonly #clock: Clock;
  readonly #avoidsProbe: boolean;
  #era: Era = 'legacy';
  /** Whether it was asked what old servers may not get over, and has not been met since. */
  isProbing = false;
  #isUnanswered = false;

  /** With the client's own words, so that the server sees the client and not us. */
  constructor(line: Line, opening: Opening, clock: Clock, avoidsProbe: boolean) {
    this.#line = line;
    this.#opening = opening;
    this.#clock = clock;
    this.#avoidsProbe = avoidsProbe;
  }

  async greet(): Promise<Greeting> {
    const isModern = this.#opening.era === 'modern' && !this.#avoidsProbe;
    const probed = isModern ? this.#probe() : Promise.resolve(undefined);
    const welcome = isModern ? await this.#wait(probed) : undefined;
    const greeting = welcome === undefined ? await this.#shakeHands(probed) : this.#meetModern(welcome);
    this.isProbing = false;
    this.#era = greeting.era;
    return greeting;
  }

  /** A request of our own, as servers of its era want it. */
  request(method: string, params?: Json): Promise<Answer> {
    return this.#line.request(method, this.complete(params));
  }

  /** Params of a request, with what every request carries in the era of this server. */
  complete(params?: Json): Json | undefined {
    return this.#era === 'modern' ? addMeta(params, this.#opening.meta) : params;
  }

  /** Undefined when the server is of the handshake era. */
  #probe(): Promise<Buffer | undefined> {
    this.isProbing = true;
    this.#isUnanswered = true;
    return this.#discover(() => (this.#isUnanswered = false)).catch(() => undefined);
  }

  async #wait(probed: Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    let stop: (() => void) | undefined;
    const tooLong = new Promise<undefined>((resolve) => {
      stop = this.#clock.later(PROBE_MS, () => resolve(undefined));
    });
    const welcome = await Promise.race([probed, tooLong]);
    stop?.();
    return welcome;
  }

  async #shakeHands(probed: Promise<Buffer | undefined>): Promise<Greeting> {
    const shaken = this.#line.request('initialize', this.#opening.params).then(readResult);
    try {
      // A server that is only slow answers in order, and may not answer the second question any more.
      await Promise.race([shaken, probed.then((late) => late ?? shaken)]);
      const late = this.#isUnanswered ? undefined : await probed;
      if (late !== undefined) return this.#meetModern(late);
      const welcome = await shaken;
      this.#line.send(notification('notifications/initialized'));
      return { era: 'legacy', welcome, avoidsProbe: this.#avoidsProbe || this.#isUnanswered };
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const isAsked = this.isProbing && !this.#isUnanswered;
      const welcome = await (isAsked ? probed : this.#discover().catch(() => undefined));
      if (welcome === undefined) throw error;
      return this.#meetModern(welcome);
    }
  }

  #meetModern(welcome: Buffer): Greeting {
    return { era: 'modern', welcome, avoidsProbe: false };
  }

  async #discover(onAnswer: () => void = () => {}): Promise<Buffer | undefined> {
    const answer = this.#line.request(DISCOVER, addMeta('{}', this.#opening.meta));
    const welcome = readResult(await answer.finally(onAnswer));
    const { supportedVersions: versions } = parse(welcome.toString()) as { supportedVersions?: unknown };
    return Array.isArray(versions) && versions.includes(MODERN_VERSION) ? welcome : undefined;
  }
}

/** Tasks are an extension in the stateless era. */
export function readCapabilities({ welcome, era }: Pick<Greeting, 'welcome' | 'era'>): ReadonlySet<string> {
  const { capabilities } = parse(welcome.toString()) as { capabilities?: { extensions?: object } };
  const names = Object.keys(capabilities ?? {});
  const hasTasks = era === 'modern' && TASKS_EXTENSION in Object(capabilities?.extensions ?? {});
  return new Set(hasTasks ? [...names, 'tasks'] : names);
}

/** What a server says of itself. */
export interface Profile {
  readonly capabilities: ReadonlySet<string>;
  /** Its name and version, as JSON text. */
  readonly info: string | undefined;
}

export function readProfile(greeting: Pick<Greeting, 'welcome' | 'era'>): Profile {
  const path = greeting.era === 'modern' ? ['_meta', SERVER_KEY] : ['serverInfo'];
  return { capabilities: readCapabilities(greeting), info: readMember(greeting.welcome, ...path) };
}

/** The version that was agreed on; undefined when the server does not say. */
export function readVersion({ welcome, era }: Pick<Greeting, 'welcome' | 'era'>): string | undefined {
  if (era === 'modern') return MODERN_VERSION;
  const version = JSON.parse(readMember(welcome, 'protocolVersion') ?? 'null') as unknown;
  return typeof version === 'string' ? version : undefined;
}

/** How we open a conversation of our own, where no client has: with a handshake, as most do. */
export function composeOpening(identity: Identity, capabilities: Capabilities): Opening {
  const client = { name: identity.name, version: identity.version };
  const params = { protocolVersion: LATEST_LEGACY_VERSION, capabilities, clientInfo: client };
  return {
    era: 'legacy',
    protocolVersion: LATEST_LEGACY_VERSION,
    clientName: identity.name,
    capabilities: new Set(Object.keys(capabilities)),
    declared: capabilities,
    params: Buffer.from(JSON.stringify(params)),
    meta: composeMeta(JSON.stringify(capabilities), JSON.stringify(client)),
  };
}

function readResult(answer: Answer): Buffer {
  if (!answer.result || !isObject(answer.line, answer.result)) throw new Error('its answer is not an object');
  return Buffer.from(answer.bytes(answer.result));
}
