/** Takes each message of a server to the client, if the server may say it. No I/O, no timers. */
import type { Eras } from '../era/eras.ts';
import {
  type Answer,
  Envelope,
  findOddity,
  isAnswer,
  isNotification,
  isRequest,
  type Malformed,
  type Notification,
  type Request,
} from '../wire/envelope.ts';
import { memberOf, type Span } from '../wire/json.ts';
import {
  type ErrorObject,
  failure,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  success,
} from '../wire/messages.ts';
import { splice } from '../wire/splice.ts';
import type { Call } from './calls.ts';
import type { Conversation } from './conversation.ts';
import { declares } from './declared.ts';
import { KINDS, type KindName } from './kinds.ts';
import { qualify } from './names.ts';
import { blame, type Peer } from './peer.ts';
import { CLIENT_CAPABILITIES } from './routes.ts';
import { TOO_MANY_QUESTIONS } from './questions.ts';
import { encodeTaskIds, findMadeTask, readTaskLife } from './tasks.ts';

const CHANGED: ReadonlyMap<string, readonly KindName[]> = new Map([
  [KINDS.tools.changed, ['tools']],
  [KINDS.prompts.changed, ['prompts']],
  [KINDS.resources.changed, ['resources', 'templates']],
]);

export class FromServer {
  readonly #shared: Conversation;
  readonly #eras: Eras;

  constructor(shared: Conversation, eras: Eras) {
    this.#shared = shared;
    this.#eras = eras;
  }

  receive(peer: Peer, message: Envelope): void {
    const oddity = findOddity(message);
    if (oddity !== undefined) {
      const id = message.method === undefined ? message.id : undefined;
      this.receiveMalformed(peer, { problem: 'shape', detail: oddity, id });
    } else if (isAnswer(message)) this.#receiveAnswer(peer, message);
    else if (isRequest(message)) this.#receiveQuestion(peer, message);
    else if (isNotification(message)) this.#receiveNotification(peer, message);
    else this.#shared.log.debug('A line without id and method was dropped', peer.key);
  }

  /** A line that could not be read as a whole; whose answer it was may still be known. */
  receiveMalformed(peer: Peer, { id, problem, detail }: Malformed): void {
    const call = id === undefined ? undefined : peer.calls.take(id);
    if (call !== undefined) this.#fail(peer, call, `sent an answer that cannot be passed on: ${detail}`);
    const advice = problem === 'json' ? '; only messages belong there, all else on stderr' : '';
    this.#shared.log.warn(`A line of its stdout was dropped: ${detail}${advice}`, peer.key);
  }

  #receiveAnswer(peer: Peer, message: Answer): void {
    const call = peer.calls.take(message.id);
    const fault = call && findFault(message);
    if (call === undefined) {
      if (this.#eras.endListen(peer, message)) return;
      this.#shared.log.debug(`An answer that it does not owe was dropped (id ${message.id})`, peer.key);
    } else if (fault !== undefined) {
      this.#fail(peer, call, `sent an answer with ${fault}`);
    } else if (call.elsewhere !== undefined && isThere(message, message.error)) {
      call.elsewhere(() => this.#passAnswer(peer, call, message), message);
    } else {
      this.#passAnswer(peer, call, message);
    }
  }

  #passAnswer(peer: Peer, call: Call, message: Answer): void {
    if (peer.has('resources') && !call.isByKey) this.#shared.links.note(peer.key, message);
    if (call.bridge !== undefined) {
      this.#crossBack(peer, call, message);
      return;
    }
    const isInstead = this.#eras.isTask(peer, message);
    const splices = encodeTaskIds(message, peer, isInstead || call.method.startsWith('tasks/'));
    const isMade = splices.length > 0 && findMadeTask(message) !== undefined;
    if (isMade) peer.calls.keepToken(call);
    if (isMade || isInstead) peer.usage.keepFor(readTaskLife(message));
    if (message.id !== call.id) splices.push({ span: message.idSpan, bytes: Buffer.from(call.id, 'latin1') });
    this.#shared.answer(call.id, ...splice(message.pieces, splices));
  }

  /** The answer of a server of the other era. */
  #crossBack(peer: Peer, call: Call, message: Answer): void {
    const raised = call.bridge?.raise(peer, call, message);
    if (raised === undefined) return;
    this.#shared.conclude(call, (id) => {
      const bytes = Buffer.from(id, 'latin1');
      return splice(message.pieces, [...raised, { span: message.idSpan, bytes }]);
    });
  }

  #receiveQuestion(peer: Peer, message: Request): void {
    const { id, method } = message;
    if (method === 'ping') {
      peer.reply(...success(id, '{}'));
      return;
    }
    if (this.#eras.ask(peer, message)) return;
    const refusal = this.#findRefusal(peer, message);
    if (refusal !== undefined) {
      peer.reply(failure(id, refusal));
      return;
    }
    const question = this.#shared.questions.add(peer.key, message);
    this.#shared.whenInitialized(() => {
      // Its server may have taken it back, or be gone, by then.
      if (this.#shared.questions.find(question.id) !== undefined) this.#ask(peer, message, question.id);
    });
  }

  #findRefusal({ key }: Peer, message: Request): ErrorObject | undefined {
    const { method } = message;
    const { legacy } = this.#shared;
    if (legacy === undefined)
      return { code: METHOD_NOT_FOUND, message: 'The client cannot be asked this now: it has no handshake' };
    const capability = CLIENT_CAPABILITIES.get(method);
    if (capability !== undefined && !legacy.capabilities.has(capability)) {
      const text = `The client cannot do "${method}": it did not declare the capability "${capability}"`;
      return { code: METHOD_NOT_FOUND, message: text };
    }
    const mode = method === 'elicitation/create' ? readMode(message) : undefined;
    if (mode !== undefined && !declares(legacy.declared, method, mode === 'url')) {
      const text = `The client cannot do "${method}" with mode "${mode}": it did not declare that mode`;
      return { code: INVALID_PARAMS, message: text };
    }
    if (this.#shared.questions.isFull(key)) return { code: INTERNAL_ERROR, message: TOO_MANY_QUESTIONS };
    if (capability !== 'tasks' || method === 'tasks/list') return undefined;
    const taskId = message.string(message.param('taskId')) ?? '';
    if (this.#shared.clientTasks.find(taskId) === key) return undefined;
    return { code: INVALID_PARAMS, message: `Task not found: ${taskId}` };
  }

  #ask(peer: Peer, message: Request, id: string): void {
    const bytes = Buffer.from(id);
    const splices = [{ span: message.idSpan, bytes }, ...encodeTaskIds(message, peer)];
    const token = message.meta('progressToken');
    if (token !== undefined) splices.push({ span: token, bytes });
    this.#shared.toClient(...splice(message.pieces, splices));
  }

  #receiveNotification(peer: Peer, message: Notification): void {
    const { method } = message;
    const changed = CHANGED.get(method);
    if (changed !== undefined) for (const kind of changed) peer.refresh(kind);
    else if (method === 'notifications/progress') this.#progress(peer, message);
    else if (method === 'notifications/cancelled') this.#takeBack(peer, message);
    else if (method === 'notifications/message') this.#passLog(peer, message);
    else if (method === 'notifications/resources/updated') this.#passUpdate(peer, message);
    else {
      const taskIds = encodeTaskIds(message, peer, method.startsWith('notifications/tasks'));
      if (!this.#eras.consume(peer, message, taskIds))
        this.#shared.toClient(...splice(message.pieces, [...taskIds, ...this.#eras.untag(message, peer)]));
    }
  }

  #progress(peer: Peer, message: Notification): void {
    const span = message.param('progressToken');
    const token = span && peer.calls.findToken(message.text(span));
    if (span === undefined || token === undefined) return;
    const renamed = { span, bytes: Buffer.from(token, 'latin1') };
    this.#shared.toClient(...splice(message.pieces, [renamed, ...encodeTaskIds(message, peer)]));
  }

  #takeBack(peer: Peer, message: Notification): void {
    const span = message.param('requestId');
    if (span !== undefined && this.#eras.takeBack(peer, message.text(span))) return;
    const question = span && this.#shared.questions.takeByServerId(peer.key, message.text(span));
    if (span === undefined || question === undefined || !this.#shared.isInitialized) return;
    this.#shared.toClient(...splice(message.pieces, [{ span, bytes: Buffer.from(question.id) }]));
  }

  #passLog(peer: Peer, message: Notification): void {
    const { params } = message;
    if (params === undefined || !message.hasParams || !this.#eras.passesLog(peer, message)) return;
    const logger = message.param('logger');
    if (logger !== undefined) {
      const name = message.string(logger);
      const own = name === undefined ? peer.key : qualify(peer.key, name, this.#shared.separator);
      const bytes = Buffer.from(JSON.stringify(own));
      const splices = [{ span: logger, bytes }, ...encodeTaskIds(message, peer)];
      this.#shared.toClient(...splice(message.pieces, splices));
      return;
    }
    const inside = { start: params.start + 1, end: params.start + 1 };
    const isEmpty = /^\{\s*\}$/.test(message.text(params));
    const bytes = Buffer.from(`"logger":${JSON.stringify(peer.key)}${isEmpty ? '' : ','}`);
    const splices = [{ span: inside, bytes }, ...encodeTaskIds(message, peer)];
    this.#shared.toClient(...splice(message.pieces, splices));
  }

  /** Under the URI that the client knows; only a client that subscribed at this server hears of it. */
  #passUpdate(peer: Peer, message: Notification): void {
    const span = message.param('uri');
    const uri = message.string(span);
    if (uri !== undefined) this.#eras.passUpdate(peer, message, uri);
    const { subscriptions } = this.#shared;
    if (span === undefined || uri === undefined || !subscriptions.holds(peer.key)) return;
    const exposed = subscriptions.nameOf(peer.key, uri) ?? uri;
    const splices = exposed === uri ? [] : [{ span, bytes: Buffer.from(JSON.stringify(exposed)) }];
    this.#shared.toClient(...splice(message.pieces, [...splices, ...this.#eras.untag(message, peer)]));
  }

  #fail(peer: Peer, call: Call, what: string): void {
    this.#shared.conclude(call, (id) => [failure(id, blame(peer, what))]);
  }
}

/** How an elicitation is to be made; one that does not say means a form. */
function readMode(message: Request): string {
  const { line, params } = message;
  return message.string(params && memberOf(line, params, 'mode')) ?? 'form';
}

/** An answer has exactly one of result and error, not counting a null beside the other. */
function findFault(answer: Answer): string | undefined {
  const hasResult = isThere(answer, answer.result);
  if (hasResult !== isThere(answer, answer.error)) return undefined;
  return hasResult ? 'both a result and an error' : 'neither a result nor an error';
}

function isThere(answer: Answer, span: Span | undefined): boolean {
  return span !== undefined && !(span.end - span.start === 4 && answer.text(span) === 'null');
}
