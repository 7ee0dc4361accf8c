/** Takes each message of the client to where it belongs, or answers it. No I/O, no timers. */
import type { Eras } from '../era/eras.ts';
import type { Claim, Desk } from '../era/types.ts';
import { BATCH_VERSION, splitBatch } from '../wire/batch.ts';
import {
  type Answer,
  Envelope,
  isAnswer,
  isNotification,
  isRequest,
  type Malformed,
  type Notification,
  type Request,
} from '../wire/envelope.ts';
import {
  failure,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  success,
} from '../wire/messages.ts';
import { splice } from '../wire/splice.ts';
import type { Conversation } from './conversation.ts';
import type { Delivery } from './delivery.ts';
import { type Description, type Opening, readOpening, writeWelcome } from './handshake.ts';
import type { KindName } from './kinds.ts';
import { type Route, ROUTES } from './routes.ts';
import { listTasks } from './task-list.ts';
import { decodeTaskIds } from './tasks.ts';
import { findWanted } from './wanted.ts';

export interface FromClientOptions {
  /** What the client is told of us. */
  readonly describe: () => Description;
  /** The client has said who it is: the servers can be opened. */
  readonly onOpen: (opening: Opening) => void;
  /** Calls back when the lists are as complete as the client may wait for. */
  readonly whenListed: (act: () => void) => void;
}

export class FromClient {
  readonly #shared: Conversation;
  readonly #eras: Eras;
  readonly #options: FromClientOptions;
  readonly #delivery: Delivery;
  /** For the requests that need no handshake. */
  readonly #desk: Desk = {
    describe: () => this.#options.describe(),
    open: (opening) => this.#open(opening),
    list: (message, kind, members) => this.#list(message, kind, members),
    deliver: (message, route, claim) => this.#deliver(message, route, claim),
  };

  constructor(shared: Conversation, eras: Eras, delivery: Delivery, options: FromClientOptions) {
    this.#shared = shared;
    this.#eras = eras;
    this.#delivery = delivery;
    this.#options = options;
  }

  receive(message: Envelope): void {
    if (isRequest(message)) this.#receiveRequest(message);
    else if (isNotification(message)) this.#receiveNotification(message);
    else if (isAnswer(message) && (message.result ?? message.error)) this.#receiveAnswer(message);
    else this.#fail(message.id, INVALID_REQUEST, 'Invalid request: "method" must be a string');
  }

  receiveMalformed({ problem, detail, id, batch }: Malformed): void {
    if (batch !== undefined && this.#shared.legacy?.protocolVersion === BATCH_VERSION)
      this.#receiveBatch(batch);
    else if (problem === 'json') this.#fail(undefined, PARSE_ERROR, `Parse error: ${detail}`);
    else this.#fail(id, INVALID_REQUEST, `Invalid request: ${detail}`);
  }

  #receiveBatch(batch: readonly Buffer[]): void {
    const messages = splitBatch(batch);
    if (messages.length === 0) this.#fail(undefined, INVALID_REQUEST, 'Invalid request: the batch is empty');
    this.#shared.batches.begin(
      messages.flatMap((one) => (one instanceof Envelope && isRequest(one) ? [one.id] : [])),
    );
    for (const one of messages) {
      if (one instanceof Envelope) this.receive(one);
      else this.receiveMalformed(one);
    }
    this.#shared.toClient(...this.#shared.batches.end());
  }

  #receiveRequest(message: Request): void {
    const { id, method, params } = message;
    if (!/^["\d-]/.test(id)) {
      this.#fail(undefined, INVALID_REQUEST, 'Invalid request: "id" must be a string or a number');
    } else if (!message.isVersion2) {
      this.#fail(id, INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0"');
    } else if (this.#eras.receive(message, this.#desk)) {
      // It was of the stateless era.
    } else if (method === 'ping') {
      this.#succeed(id, '{}');
    } else if (params !== undefined && !message.hasParams) {
      this.#fail(id, INVALID_PARAMS, 'Invalid params: "params" must be an object');
    } else if (method === 'initialize') {
      this.#initialize(message);
    } else {
      this.#route(message, ROUTES.get(method));
    }
  }

  #initialize(message: Request): void {
    const opening = readOpening(message, this.#eras.mapHandshake(message));
    if (typeof opening === 'string') {
      this.#fail(message.id, INVALID_PARAMS, `Invalid params: ${opening}`);
      return;
    }
    this.#succeed(message.id, writeWelcome(opening, this.#options.describe()));
    this.#open(opening);
  }

  #open(opening: Opening): void {
    this.#shared.open(opening);
    this.#options.onOpen(opening);
  }

  #route(message: Request, route: Route | undefined): void {
    if (route === undefined) {
      this.#fail(message.id, METHOD_NOT_FOUND, `Method not found: ${message.method}`);
    } else if (this.#shared.legacy === undefined) {
      this.#fail(message.id, INVALID_PARAMS, `"${message.method}" came before "initialize"`);
    } else if (route.to === 'list') {
      this.#list(message, route.kind);
    } else if (route.to === 'all') {
      this.#tellAll(message, route.capability);
    } else if (route.to === 'tasks') {
      if (this.#refusesCursor(message)) return;
      const asked = [...this.#shared.peers.values()].filter((peer) => this.#eras.hasHandshake(peer));
      void listTasks(asked).then((list) => this.#succeed(message.id, list));
    } else {
      this.#deliver(message, route);
    }
  }

  /** `members` stand in front of those that are the list. */
  #list(message: Request, kind: KindName, members = ''): void {
    if (this.#refusesCursor(message)) return;
    this.#options.whenListed(() => {
      this.#shared.listed.add(kind);
      const list = this.#shared.renderList(kind);
      const whole = members === '' ? list : Buffer.concat([Buffer.from(`{${members}`), list.subarray(1)]);
      this.#succeed(message.id, whole);
    });
  }

  #refusesCursor(message: Request): boolean {
    const cursor = message.param('cursor');
    if (cursor === undefined || message.string(cursor) === '') return false;
    this.#fail(message.id, INVALID_PARAMS, 'Invalid cursor: every list is given whole, on one page');
    return true;
  }

  #tellAll(message: Request, capability: string): void {
    if (message.params === undefined) {
      this.#fail(message.id, INVALID_PARAMS, `"${message.method}" needs params`);
      return;
    }
    const params = message.bytes(message.params);
    this.#shared.logLevel = params;
    for (const peer of this.#shared.peers.values()) {
      // Whoever objects is not to spoil it for the others.
      if (peer.status === 'running' && this.#eras.hasHandshake(peer) && peer.has(capability))
        peer.ask(message.method, params).catch(() => {});
    }
    this.#succeed(message.id, '{}');
  }

  #deliver(message: Request, route: Route, claim?: Claim): void {
    const wanted = findWanted(message, route);
    if (typeof wanted === 'string') this.#fail(message.id, INVALID_PARAMS, wanted);
    else this.#delivery.deliver(message, claim === undefined ? wanted : { ...wanted, claim });
  }

  #receiveAnswer(message: Answer): void {
    const question = this.#shared.questions.take(message.id);
    if (question === undefined) {
      this.#shared.log.debug(`The client answered a request that nobody made (id ${message.id})`);
      return;
    }
    const { clientTasks, peers } = this.#shared;
    const { key, method, serverId, onAnswer } = question;
    if (onAnswer !== undefined) {
      onAnswer(message);
      return;
    }
    const peer = peers.get(key);
    if (peer === undefined) return;
    clientTasks.note(key, message);
    const inside = method === 'tasks/list' ? clientTasks.narrow(key, message) : decodeTaskIds(message, peer);
    const id = { span: message.idSpan, bytes: Buffer.from(serverId, 'latin1') };
    peer.send(...splice(message.pieces, [id, ...inside]));
  }

  #receiveNotification(message: Notification): void {
    if (message.method === 'notifications/initialized') this.#shared.initialize();
    else if (message.method === 'notifications/cancelled') this.#delivery.cancel(message);
    else if (message.method === 'notifications/progress') this.#reportProgress(message);
    else if (message.method === 'notifications/tasks/status') this.#reportTask(message);
    // A call that wants no answer is none; to send it to all servers would be worse.
    else if (!ROUTES.has(message.method)) this.#forwardToAll(message);
  }

  #reportProgress(message: Notification): void {
    const span = message.param('progressToken');
    const question = span && this.#shared.questions.find(message.text(span));
    if (span === undefined || question?.serverToken === undefined) return;
    const bytes = Buffer.from(question.serverToken, 'latin1');
    this.#shared.peers.get(question.key)?.send(...splice(message.pieces, [{ span, bytes }]));
  }

  /** News of a task that the client made, for the server that it made it for. */
  #reportTask(message: Notification): void {
    const taskId = message.string(message.param('taskId')) ?? '';
    const key = this.#shared.clientTasks.find(taskId) ?? '';
    this.#shared.peers.get(key)?.send(...message.pieces);
  }

  #forwardToAll(message: Notification): void {
    for (const peer of this.#shared.peers.values()) {
      if (peer.status !== 'running' || peer.isBusy || !this.#eras.hasHandshake(peer)) continue;
      peer.send(...splice(message.pieces, this.#eras.lower(message, peer)));
    }
  }

  #succeed(id: string, result: string | Buffer): void {
    this.#shared.answer(id, ...success(id, result));
  }

  #fail(id: string | undefined, code: number, message: string): void {
    this.#shared.answer(id, failure(id, { code, message }));
  }
}
