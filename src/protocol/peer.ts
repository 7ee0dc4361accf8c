/** A server as the protocol sees it: somebody to send to, with what it has said of itself, and who can be brought back. */
import type { Era } from '../era/types.ts';
import type { Answer } from '../wire/envelope.ts';
import { type ErrorObject, INTERNAL_ERROR, type Json } from '../wire/messages.ts';
import type { Calls } from './calls.ts';
import type { KindName } from './kinds.ts';

/** `ending` from the first sign of its death until all of it has come: what it is sent now, nobody reads. */
export type ServerStatus = 'initializing' | 'running' | 'ending' | 'failed' | 'stopped';

export interface Peer {
  readonly key: string;
  readonly status: ServerStatus;
  /** The one in which it was opened; what it is before does not matter. */
  readonly era: Era;
  /** What it says of itself, as JSON text. */
  readonly info: string | undefined;
  readonly calls: Calls;
  /** While it has something for the client that would be lost with its process, it is not put to rest. */
  readonly usage: { keepFor(ms: number): void };
  /** Why it is not running, as a sentence that may be shown. */
  readonly problem: string | undefined;
  /** Whether it takes what it is sent; too much may be waiting for it. */
  readonly isBusy: boolean;
  has(capability: string): boolean;
  send(...pieces: readonly Buffer[]): void;
  /** Answers what it asked of us, not of the client: that is no use of it. */
  reply(...pieces: readonly Buffer[]): void;
  /** Sends a request of our own; rejects when it is refused, or the server is gone. */
  ask(method: string, params?: Json): Promise<Answer>;
  /** Starts it again if it is down and may be started. */
  wake(): void;
  /** Calls back at once when it is running or down, otherwise as soon as it is one of them. */
  whenSettled(act: () => void): void;
  /** Reads a list again, after the server said that it has changed. */
  refresh(kind: KindName): void;
}

/** The error that a request gets for what happened to its server, or what that did; `what` follows the name. */
export function blame({ key }: Pick<Peer, 'key'>, what: string, more: object = {}): ErrorObject {
  return { code: INTERNAL_ERROR, message: `Server "${key}" ${what}`, data: { server: key, ...more } };
}

/** Calls back when it is running, or will not be. One that is ending can be started only when it has ended. */
export function bringUp(peer: Peer, act: () => void): void {
  if (peer.status === 'ending') {
    peer.whenSettled(() => bringUp(peer, act));
    return;
  }
  peer.wake();
  peer.whenSettled(act);
}
