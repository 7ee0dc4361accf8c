/** What a request of the stateless era says of its client, in its own `_meta`. Every request says it anew. */
import type { Request } from '../wire/envelope.ts';
import { isObject, isString, membersOf, parse, type Span, stringAt } from '../wire/json.ts';
import { type ErrorObject, INVALID_PARAMS } from '../wire/messages.ts';
import {
  CAPABILITIES_KEY,
  CLIENT_KEY,
  LEVEL_KEY,
  LOG_LEVELS,
  MISSING_CAPABILITY,
  MODERN_VERSION,
  UNSUPPORTED_VERSION,
  VERSION_KEY,
} from './modern.ts';
import type { Capabilities, Claim } from './types.ts';

export class Claims {
  /** Clients say the same each time: what was read is not read again. */
  #last: Claim | undefined;
  /** The `_meta` that it was read from. */
  #lastMeta: Buffer = Buffer.alloc(0);

  /** Undefined for a request of the handshake era; an error when the claim cannot be served. */
  read(message: Request): Claim | ErrorObject | undefined {
    const meta = message.metaBytes;
    if (meta === undefined) return undefined;
    if (this.#last !== undefined && meta.equals(this.#lastMeta)) return this.#last;
    const fields = readFields(meta);
    if (fields.version === undefined) return undefined;
    const problem = findProblem(meta, fields);
    if (problem !== undefined || fields.capabilities === undefined) return problem;
    // A copy: a view would keep the whole chunk that the request came in.
    this.#lastMeta = Buffer.from(meta);
    const rawCapabilities = cut(this.#lastMeta, fields.capabilities);
    const rawClient = fields.client && cut(this.#lastMeta, fields.client);
    const logLevel = fields.level && stringAt(meta, fields.level);
    // The rest of `_meta` may be new each time, as a progress token is.
    if (this.#last?.logLevel !== logLevel || !isSame(this.#last, rawCapabilities, rawClient)) {
      const capabilities = parse(rawCapabilities.toString()) as Capabilities;
      this.#last = { capabilities, rawCapabilities, rawClient, logLevel };
    }
    return this.#last;
  }
}

interface Fields {
  version?: Span;
  capabilities?: Span;
  client?: Span;
  level?: Span;
}

const FIELDS: ReadonlyMap<string, keyof Fields> = new Map([
  [VERSION_KEY, 'version'],
  [CAPABILITIES_KEY, 'capabilities'],
  [CLIENT_KEY, 'client'],
  [LEVEL_KEY, 'level'],
]);

function readFields(meta: Buffer): Fields {
  const fields: Fields = {};
  for (const { name, value } of membersOf(meta, { start: 0, end: meta.length })) {
    const field = FIELDS.get(name);
    if (field !== undefined) fields[field] = value;
  }
  return fields;
}

function cut(bytes: Buffer, { start, end }: Span): Buffer {
  return bytes.subarray(start, end);
}

export function declaresExtension(capabilities: Capabilities, name: string): boolean {
  const extensions = capabilities['extensions'];
  return typeof extensions === 'object' && extensions !== null && name in extensions;
}

/** The refusal of what only a client with an extension may ask. */
export function refuseWithout(name: string): ErrorObject {
  const data = { requiredCapabilities: { extensions: { [name]: {} } } };
  return { code: MISSING_CAPABILITY, message: 'Missing required client capability', data };
}

function isSame(claim: Claim | undefined, capabilities: Buffer, client: Buffer | undefined): boolean {
  if (claim === undefined || !claim.rawCapabilities.equals(capabilities)) return false;
  if (client === undefined || claim.rawClient === undefined) return client === claim.rawClient;
  return claim.rawClient.equals(client);
}

/** What the specification wants in every request, and how it wants what may be there. */
function findProblem(
  meta: Buffer,
  { version, capabilities, client, level }: Fields,
): ErrorObject | undefined {
  if (version === undefined || !isString(meta, version)) return refuse(`"${VERSION_KEY}" must be a string`);
  const requested = stringAt(meta, version);
  if (requested !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested };
    return { code: UNSUPPORTED_VERSION, message: `Unsupported protocol version: ${requested}`, data };
  }
  if (capabilities === undefined || !isObject(meta, capabilities))
    return refuse(`"_meta" must have an object "${CAPABILITIES_KEY}"`);
  if (client !== undefined && !isObject(meta, client)) return refuse(`"${CLIENT_KEY}" must be an object`);
  if (level !== undefined && (!isString(meta, level) || !LOG_LEVELS.includes(stringAt(meta, level))))
    return refuse(`"${LEVEL_KEY}" must be one of ${LOG_LEVELS.join(', ')}`);
  return undefined;
}

function refuse(what: string): ErrorObject {
  return { code: INVALID_PARAMS, message: `Invalid params: ${what}` };
}
