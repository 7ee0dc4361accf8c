/** The words that this room and the others have in common. Does nothing. */
import type { Clock } from '../clock.ts';
import type { Call } from '../protocol/calls.ts';
import type { Description, Opening } from '../protocol/handshake.ts';
import type { KindName } from '../protocol/kinds.ts';
import type { Peer } from '../protocol/peer.ts';
import type { Route } from '../protocol/routes.ts';
import type { Answer, Request } from '../wire/envelope.ts';
import type { Splice } from '../wire/splice.ts';

/** With a handshake (up to 2025-11-25), or without (from 2026-07-28 on). */
export type Era = 'legacy' | 'modern';

export type Capabilities = Readonly<Record<string, unknown>>;

/** What a request of the stateless era says of its client. */
export interface Claim {
  readonly capabilities: Capabilities;
  /** The same in the client's bytes, and what it says of itself. */
  readonly rawCapabilities: Buffer;
  readonly rawClient: Buffer | undefined;
  readonly logLevel: string | undefined;
}

/** Members of `_meta` by name, as JSON text. */
export type Meta = Readonly<Record<string, string>>;

/** What stands between a client and a server of different eras, for one call. */
export interface Bridge {
  /** What the call is for, as the client calls it. */
  readonly target: string | undefined;
  /** What is to be changed in the server's answer; undefined when the answer is not for the client. */
  raise(peer: Peer, call: Call, answer: Answer): readonly Splice[] | undefined;
  /** The client has taken the call back; true when there is nothing that the server should hear of it. */
  cancel(peer: Peer): boolean;
}

/** How a request of the stateless era is served by the one who takes the requests of all clients. */
export interface Desk {
  describe(): Description;
  /** The client has said who it is: the servers can be opened. */
  open(opening: Opening): void;
  /** `members` stand in front of those that are the list. */
  list(message: Request, kind: KindName, members: string): void;
  deliver(message: Request, route: Route, claim: Claim): void;
}

/** What a room without clocks and dice is lent. */
export interface Tools extends Clock {
  /** A text that nobody can guess. */
  createSecret(): string;
}
