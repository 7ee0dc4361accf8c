/** Asks a server who it is and what it has: the handshake, then its lists. Keeps nothing. */
import type { NodeStdioMcpConnection } from './connection.ts';
import type { Opening } from './protocol/handshake.ts';
import { KINDS, type KindName } from './protocol/kinds.ts';
import { EMPTY_LIST, readList, type ServerList } from './protocol/lists.ts';
import { BATCH_VERSION } from './wire/batch.ts';
import { McpError } from './wire/error.ts';
import { isObject, parse } from './wire/json.ts';
import { METHOD_NOT_FOUND, notification } from './wire/messages.ts';

export interface Interview {
  /** The result of `initialize`, in the server's bytes. */
  readonly welcome: Buffer;
  readonly lists: Readonly<Record<KindName, ServerList>>;
}

/** With the client's own words, so that the server sees the client and not us. */
export async function interview(
  connection: NodeStdioMcpConnection,
  opening: Opening,
  onWelcome: (welcome: Buffer) => void,
): Promise<Interview> {
  connection.acceptsBatches = opening.protocolVersion === BATCH_VERSION;
  const answer = await connection.request('initialize', opening.params);
  if (!answer.result || !isObject(answer.line, answer.result)) throw new Error('its answer is not an object');
  const welcome = Buffer.from(answer.bytes(answer.result));
  const capabilities = readCapabilities(welcome);
  connection.send(notification('notifications/initialized'));
  onWelcome(welcome);
  const [tools, prompts, resources, templates] = await Promise.all([
    askList(connection, 'tools', capabilities),
    askList(connection, 'prompts', capabilities),
    askList(connection, 'resources', capabilities),
    askList(connection, 'templates', capabilities),
  ]);
  return { welcome, lists: { tools, prompts, resources, templates } };
}

/** A list that the server advertises but does not give counts as empty: real servers do that. */
export async function askList(
  connection: NodeStdioMcpConnection,
  kind: KindName,
  capabilities: ReadonlySet<string>,
): Promise<ServerList> {
  if (!capabilities.has(KINDS[kind].capability)) return EMPTY_LIST;
  try {
    return await readList((method, params) => connection.request(method, params), KINDS[kind]);
  } catch (error) {
    // Many servers have resources but no templates, and say so this way.
    if (error instanceof McpError && error.code === METHOD_NOT_FOUND) return EMPTY_LIST;
    const reason = error instanceof Error ? error.message : String(error);
    const finding = `${KINDS[kind].list} failed, so it counts as empty: ${reason}`;
    return { items: [], findings: connection.isConnected ? [finding] : [] };
  }
}

export function readCapabilities(welcome: Buffer): ReadonlySet<string> {
  const { capabilities } = parse(welcome.toString()) as { capabilities?: object };
  return new Set(Object.keys(capabilities ?? {}));
}
