/** The `_meta` that each request of the stateless era carries: made for clients that have none, taken off for servers that know none. */
import { LATEST_LEGACY_VERSION, type Opening } from '../protocol/handshake.ts';
import type { Envelope } from '../wire/envelope.ts';
import { memberOf, membersOf, parse, type Span } from '../wire/json.ts';
import type { Json } from '../wire/messages.ts';
import type { Splice } from '../wire/splice.ts';
import { insertMeta, removeMembers } from './members.ts';
import {
  CAPABILITIES_KEY,
  CLIENT_KEY,
  KEY_START,
  LEVEL_KEY,
  MODERN_VERSION,
  TASKS_EXTENSION,
  VERSION_KEY,
} from './modern.ts';
import type { Claim, Meta } from './types.ts';

const UNNAMED_CLIENT = '{"name":"unknown","version":"0"}';

/** How servers are opened for a client of the stateless era, by the first request that it makes. */
export function openModern(claim: Claim): Opening {
  const { rawCapabilities, rawClient, capabilities } = claim;
  const whole = { start: 0, end: rawCapabilities.length };
  // Roots are asked for right after a handshake, when there is no request to ask the client with.
  const offered = membersOf(rawCapabilities, whole).filter(
    ({ name }) => name !== 'roots' && name !== 'tasks',
  );
  const { name, version } = parse(rawClient?.toString() ?? '{}') as { name?: unknown; version?: unknown };
  const isNamed = typeof name === 'string' && typeof version === 'string';
  const client = isNamed ? String(rawClient) : UNNAMED_CLIENT;
  const params = `{"protocolVersion":"${LATEST_LEGACY_VERSION}","capabilities":${joinMembers(rawCapabilities, offered)},"clientInfo":${client}}`;
  return {
    era: 'modern',
    protocolVersion: MODERN_VERSION,
    clientName: typeof name === 'string' ? name : undefined,
    capabilities: new Set(Object.keys(capabilities)),
    declared: capabilities,
    params: Buffer.from(params),
    meta: writeClaim(claim),
  };
}

/** A claim as requests of our own repeat it. */
export function writeClaim({ rawCapabilities, rawClient }: Claim): Meta {
  return composeMeta(rawCapabilities.toString(), rawClient?.toString());
}

/** What a client said in its handshake, as the stateless era says it. */
export function mapHandshake(message: Envelope): Meta {
  const capabilities = message.param('capabilities');
  const client = message.param('clientInfo');
  const mapped = capabilities === undefined ? '{}' : mapCapabilities(message.line, capabilities);
  return composeMeta(mapped, client && message.bytes(client).toString());
}

/** Params of a request of our own. */
export function addMeta(params: Json | undefined, meta: Meta): Buffer {
  const bytes = Buffer.from(params ?? '{}');
  const [{ span, bytes: inserted } = { span: { start: 0, end: 0 }, bytes }] = insertMeta(
    bytes,
    { start: 0, end: bytes.length },
    meta,
  );
  return Buffer.concat([bytes.subarray(0, span.start), inserted, bytes.subarray(span.end)]);
}

/** For a server of the stateless era: a request of a client that has no claim. */
export function insertClaim(message: Envelope, meta: Meta, logLevel: string | undefined): Splice[] {
  const all = logLevel === undefined ? meta : { ...meta, [LEVEL_KEY]: JSON.stringify(logLevel) };
  if (message.params === undefined) return [];
  return insertMeta(message.line, message.params, all);
}

/** Members of params that mean something in one era only: a stateless client that asks for a task is not understood either. */
const STRANGE: ReadonlySet<string> = new Set(['requestState', 'inputResponses', 'task']);

/** For a server of the handshake era: nothing that only the stateless era knows. */
export function removeClaim(message: Envelope): Splice[] {
  const { line, params } = message;
  if (params === undefined) return [];
  const meta = message.param('_meta');
  const isStrange = [...STRANGE].some((name) => message.param(name) !== undefined);
  return [
    ...(meta === undefined ? [] : removeMembers(line, meta, (name) => name.startsWith(KEY_START))),
    ...(isStrange ? removeMembers(line, params, (name) => STRANGE.has(name)) : []),
  ];
}

export function composeMeta(capabilities: string, client: string | undefined): Meta {
  return {
    [VERSION_KEY]: `"${MODERN_VERSION}"`,
    ...(client !== undefined && { [CLIENT_KEY]: client }),
    [CAPABILITIES_KEY]: capabilities,
  };
}

/** Tasks of one era do not exist in the other; that roots change is not told. */
function mapCapabilities(line: Buffer, capabilities: Span): string {
  const kept = membersOf(line, capabilities).filter(({ name }) => name !== 'tasks');
  const parts = kept.map(({ name, start, value }) => {
    if (name === 'roots') return '"roots":{}';
    if (name === 'extensions') {
      const others = membersOf(line, value).filter((one) => one.name !== TASKS_EXTENSION);
      return `"extensions":${joinMembers(line, others)}`;
    }
    const isBare = name === 'elicitation' && membersOf(line, value).length === 0;
    return isBare ? '"elicitation":{"form":{}}' : line.toString('utf8', start, value.end);
  });
  return `{${parts.join(',')}}`;
}

function joinMembers(bytes: Buffer, members: ReturnType<typeof membersOf>): string {
  return `{${members.map(({ start, value }) => bytes.toString('utf8', start, value.end)).join(',')}}`;
}

/** The raw text of a member, for what servers say of themselves. */
export function readMember(bytes: Buffer, ...path: readonly string[]): string | undefined {
  let span: Span | undefined = { start: 0, end: bytes.length };
  for (const name of path) span = span && memberOf(bytes, span, name);
  return span && bytes.toString('utf8', span.start, span.end);
}
