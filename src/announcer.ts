/** Tells the client that lists have changed: soon, and once for many changes. */
import { KINDS, type KindName } from './protocol/kinds.ts';

/** Changes this close together are one change to the client. */
const QUIET_MS = 50;
/** But not for ever. */
const LONGEST_MS = 500;

export class Announcer {
  readonly #tell: (method: string) => void;
  readonly #changed = new Set<KindName>();
  #quiet: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;

  /** `tell` says it in the way that the client understands. */
  constructor(tell: (method: string) => void) {
    this.#tell = tell;
  }

  add(kind: KindName): void {
    this.#changed.add(kind);
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#announce(), QUIET_MS);
    this.#limit ??= setTimeout(() => this.#announce(), LONGEST_MS);
  }

  close(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#limit);
  }

  #announce(): void {
    const methods = new Set([...this.#changed].map((kind) => KINDS[kind].changed));
    this.#changed.clear();
    this.close();
    this.#limit = undefined;
    for (const method of methods) this.#tell(method);
  }
}
