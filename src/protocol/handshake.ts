/** How conversations of the handshake era begin: with the client above, and the same way with the servers below. */
import type { Capabilities, Era, Meta } from '../era/types.ts';
import type { Envelope, Request } from '../wire/envelope.ts';
import { memberOf, parse, type Span } from '../wire/json.ts';
import { splice } from '../wire/splice.ts';

/** What the client said of itself when it opened the conversation. */
export interface Opening {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly clientName: string | undefined;
  /** The capabilities that the client declared. */
  readonly capabilities: ReadonlySet<string>;
  /** The same with what belongs to each. */
  readonly declared: Capabilities;
  /** The params of `initialize` for every server: the client's own. */
  readonly params: Buffer;
  /** What requests of ours say of the client to servers that know no handshake. */
  readonly meta: Meta;
}

export interface Identity {
  readonly name: string;
  readonly version: string;
}

/** The last version with a handshake. */
export const LATEST_LEGACY_VERSION = '2025-11-25';
const VERSIONS: ReadonlySet<string> = new Set([
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  LATEST_LEGACY_VERSION,
]);

/** All that a server may turn out to have: the servers are not known yet when the client asks. */
const CAPABILITIES = {
  completions: {},
  logging: {},
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  tools: { listChanged: true },
};

/** Only the last version of the era has tasks. */
const TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** Reads the client's `initialize`; a sentence when it cannot be one. `meta` is the same in the words of the other era. */
export function readOpening(message: Request, meta: Meta): Opening | string {
  const { line, params } = message;
  const versionSpan = message.param('protocolVersion');
  const version = message.string(versionSpan);
  if (params === undefined || versionSpan === undefined || version === undefined) {
    return 'initialize needs a "protocolVersion"';
  }
  const protocolVersion = VERSIONS.has(version) ? version : LATEST_LEGACY_VERSION;
  const clientInfo = message.param('clientInfo');
  const declared = readObject(message, message.param('capabilities'));
  return {
    era: 'legacy',
    protocolVersion,
    clientName: clientInfo && readName(message, clientInfo),
    capabilities: new Set(Object.keys(declared)),
    declared,
    params: withVersion(line, params, versionSpan, protocolVersion),
    meta,
  };
}

/** What is known of the servers when the client asks. */
export interface Description {
  readonly identity: Identity;
  readonly summary: Summary;
  /** Whether it is of all servers: then there is nothing more to come. */
  readonly isComplete: boolean;
}

/** What servers that are known have said of themselves, as one. */
export interface Summary {
  readonly capabilities: Capabilities;
  readonly instructions: string;
}

/** What all servers together are to a client. */
export interface Union {
  readonly capabilities: Readonly<Record<string, object>>;
  readonly instructions?: string;
}

/** The result of the client's `initialize`, as JSON text. */
export function writeWelcome(opening: Opening, description: Description): string {
  const { protocolVersion } = opening;
  const { name, version } = description.identity;
  const { capabilities, ...rest } = unite(
    description,
    protocolVersion === LATEST_LEGACY_VERSION ? { tasks: TASKS } : {},
  );
  return JSON.stringify({ protocolVersion, capabilities, serverInfo: { name, version }, ...rest });
}

/** Everything there may be while servers are still to come, and what there is as soon as all are known. */
export function unite(
  { summary, isComplete }: Description,
  more: Readonly<Record<string, object>> = {},
): Union {
  const { instructions } = summary;
  const { experimental, ...known } = summary.capabilities;
  const all: Record<string, object> = { ...CAPABILITIES, ...more };
  const entries = Object.entries(all).filter(([name]) => !isComplete || Object.hasOwn(known, name));
  const capabilities = Object.fromEntries(entries);
  // The one thing in them that is not ours to do.
  const canSubscribe = !isComplete || Object.hasOwn(Object(known['resources']) as object, 'subscribe');
  if (!canSubscribe && 'resources' in capabilities) capabilities['resources'] = { listChanged: true };
  // What servers send for it is passed on, so it can be relied on.
  if (experimental !== undefined) capabilities['experimental'] = Object(experimental) as object;
  return { capabilities, ...(instructions !== '' && { instructions }) };
}

/** From the results of `initialize` or `server/discover`, by the servers' keys. */
export function summarize(welcomes: Iterable<readonly [key: string, welcome: Buffer]>): Summary {
  const capabilities = new Map<string, object>();
  const instructions: string[] = [];
  for (const [key, bytes] of welcomes) {
    const welcome = parse(bytes.toString()) as { capabilities?: object; instructions?: unknown };
    for (const [name, value] of Object.entries(welcome.capabilities ?? {})) {
      // What one server cannot do does not keep the others from it.
      const able = Object.entries(Object(value) as object).filter(([, one]) => one !== false);
      capabilities.set(name, { ...capabilities.get(name), ...Object.fromEntries(able) });
    }
    if (typeof welcome.instructions === 'string' && welcome.instructions !== '')
      instructions.push(`${key}: ${welcome.instructions}`);
  }
  return { capabilities: Object.fromEntries(capabilities), instructions: instructions.join('\n\n') };
}

/** The client's params, with the version that was agreed on with it. */
function withVersion(line: Buffer, params: Span, version: Span, agreed: string): Buffer {
  const whole = line.subarray(params.start, params.end);
  const span = { start: version.start - params.start, end: version.end - params.start };
  return Buffer.concat(splice([whole], [{ span, bytes: Buffer.from(JSON.stringify(agreed)) }]));
}

function readName(message: Envelope, clientInfo: Span): string | undefined {
  return message.string(memberOf(message.line, clientInfo, 'name'));
}

function readObject(message: Envelope, object: Span | undefined): Capabilities {
  const value = object && message.value(object);
  return typeof value === 'object' && value !== null ? (value as Capabilities) : {};
}
