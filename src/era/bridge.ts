/** What stands between a client and a server of different eras, for one call. */
import type { Call } from '../protocol/calls.ts';
import type { Peer } from '../protocol/peer.ts';
import type { Answer } from '../wire/envelope.ts';
import type { Splice } from '../wire/splice.ts';

export interface Bridge {
  /** What the call is for, as the client calls it. */
  readonly target: string | undefined;
  /** What is to be changed in the server's answer; undefined when the answer is not for the client. */
  raise(peer: Peer, call: Call, answer: Answer): readonly Splice[] | undefined;
}

/** What the rooms without clocks and dice are lent. */
export interface Tools {
  /** Acts later, unless the returned function is called before. */
  later(ms: number, act: () => void): () => void;
  /** A text that nobody can guess. */
  createSecret(): string;
}
