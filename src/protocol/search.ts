/** Looks for the server of a URI that nothing speaks of: asks one after the other, each as if it had it, until one has. */
import type { Eras } from '../era/eras.ts';
import type { Answer, Request } from '../wire/envelope.ts';
import { readError } from '../wire/error.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../wire/messages.ts';
import type { Elsewhere } from './calls.ts';
import type { Owner } from './owners.ts';
import type { Peer } from './peer.ts';

/** What servers answer when they do not have a resource: the code of the protocol, what it became, and that of those with no such request. */
const NOT_FOUND_CODES: ReadonlySet<number> = new Set([-32_002, INVALID_PARAMS, METHOD_NOT_FOUND]);

export interface SearchSteps {
  /** Acts when the server is running, or will not be. */
  readonly wait: (peer: Peer, act: () => void) => void;
  /** Sends the request to a server that is running; `elsewhere` is called instead of the client when that is in vain. */
  readonly forward: (owner: Owner, elsewhere: Elsewhere) => void;
  /** Tells the client that nobody has it. */
  readonly fail: () => void;
  /** Servers that cannot be asked whether they have it are all to tell of it. */
  readonly subscribeAll: (owners: readonly Owner[]) => void;
}

export class Search {
  readonly #eras: Eras;
  readonly #message: Request;
  /** What is looked for, as the client wrote it. */
  readonly #original: Buffer;
  readonly #steps: SearchSteps;
  readonly #left: Peer[];
  readonly #silent: Peer[] = [];
  #fail: () => void;
  /** Whether that is for another reason than that a server does not have it. */
  #isTelling = false;

  constructor(
    eras: Eras,
    message: Request,
    original: Buffer,
    candidates: readonly Peer[],
    steps: SearchSteps,
  ) {
    this.#eras = eras;
    this.#message = message;
    this.#original = original;
    this.#left = [...candidates];
    this.#steps = steps;
    this.#fail = steps.fail;
  }

  /** Asks the next server. */
  next(): void {
    const peer = this.#left.shift();
    if (peer === undefined) {
      const owners = this.#silent.map((silent) => this.#assume(silent));
      if (owners.length > 0) this.#steps.subscribeAll(owners);
      else this.#fail();
      return;
    }
    this.#steps.wait(peer, () => {
      if (peer.status === 'running' && !this.#eras.isSubscribing(this.#message, peer)) {
        this.#steps.forward(this.#assume(peer), (fail, refusal) => this.#goOn(fail, refusal));
        return;
      }
      if (peer.status === 'running') this.#silent.push(peer);
      this.next();
    });
  }

  #goOn(fail: () => void, refusal: Answer | undefined): void {
    // What went wrong at one that may have it says more than that another has it not.
    if (!this.#isTelling) this.#fail = fail;
    this.#isTelling ||= refusal !== undefined && !NOT_FOUND_CODES.has(readError(refusal).code);
    this.next();
  }

  #assume(peer: Peer): Owner {
    return { peer, original: this.#original };
  }
}
