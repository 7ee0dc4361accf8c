/** Task ids of the handshake era: the client sees `key:id`, so that an id says by itself whose it is. */
import type { Answer, Envelope } from '../wire/envelope.ts';
import { isObject, isString, memberOf, type Span } from '../wire/json.ts';
import type { Splice } from '../wire/splice.ts';
import type { Kind } from './kinds.ts';
import type { Peer } from './peer.ts';

/** Listed like tools, but asked for anew each time. */
export const TASK_KIND: Kind = {
  list: 'tasks/list',
  member: 'tasks',
  field: 'taskId',
  capability: 'tasks',
  changed: '',
  naming: 'name',
};

export const TASK_NAMING = { separator: ':', isStrict: false } as const;

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** The server's ids in a message of its own, with its key in front; `isTask` when the message is about one task. */
export function encodeTaskIds(message: Envelope, peer: Peer, isTask = false): Splice[] {
  if (!peer.has('tasks') || !message.line.includes('taskId"')) return [];
  const { params, result } = message;
  const own = isTask ? findString(message, params ?? result, 'taskId') : undefined;
  return [findRelated(message), findMadeTask(message), own].flatMap((span) => {
    if (span === undefined) return [];
    const id = `${peer.key}${TASK_NAMING.separator}${message.string(span)}`;
    return [{ span, bytes: Buffer.from(JSON.stringify(id)) }];
  });
}

/** The id of the server's task that a message of the client belongs to, as the server knows it. */
export function decodeTaskIds(message: Envelope, peer: Peer): Splice[] {
  if (!peer.has('tasks') || !message.line.includes('taskId"')) return [];
  const span = findRelated(message);
  const id = span && decodeTaskId(message.string(span) ?? '', peer.key);
  return span === undefined || id === undefined ? [] : [{ span, bytes: Buffer.from(JSON.stringify(id)) }];
}

/** The id as the server knows it; undefined when it is another's. */
export function decodeTaskId(id: string, key: string): string | undefined {
  const prefix = `${key}${TASK_NAMING.separator}`;
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}

/** The id of the task that was made instead of an answer. */
export function findMadeTask(answer: Envelope): Span | undefined {
  return findString(answer, find(answer, answer.result, 'task'), 'taskId');
}

/** How long its server keeps the task that an answer says was made, result and all; for ever when it does not say. */
export function readTaskLife(answer: Answer): number {
  const task = find(answer, answer.result, 'task') ?? answer.result;
  const life = find(answer, task, 'ttl') ?? find(answer, task, 'ttlMs');
  const ms = life === undefined ? undefined : answer.value(life);
  return typeof ms === 'number' ? ms : Number.POSITIVE_INFINITY;
}

/** The id of the task that a message belongs to. */
function findRelated(message: Envelope): Span | undefined {
  const meta = find(message, message.params ?? message.result, '_meta');
  return findString(message, find(message, meta, RELATED_TASK), 'taskId');
}

function findString(message: Envelope, holder: Span | undefined, name: string): Span | undefined {
  const span = find(message, holder, name);
  return span && isString(message.line, span) ? span : undefined;
}

function find({ line }: Envelope, holder: Span | undefined, name: string): Span | undefined {
  return holder && isObject(line, holder) ? memberOf(line, holder, name) : undefined;
}
