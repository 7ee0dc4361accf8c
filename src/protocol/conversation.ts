/** What both directions share: who takes part, what has been agreed on, what is listed, asked and subscribed to. */
import type { Log } from '../log.ts';
import { Batches } from './batches.ts';
import type { Call, Finish } from './calls.ts';
import { Catalog } from './catalog.ts';
import { ClientTasks } from './client-tasks.ts';
import type { Opening } from './handshake.ts';
import { byKind, KIND_NAMES, KINDS, type KindName } from './kinds.ts';
import { Links } from './links.ts';
import { chooseNaming } from './names.ts';
import type { Peer } from './peer.ts';
import { Questions } from './questions.ts';
import { Subscriptions } from './subscriptions.ts';

export interface ConversationOptions {
  /** In the order of the config. */
  readonly peers: readonly Peer[];
  /** Only when it was asked for explicitly. */
  readonly separator: string | undefined;
  /** Whether servers that are down are started again. */
  readonly restart: boolean;
  readonly log: Log;
  readonly toClient: (...pieces: readonly Buffer[]) => void;
}

export class Conversation {
  readonly peers: ReadonlyMap<string, Peer>;
  readonly catalogs: Readonly<Record<KindName, Catalog>>;
  readonly questions: Questions = new Questions();
  readonly links: Links = new Links();
  readonly batches: Batches = new Batches();
  readonly clientTasks: ClientTasks = new ClientTasks();
  readonly subscriptions: Subscriptions = new Subscriptions();
  readonly separator: string;
  readonly restart: boolean;
  readonly log: Log;
  readonly toClient: (...pieces: readonly Buffer[]) => void;
  readonly #explicitSeparator: string | undefined;
  /** The lists that the client has been given; only these can change for it. */
  readonly listed: Set<KindName> = new Set();
  /** Params of the client's last `logging/setLevel`, for servers that come later. */
  logLevel: Buffer | undefined;
  /** The client's handshake; a client without one is served too. */
  legacy: Opening | undefined;
  readonly #early: (() => void)[] = [];
  #isInitialized = false;
  #opening: Opening | undefined;
  /** What is odd about the lists as they were last given. */
  readonly #said = new Map<KindName, ReadonlySet<string>>();

  constructor({ peers, separator, restart, log, toClient }: ConversationOptions) {
    const naming = chooseNaming(undefined, separator);
    const keys = peers.map(({ key }) => key);
    this.peers = new Map(peers.map((peer) => [peer.key, peer]));
    this.catalogs = byKind((kind) => new Catalog(KINDS[kind], keys, naming));
    this.separator = naming.separator;
    this.restart = restart;
    this.log = log;
    this.toClient = toClient;
    this.#explicitSeparator = separator;
  }

  /** Whether the client has said that it is ready. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  initialize(): void {
    this.#isInitialized = true;
    for (const act of this.#early.splice(0)) act();
  }

  /** A client is asked nothing before it is ready. */
  whenInitialized(act: () => void): void {
    if (this.#isInitialized) act();
    else this.#early.push(act);
  }

  get opening(): Opening | undefined {
    return this.#opening;
  }

  /** The first opening counts for the servers. */
  open(opening: Opening): void {
    if (opening.era === 'legacy') this.legacy ??= opening;
    if (this.#opening !== undefined) return;
    this.#opening = opening;
    const naming = chooseNaming(opening.clientName, this.#explicitSeparator);
    for (const kind of KIND_NAMES) this.catalogs[kind].naming = naming;
  }

  /** The result of a list; what is odd about it is said once. */
  renderList(kind: KindName): Buffer {
    const { bytes, findings } = this.catalogs[kind].rendered;
    const said = this.#said.get(kind);
    for (const finding of findings) if (said?.has(finding) !== true) this.log.warn(finding);
    this.#said.set(kind, new Set(findings));
    return bytes;
  }

  /** Whether somebody waits for news of a server, though it owes no answer. */
  isHeld(key: string): boolean {
    return this.subscriptions.holds(key) || this.questions.has(key);
  }

  /** Answers a call; when its client is away with a question, as soon as it comes back. */
  conclude(call: Call, finish: Finish): void {
    if (call.hold !== undefined) call.hold(finish);
    else this.answer(call.id, ...finish(call.id));
  }

  /** Sends the answer to a request of the client. */
  answer(id: string | undefined, ...pieces: readonly Buffer[]): void {
    const gathered = this.batches.isEmpty ? undefined : this.batches.gather(id, pieces);
    this.toClient(...(gathered ?? pieces));
  }
}
