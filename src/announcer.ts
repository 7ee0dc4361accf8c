/** Tells the client that lists have changed: soon, and once for many changes. */
import { KINDS, type KindName } from './protocol/kinds.ts';
import { notification } from './wire/messages.ts';

/** Changes this close together are one change to the client. */
const GATHER_MS = 50;

export class Announcer {
  readonly #send: (line: Buffer) => void;
  readonly #changed = new Set<KindName>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (line: Buffer) => void) {
    this.#send = send;
  }

  add(kind: KindName): void {
    this.#changed.add(kind);
    this.#timer ??= setTimeout(() => this.#announce(), GATHER_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #announce(): void {
    const methods = new Set([...this.#changed].map((kind) => KINDS[kind].changed));
    this.#changed.clear();
    this.#timer = undefined;
    for (const method of methods) this.#send(notification(method));
  }
}
