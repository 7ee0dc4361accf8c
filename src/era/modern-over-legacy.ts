/** A call of a stateless client at a handshake server: nothing new reaches the server, nothing is missing for the client. */
import type { Call } from '../protocol/calls.ts';
import type { Peer } from '../protocol/peer.ts';
import type { Answer, Request } from '../wire/envelope.ts';
import { isObject, memberOf, type Span } from '../wire/json.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, request } from '../wire/messages.ts';
import type { Splice } from '../wire/splice.ts';
import { declares } from '../protocol/declared.ts';
import { insertMembers, insertMeta } from './members.ts';
import {
  CACHE_HINTS,
  COMPLETE,
  LEGACY_NOT_FOUND,
  LEGACY_URL_REQUIRED,
  MISSING_CAPABILITY,
  RESERVED_CODES,
  SERVER_KEY,
} from './modern.ts';
import { readTarget } from './suspensions.ts';
import type { Bridge } from './types.ts';

export class ModernOverLegacy implements Bridge {
  readonly target: string | undefined;
  readonly #isTask: boolean;
  /** The task that is waited for, as JSON text. */
  #taskId: string | undefined;

  /** `isTask` when the call is made as a task, because the tool insists; the client need not know. */
  constructor(message: Request, isTask: boolean) {
    this.target = readTarget(message);
    this.#isTask = isTask;
  }

  raise(peer: Peer, call: Call, answer: Answer): readonly Splice[] | undefined {
    if (answer.error !== undefined) return raiseError(call, answer, answer.error);
    const taskId = this.#isTask && this.#taskId === undefined ? readTaskId(answer) : undefined;
    if (taskId === undefined) return completeResult(peer, call.method, answer);
    this.#taskId = taskId;
    // The result of the task is the result of the call.
    const again = peer.calls.addAgain(call);
    peer.send(request(again.sentId, 'tasks/result', `{"taskId":${taskId}}`));
    return undefined;
  }

  /** Who waits for a task does not run it: it has to be ended by itself. */
  cancel(peer: Peer): boolean {
    if (this.#taskId !== undefined) peer.ask('tasks/cancel', `{"taskId":${this.#taskId}}`).catch(() => {});
    return false;
  }
}

/** What the stateless era wants in a result. */
function completeResult({ info }: Peer, method: string, { line, result }: Answer): Splice[] {
  if (result === undefined || !isObject(line, result)) return [];
  const isCacheable = method === 'resources/read' && !has(line, result, 'ttlMs');
  const missing = [
    ...(has(line, result, 'resultType') ? [] : [COMPLETE]),
    ...(isCacheable ? [CACHE_HINTS] : []),
  ];
  const isSigned = info === undefined || line.includes(SERVER_KEY);
  const hasMeta = has(line, result, '_meta');
  // In one splice where they would stand in one place.
  if (!isSigned && !hasMeta) missing.push(`"_meta":{"${SERVER_KEY}":${info}}`);
  return [
    ...(missing.length === 0 ? [] : [insertMembers(line, result, missing.join(','))]),
    ...(!isSigned && hasMeta ? insertMeta(line, result, { [SERVER_KEY]: info }) : []),
  ];
}

/** The code of the stateless era for an error of the handshake era, if it has to be another one. */
function mapCode(code: number): number {
  if (code === LEGACY_NOT_FOUND) return INVALID_PARAMS;
  // The server cannot mean what they mean now.
  return code >= RESERVED_CODES.first && code <= RESERVED_CODES.last ? INTERNAL_ERROR : code;
}

/** Looked for in the whole line first, because that is fast; an object may be long. */
function has(line: Buffer, object: Span, name: string): boolean {
  return line.includes(`"${name}"`) && memberOf(line, object, name) !== undefined;
}

function raiseError(call: Call, answer: Answer, error: Span): Splice[] {
  const span = memberOf(answer.line, error, 'code');
  const code = span && Number(answer.text(span));
  // A server may have put anything there, and what it put there is passed on.
  if (span === undefined || code === undefined || !Number.isInteger(code)) return [];
  const urls = code === LEGACY_URL_REQUIRED ? raiseUrls(call, answer, error) : undefined;
  if (urls !== undefined) return [urls];
  return mapCode(code) === code ? [] : [{ span, bytes: Buffer.from(String(mapCode(code))) }];
}

interface Visit {
  readonly message: string;
  readonly url: string;
}

/** The server wants URLs to be visited before it is asked again: questions, in the stateless era. Undefined when it names none. */
function raiseUrls({ claim }: Call, answer: Answer, error: Span): Splice | undefined {
  const { data } = answer.value(error) as { data?: { elicitations?: unknown } | null };
  const visits = Array.isArray(data?.elicitations) ? data.elicitations.filter(isVisit) : [];
  // From the name of the member to the end of its value.
  const start = answer.line.lastIndexOf('"error"', error.start);
  if (visits.length === 0 || start === -1) return undefined;
  const whole = { start, end: error.end };
  if (claim === undefined || !declares(claim.capabilities, 'elicitation/create', true)) {
    const missing = { requiredCapabilities: { elicitation: { url: {} } } };
    const text = 'The server needs the client to open a URL';
    const refusal = { code: MISSING_CAPABILITY, message: text, data: missing };
    return { span: whole, bytes: Buffer.from(`"error":${JSON.stringify(refusal)}`) };
  }
  const questions = visits.map(({ message, url }, index) => [
    `url-${index + 1}`,
    { method: 'elicitation/create', params: { mode: 'url', message, url } },
  ]);
  const result = { resultType: 'input_required', inputRequests: Object.fromEntries(questions) as object };
  return { span: whole, bytes: Buffer.from(`"result":${JSON.stringify(result)}`) };
}

function isVisit(value: unknown): value is Visit {
  const { message, url } = Object(value) as Record<string, unknown>;
  return typeof message === 'string' && typeof url === 'string';
}

/** As JSON text. */
function readTaskId({ line, result }: Answer): string | undefined {
  const task = result && memberOf(line, result, 'task');
  const taskId = task && memberOf(line, task, 'taskId');
  return taskId && line.toString('utf8', taskId.start, taskId.end);
}
