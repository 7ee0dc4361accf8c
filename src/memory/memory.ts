/** What is known of the servers from earlier runs: brings it back at a start, and keeps what is new. */
import type { ServerConfig } from '../config/load.ts';
import type { Conversation } from '../protocol/conversation.ts';
import { type Description, type Identity, summarize } from '../protocol/handshake.ts';
import { KIND_NAMES } from '../protocol/kinds.ts';
import { Cache } from './cache.ts';
import { type Facts, hasItems } from './facts.ts';
import type { Knowledge } from './knowledge.ts';
import { createOverview, type Overview } from './overview.ts';

/** What servers say of themselves is written down when they have all said it. */
const SAVE_AFTER_MS = 500;

/** A server as far as it is remembered. */
export interface Remembered {
  readonly key: string;
  readonly config: ServerConfig;
  readonly known: Knowledge;
  /** It is known from an earlier run; `bring` hands over what is, when that is needed. */
  expectRecall(bring: () => void): void;
  /** What is known of it from an earlier run, if anything is. */
  recall(facts: Facts | undefined): void;
}

export class Memory {
  readonly #cache: Cache;
  readonly #servers: readonly Remembered[];
  readonly #shared: Conversation;
  /** Stands for all that is known, until something is needed of a single server. */
  #overview: Overview | undefined;
  #isUnfolded = false;
  #saveTimer: NodeJS.Timeout | undefined;

  constructor(cache: Cache, servers: readonly Remembered[], shared: Conversation) {
    this.#cache = cache;
    this.#servers = servers;
    this.#shared = shared;
  }

  /** Servers that were started before are listed without a process. */
  recall(): void {
    this.#overview = this.#cache.readOverview(this.#identifyAll());
    if (this.#overview === undefined) {
      this.#unfold();
      return;
    }
    const unfold = (): void => this.#unfold();
    for (const kind of KIND_NAMES) {
      const { naming, lists } = this.#overview;
      this.#shared.catalogs[kind].prepare(naming, lists[kind], unfold);
    }
    for (const server of this.#servers) server.expectRecall(unfold);
  }

  /** What the client is told of all servers. */
  describe(identity: Identity): Description {
    if (this.#overview !== undefined) return { identity, summary: this.#overview.summary, isComplete: true };
    const welcomes = this.#servers.flatMap((server): [string, Buffer][] => {
      const welcome = server.known.facts?.welcome ?? this.#cache.readWelcome(server.known.id);
      return welcome === undefined ? [] : [[server.key, welcome]];
    });
    const isComplete = this.#servers.every(({ known }) => known.facts !== undefined);
    return { identity, summary: summarize(welcomes), isComplete };
  }

  /** A server has said something of itself. */
  remember({ known: { id, facts } }: Remembered): void {
    if (facts === undefined) return;
    this.#cache.update(id, facts);
    this.#saveTimer ??= setTimeout(() => this.save(), SAVE_AFTER_MS).unref();
  }

  save(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    const ids = new Set(this.#servers.map(({ known }) => known.id));
    this.#cache.save(ids, this.#identifyAll(), () => this.#summarizeAll());
  }

  /** Everything that the overview stands for, server by server. */
  #unfold(): void {
    if (this.#isUnfolded) return;
    this.#isUnfolded = true;
    this.#overview = undefined;
    const known = this.#cache.readAll();
    for (const server of this.#servers) {
      const facts = known.get(server.known.id);
      server.recall(facts);
      if (facts === undefined) continue;
      for (const kind of KIND_NAMES) this.#shared.catalogs[kind].replace(server.key, facts.lists[kind]);
    }
  }

  /** Only of servers that are all known, and all worth listing: the others would have to be started first. */
  #summarizeAll(): Overview | undefined {
    const known = new Map<string, Facts>();
    for (const server of this.#servers) {
      const { facts } = server.known;
      if (hasItems(facts)) known.set(server.key, facts);
    }
    if (known.size < this.#servers.length) return undefined;
    return createOverview(known, this.#shared.catalogs.tools.naming);
  }

  #identifyAll(): string {
    return Cache.identifyAll(this.#servers.map(({ config }) => config));
  }
}
