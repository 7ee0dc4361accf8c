/** Takes each request of a client of the stateless era to where it belongs, or answers it. Such a request says of itself all there is to know. */
import type { Conversation } from '../protocol/conversation.ts';
import { ROUTES } from '../protocol/routes.ts';
import type { Request } from '../wire/envelope.ts';
import { type ErrorObject, failure, INVALID_PARAMS, METHOD_NOT_FOUND, success } from '../wire/messages.ts';
import { Claims } from './claim.ts';
import { writeDiscovery, writeServer } from './discover.ts';
import type { Listens } from './listens.ts';
import { openModern } from './meta.ts';
import {
  CACHE_HINTS,
  COMPLETE,
  DISCOVER,
  LISTEN,
  MODERN_METHODS,
  ONLY_MODERN,
  VERSION_KEY,
} from './modern.ts';
import type { Suspensions } from './suspensions.ts';
import type { Claim, Desk } from './types.ts';

export class FromModernClient {
  readonly #shared: Conversation;
  readonly #listens: Listens;
  readonly #suspensions: Suspensions;
  readonly #claims = new Claims();

  constructor(shared: Conversation, listens: Listens, suspensions: Suspensions) {
    this.#shared = shared;
    this.#listens = listens;
    this.#suspensions = suspensions;
  }

  /** False for a request of the handshake era, which is none of ours. */
  receive(message: Request, desk: Desk): boolean {
    const { method } = message;
    const claim = this.#claims.read(message);
    if (claim === undefined && !ONLY_MODERN.has(method)) return false;
    if (claim === undefined)
      this.#fail(message, {
        code: INVALID_PARAMS,
        message: `Invalid params: "${method}" needs "_meta" with "${VERSION_KEY}"`,
      });
    else if ('code' in claim) this.#fail(message, claim);
    else this.#serve(message, claim, desk);
    return true;
  }

  #serve(message: Request, claim: Claim, desk: Desk): void {
    const { id, method } = message;
    if (method === DISCOVER) {
      this.#shared.answer(id, ...success(id, writeDiscovery(desk.describe())));
      return;
    }
    const route = MODERN_METHODS.has(method) ? ROUTES.get(method) : undefined;
    if (route === undefined && method !== LISTEN) {
      this.#fail(message, { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` });
      return;
    }
    // Not by `server/discover`: a client may ask that and then decide for the handshake.
    if (this.#shared.opening === undefined) desk.open(openModern(claim));
    if (route === undefined) this.#listens.begin(message, claim);
    else if (route.to === 'list')
      desk.list(message, route.kind, `${COMPLETE},${CACHE_HINTS},${writeServer(desk.describe().identity)},`);
    else if (!this.#suspensions.resume(message, claim)) desk.deliver(message, route, claim);
  }

  #fail({ id }: Request, error: ErrorObject): void {
    this.#shared.answer(id, failure(id, error));
  }
}
