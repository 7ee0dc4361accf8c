/** Tells the client that lists have changed: soon, and once for many changes. */
import { KINDS, type KindName } from './protocol/kinds.ts';

/** Changes this close together are one change to the client. */
const GATHER_MS = 50;

export class Announcer {
  readonly #tell: (method: string) => void;
  readonly #changed = new Set<KindName>();
  #timer: NodeJS.Timeout | undefined;

  /** `tell` says it in the way that the client understands. */
  constructor(tell: (method: string) => void) {
    this.#tell = tell;
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
    for (const method of methods) this.#tell(method);
  }
}
