/** Takes each message of the client to where it belongs, or answers it. No I/O, no timers. */
import {
  type Answer,
  type Envelope,
  isAnswer,
  isNotification,
  isRequest,
  type Malformed,
  type Notification,
  type Request,
} from '../wire/envelope.ts';
import {
  failure,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  success,
} from '../wire/messages.ts';
import { type Splice, splice } from '../wire/splice.ts';
import type { Entry } from './catalog.ts';
import type { Conversation } from './conversation.ts';
import { type Identity, type Opening, readOpening, writeWelcome } from './handshake.ts';
import type { KindName } from './kinds.ts';
import { mayBelongTo } from './names.ts';
import type { Peer } from './peer.ts';
import { type Route, ROUTES } from './routes.ts';
import { findWanted, KIND_WORDS, type Wanted } from './wanted.ts';

export interface FromClientOptions {
  readonly identity: Identity;
  /** The client has said who it is: the servers can be opened. */
  readonly onOpen: (opening: Opening) => void;
  /** Calls back when the lists are as complete as the client may wait for. */
  readonly whenListed: (act: () => void) => void;
}

export class FromClient {
  readonly #shared: Conversation;
  readonly #options: FromClientOptions;
  /** Requests that wait for a server to come up; one that is cancelled meanwhile is taken out. */
  readonly #waiting = new Set<Request>();

  constructor(shared: Conversation, options: FromClientOptions) {
    this.#shared = shared;
    this.#options = options;
  }

  /** Requests that wait here because no server has them yet. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  receive(message: Envelope): void {
    if (isRequest(message)) this.#receiveRequest(message);
    else if (isNotification(message)) this.#receiveNotification(message);
    else if (isAnswer(message)) this.#receiveAnswer(message);
    else this.#fail(message.id, INVALID_REQUEST, 'Invalid request: "method" must be a string');
  }

  receiveMalformed({ problem, detail, id }: Malformed): void {
    if (problem === 'json') this.#fail(undefined, PARSE_ERROR, `Parse error: ${detail}`);
    else this.#fail(id, INVALID_REQUEST, `Invalid request: ${detail}`);
  }

  #receiveRequest(message: Request): void {
    const { id, method, params } = message;
    if (!/^["\d-]/.test(id)) {
      this.#fail(undefined, INVALID_REQUEST, 'Invalid request: "id" must be a string or a number');
    } else if (!message.isVersion2) {
      this.#fail(id, INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0"');
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
    const opening = readOpening(message);
    if (typeof opening === 'string') {
      this.#fail(message.id, INVALID_PARAMS, `Invalid params: ${opening}`);
      return;
    }
    if (this.#shared.opening === undefined) this.#shared.open(opening);
    this.#succeed(message.id, writeWelcome(opening, this.#options.identity));
    this.#options.onOpen(opening);
  }

  #route(message: Request, route: Route | undefined): void {
    if (route === undefined) {
      this.#fail(message.id, METHOD_NOT_FOUND, `Method not found: ${message.method}`);
    } else if (this.#shared.opening === undefined) {
      this.#fail(message.id, INVALID_PARAMS, `"${message.method}" came before "initialize"`);
    } else if (route.to === 'list') {
      this.#list(message, route.kind);
    } else if (route.to === 'all') {
      this.#tellAll(message, route.capability);
    } else {
      this.#deliver(message, route);
    }
  }

  #list(message: Request, kind: KindName): void {
    const cursor = message.param('cursor');
    if (cursor !== undefined && message.string(cursor) !== '') {
      this.#fail(message.id, INVALID_PARAMS, 'Invalid cursor: every list is given whole, on one page');
      return;
    }
    this.#options.whenListed(() => {
      this.#shared.listed.add(kind);
      this.#succeed(message.id, this.#shared.catalogs[kind].bytes);
    });
  }

  #tellAll(message: Request, capability: string): void {
    if (message.params === undefined) {
      this.#fail(message.id, INVALID_PARAMS, `"${message.method}" needs params`);
      return;
    }
    const params = message.bytes(message.params);
    this.#shared.logLevel = params;
    for (const peer of this.#shared.peers.values()) {
      if (peer.status === 'running' && peer.has(capability)) peer.tell(message.method, params);
    }
    this.#succeed(message.id, '{}');
  }

  #deliver(message: Request, route: Route): void {
    const wanted = findWanted(message, route);
    if (typeof wanted === 'string') {
      this.#fail(message.id, INVALID_PARAMS, wanted);
      return;
    }
    const entry = this.#shared.catalogs[wanted.kind].find(wanted.name);
    if (entry !== undefined) this.#forward(message, wanted, entry);
    else this.#waitForOwner(message, wanted);
  }

  /** Nobody has it; but one that is still starting may. */
  #waitForOwner(message: Request, wanted: Wanted): void {
    const next = [...this.#shared.peers.values()].find((peer) => this.#mayOwn(peer, wanted));
    if (next === undefined) {
      this.#waiting.delete(message);
      this.#failUnowned(message, wanted);
      return;
    }
    this.#waiting.add(message);
    next.whenSettled(() => {
      if (!this.#waiting.has(message)) return;
      const entry = this.#shared.catalogs[wanted.kind].find(wanted.name);
      if (entry === undefined) {
        this.#waitForOwner(message, wanted);
        return;
      }
      this.#waiting.delete(message);
      this.#forward(message, wanted, entry);
    });
  }

  #mayOwn(peer: Peer, { kind, name }: Wanted): boolean {
    if (peer.status !== 'initializing') return false;
    if (kind === 'resources' || kind === 'templates') return true;
    return mayBelongTo(peer.key, name, this.#shared.separator);
  }

  #failUnowned(message: Request, { kind, name }: Wanted): void {
    const down = [...this.#shared.peers.values()].find(
      (peer) => peer.problem !== undefined && mayBelongTo(peer.key, name, this.#shared.separator),
    );
    this.#shared.toClient(
      failure(message.id, {
        code: INVALID_PARAMS,
        message: `${KIND_WORDS[kind]} not found: ${name}`,
        ...(down && { data: { server: down.key, reason: down.problem } }),
      }),
    );
  }

  #forward(message: Request, { span, name }: Wanted, entry: Entry): void {
    const peer = this.#shared.ownerOf(entry);
    if (peer.isBusy) {
      this.#shared.toClient(
        failure(message.id, {
          code: INTERNAL_ERROR,
          message: `Server "${peer.key}" is busy: it has stopped reading what it is sent; try again later`,
          data: { server: peer.key },
        }),
      );
      return;
    }
    const call = peer.calls.add(message);
    const splices: Splice[] = [];
    if (name !== entry.item.name) {
      const { bytes, nameSpan } = entry.item;
      splices.push({ span, bytes: bytes.subarray(nameSpan.start, nameSpan.end) });
    }
    if (call.sentId !== call.id) {
      splices.push({ span: message.idSpan, bytes: Buffer.from(call.sentId) });
    }
    peer.send(...splice(message.pieces, splices));
  }

  #receiveAnswer(message: Answer): void {
    const question = this.#shared.questions.take(message.id);
    if (question === undefined) {
      this.#shared.log.debug(`The client answered a request that nobody made (id ${message.id})`);
      return;
    }
    const bytes = Buffer.from(question.serverId, 'latin1');
    const pieces = splice(message.pieces, [{ span: message.idSpan, bytes }]);
    this.#shared.peers.get(question.key)?.send(...pieces);
  }

  #receiveNotification(message: Notification): void {
    if (message.method === 'notifications/initialized') this.#shared.isInitialized = true;
    else if (message.method === 'notifications/cancelled') this.#cancel(message);
    else if (message.method === 'notifications/progress') this.#reportProgress(message);
    else this.#forwardToAll(message);
  }

  #cancel(message: Notification): void {
    const span = message.param('requestId');
    if (span === undefined) return;
    const id = message.text(span);
    const waiting = [...this.#waiting].find((request) => request.id === id);
    if (waiting !== undefined && this.#waiting.delete(waiting)) return;
    for (const peer of this.#shared.peers.values()) {
      const call = peer.calls.takeByClientId(id);
      if (call === undefined) continue;
      peer.send(...splice(message.pieces, [{ span, bytes: Buffer.from(call.sentId, 'latin1') }]));
      return;
    }
  }

  #reportProgress(message: Notification): void {
    const span = message.param('progressToken');
    const question = span && this.#shared.questions.find(message.text(span));
    if (span === undefined || question?.serverToken === undefined) return;
    const bytes = Buffer.from(question.serverToken, 'latin1');
    this.#shared.peers.get(question.key)?.send(...splice(message.pieces, [{ span, bytes }]));
  }

  #forwardToAll(message: Notification): void {
    for (const peer of this.#shared.peers.values()) {
      if (peer.status === 'running' && !peer.isBusy) peer.send(...message.pieces);
    }
  }

  #succeed(id: string, result: string | Buffer): void {
    this.#shared.toClient(...success(id, result));
  }

  #fail(id: string | undefined, code: number, message: string): void {
    this.#shared.toClient(failure(id, { code, message }));
  }
}
