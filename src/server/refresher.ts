/** Reads the lists of one server: all at its start, and again what it says has changed. Tells of a burst when it is over. */
import { byKind, KIND_NAMES, type KindName, KINDS } from '../protocol/kinds.ts';
import type { Item, ServerList } from '../protocol/lists.ts';

/** How long the other lists may hold up a server that has given its tools. */
const LONGEST_WAIT_MS = 2000;

/** A server that never stops changing is told of this often. */
const LONGEST_BURST_MS = 1000;

export interface RefresherOptions {
  readonly read: (kind: KindName) => Promise<ServerList>;
  /** What is known of a list before it is read. */
  readonly recall: (kind: KindName) => readonly Item[];
  /** Takes what was read, at once. */
  readonly take: (kind: KindName, list: ServerList) => void;
  /** The client is to hear that a list has changed. */
  readonly tell: (kind: KindName) => void;
  /** Milliseconds since some moment. */
  readonly now: () => number;
}

export class Refresher {
  readonly #options: RefresherOptions;
  readonly #wanted = new Set<KindName>();
  readonly #reading = new Set<KindName>();
  /** Read again, and not told of yet. */
  readonly #untold = new Set<KindName>();
  #toldAt = 0;
  #isStarted = false;

  constructor(options: RefresherOptions) {
    this.#options = options;
  }

  /** Reads all lists. One that takes long counts as it was until it is there: some servers fetch theirs from afar. */
  async readAll(takeAll: (lists: Readonly<Record<KindName, ServerList>>) => void): Promise<void> {
    const found = new Map<KindName, ServerList>();
    const readings = byKind(async (kind) => {
      this.#reading.add(kind);
      const list = await this.#options.read(kind);
      if (this.#isStarted) this.#finish(kind, list);
      else found.set(kind, list);
    });
    await readings.tools;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise((resolve) => (timer = setTimeout(resolve, LONGEST_WAIT_MS)));
    await Promise.race([Promise.all(Object.values(readings)), tooLong]);
    clearTimeout(timer);
    this.#isStarted = true;
    for (const kind of found.keys()) this.#reading.delete(kind);
    takeAll(byKind((kind) => found.get(kind) ?? this.#replaceLate(kind)));
    // What has changed meanwhile.
    for (const kind of KIND_NAMES) this.#next(kind);
  }

  refresh(kind: KindName): void {
    this.#wanted.add(kind);
    this.#next(kind);
  }

  #next(kind: KindName): void {
    if (!this.#isStarted || this.#reading.has(kind) || !this.#wanted.delete(kind)) return;
    if (this.#reading.size === 0 && this.#untold.size === 0) this.#toldAt = this.#options.now();
    this.#reading.add(kind);
    void this.#options.read(kind).then((list) => this.#finish(kind, list));
  }

  #finish(kind: KindName, list: ServerList): void {
    this.#reading.delete(kind);
    this.#options.take(kind, list);
    this.#untold.add(kind);
    this.#next(kind);
    if (this.#reading.size === 0 || this.#options.now() - this.#toldAt > LONGEST_BURST_MS) this.#tell();
  }

  #replaceLate(kind: KindName): ServerList {
    const items = this.#options.recall(kind);
    const until = items.length === 0 ? 'empty' : 'what it was';
    return {
      items,
      findings: [`${KINDS[kind].list} is not answered yet; it counts as ${until} until it is`],
    };
  }

  #tell(): void {
    this.#toldAt = this.#options.now();
    for (const kind of this.#untold) this.#options.tell(kind);
    this.#untold.clear();
  }
}
