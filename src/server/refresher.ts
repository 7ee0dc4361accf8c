/** Reads lists again that a server says have changed: each one at a time, and once for all changes meanwhile. */
import type { KindName } from '../protocol/kinds.ts';
import type { ServerList } from '../protocol/lists.ts';

export class Refresher {
  readonly #read: (kind: KindName) => Promise<ServerList>;
  readonly #take: (kind: KindName, list: ServerList) => void;
  readonly #wanted = new Set<KindName>();
  readonly #reading = new Set<KindName>();
  #isStarted = false;

  constructor(
    read: (kind: KindName) => Promise<ServerList>,
    take: (kind: KindName, list: ServerList) => void,
  ) {
    this.#read = read;
    this.#take = take;
  }

  /** The lists have been read for the first time; one that changed meanwhile is read again. */
  start(): void {
    this.#isStarted = true;
    for (const kind of this.#wanted) this.#next(kind);
  }

  refresh(kind: KindName): void {
    this.#wanted.add(kind);
    this.#next(kind);
  }

  #next(kind: KindName): void {
    if (!this.#isStarted || this.#reading.has(kind) || !this.#wanted.delete(kind)) return;
    this.#reading.add(kind);
    void this.#read(kind).then((list) => {
      this.#reading.delete(kind);
      this.#take(kind, list);
      this.#next(kind);
    });
  }
}
