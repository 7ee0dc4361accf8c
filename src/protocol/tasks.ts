/** Task ids of the handshake era: the client sees `key:id`, so that an id says by itself whose it is. */
import type { Envelope } from '../wire/envelope.ts';
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

/** The server's ids in a message of its own, with its key in front. */
export function encodeTaskIds(message: Envelope, peer: Peer): Splice[] {
  if (!peer.has('tasks') || !message.line.includes('taskId"')) return [];
  return findTaskIds(message).map((span) => {
    const id = message.string(span) ?? '';
    return { span, bytes: Buffer.from(JSON.stringify(`${peer.key}${TASK_NAMING.separator}${id}`)) };
  });
}

/** The client's ids in a message for this server, as the server knows them. */
export function decodeTaskIds(message: Envelope, peer: Peer): Splice[] {
  if (!peer.has('tasks') || !message.line.includes('taskId"')) return [];
  return findTaskIds(message).flatMap((span) => {
    const id = decodeTaskId(message.string(span) ?? '', peer.key);
    return id === undefined ? [] : [{ span, bytes: Buffer.from(JSON.stringify(id)) }];
  });
}

/** The id as the server knows it; undefined when it is another's. */
export function decodeTaskId(id: string, key: string): string | undefined {
  const prefix = `${key}${TASK_NAMING.separator}`;
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}

/** In params and in results: the task's own id, the id of a task just made, the id of the task this belongs to. */
function findTaskIds(message: Envelope): Span[] {
  const { line } = message;
  const inside = (span: Span | undefined, name: string): Span | undefined =>
    span && isObject(line, span) ? memberOf(line, span, name) : undefined;
  return [message.params, message.result].flatMap((holder) => {
    const related = inside(inside(holder, '_meta'), RELATED_TASK);
    const places = [holder, inside(holder, 'task'), related];
    return places.flatMap((place) => {
      const id = inside(place, 'taskId');
      return id !== undefined && isString(line, id) ? [id] : [];
    });
  });
}
