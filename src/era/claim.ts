/** What a request of the stateless era says of its client, in its own `_meta`. Every request says it anew. */
import type { Request } from '../wire/envelope.ts';
import { isObject, isString, membersOf, type Span } from '../wire/json.ts';
import { type ErrorObject, INVALID_PARAMS } from '../wire/messages.ts';
import {
  CAPABILITIES_KEY,
  CLIENT_KEY,
  LEVEL_KEY,
  MODERN_VERSION,
  UNSUPPORTED_VERSION,
  VERSION_KEY,
} from './modern.ts';

export type Capabilities = Readonly<Record<string, unknown>>;

export interface Claim {
  readonly capabilities: Capabilities;
  /** The same in the client's bytes, and what it says of itself. */
  readonly rawCapabilities: Buffer;
  readonly rawClient: Buffer | undefined;
  readonly logLevel: string | undefined;
}

export class Claims {
  /** Clients say the same each time: what was read is not read again. */
  #last: Claim | undefined;
  /** The `_meta` that it was read from. */
  #lastMeta: Buffer = Buffer.alloc(0);

  /** Undefined for a request of the handshake era; an error when the claim cannot be served. */
  read(message: Request): Claim | ErrorObject | undefined {
    const meta = message.param('_meta');
    if (meta === undefined) return undefined;
    if (this.#last !== undefined && message.bytes(meta).equals(this.#lastMeta)) return this.#last;
    return this.#readMeta(message, meta);
  }

  #readMeta(message: Request, meta: Span): Claim | ErrorObject | undefined {
    const { line } = message;
    let version: Span | undefined;
    let capabilities: Span | undefined;
    let client: Span | undefined;
    let level: Span | undefined;
    for (const { name, value } of membersOf(line, meta)) {
      if (name === VERSION_KEY) version = value;
      else if (name === CAPABILITIES_KEY) capabilities = value;
      else if (name === CLIENT_KEY) client = value;
      else if (name === LEVEL_KEY) level = value;
    }
    if (version === undefined) return undefined;
    const problem = findProblem(message, version, capabilities);
    if (problem !== undefined || capabilities === undefined) return problem;
    const rawCapabilities = message.bytes(capabilities);
    const rawClient = client && message.bytes(client);
    const logLevel = message.string(level);
    // Copies: a view would keep the whole chunk that the request came in.
    this.#lastMeta = Buffer.from(message.bytes(meta));
    const last = this.#last;
    if (last?.logLevel === logLevel && isSame(last, rawCapabilities, rawClient)) return last;
    this.#last = {
      capabilities: message.value(capabilities) as Capabilities,
      rawCapabilities: Buffer.from(rawCapabilities),
      rawClient: rawClient && Buffer.from(rawClient),
      logLevel,
    };
    return this.#last;
  }
}

/** Whether the client said that it can be asked this. */
export function declares(capabilities: Capabilities, method: string, isUrl: boolean): boolean {
  if (method === 'sampling/createMessage') return isSomething(capabilities['sampling']);
  if (method === 'roots/list') return isSomething(capabilities['roots']);
  const modes = capabilities['elicitation'];
  if (method !== 'elicitation/create' || !isSomething(modes)) return false;
  // A client that names no mode means forms.
  return isUrl ? 'url' in modes : 'form' in modes || !('url' in modes);
}

function isSomething(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isSame(claim: Claim | undefined, capabilities: Buffer, client: Buffer | undefined): boolean {
  if (claim === undefined || !claim.rawCapabilities.equals(capabilities)) return false;
  if (client === undefined || claim.rawClient === undefined) return client === claim.rawClient;
  return claim.rawClient.equals(client);
}

function findProblem(
  message: Request,
  version: Span,
  capabilities: Span | undefined,
): ErrorObject | undefined {
  if (!isString(message.line, version)) {
    return { code: INVALID_PARAMS, message: `Invalid params: "${VERSION_KEY}" must be a string` };
  }
  const requested = message.string(version);
  if (requested !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested };
    return { code: UNSUPPORTED_VERSION, message: `Unsupported protocol version: ${requested}`, data };
  }
  if (capabilities === undefined || !isObject(message.line, capabilities)) {
    const text = `Invalid params: "_meta" must have an object "${CAPABILITIES_KEY}"`;
    return { code: INVALID_PARAMS, message: text };
  }
  return undefined;
}
