/** One configured server: starting it, its handshake and its lists, its end, and starting it again. Routes nothing. */
import { now } from '../clock.ts';
import type { ServerConfig } from '../config/load.ts';
import { type Facts, findChanges, hasItems } from '../memory/facts.ts';
import { Knowledge } from '../memory/knowledge.ts';
import { describeEnding, type Ending, quoteStderr } from '../process/ending.ts';
import { Calls } from '../protocol/calls.ts';
import type { Opening } from '../protocol/handshake.ts';
import { KIND_NAMES, type KindName } from '../protocol/kinds.ts';
import type { ServerList } from '../protocol/lists.ts';
import type { Peer, ServerStatus } from '../protocol/peer.ts';
import { type Answer, type Envelope, isAnswer } from '../wire/envelope.ts';
import type { Json } from '../wire/messages.ts';
import { Closing } from './closing.ts';
import type { NodeStdioMcpConnection } from './connection.ts';
import { extractFacts, type Findings, Interview } from './interview.ts';
import { Refresher } from './refresher.ts';
import { Restarts } from './restarts.ts';
import type { ServerHandlers, ServerSettings } from './settings.ts';
import { Usage } from './usage.ts';

export class Server implements Peer {
  readonly calls: Calls = new Calls();
  readonly key: string;
  readonly config: ServerConfig;
  readonly #settings: ServerSettings;
  readonly #handlers: ServerHandlers;
  readonly known: Knowledge;
  readonly #restarts = new Restarts();
  readonly #waiting: (() => void)[] = [];
  readonly #closing = new Closing();
  readonly usage: Usage;
  #status: ServerStatus = 'initializing';
  problem: string | undefined;
  #connection: NodeStdioMcpConnection | undefined;
  #interview: Interview | undefined;
  #refresher: Refresher | undefined;
  #opening: Opening | undefined;
  #isEnding = false;

  constructor(config: ServerConfig, settings: ServerSettings, handlers: ServerHandlers) {
    this.key = config.key;
    this.config = config;
    this.known = new Knowledge(config, settings.avoidsProbe);
    this.#settings = settings;
    this.#handlers = handlers;
    this.usage = new Usage(settings.lazy);
  }

  get status(): ServerStatus {
    return this.#status === 'running' && this.#connection?.isConnected === false ? 'ending' : this.#status;
  }

  /** To its process, as long as there is one. */
  get connection(): NodeStdioMcpConnection | undefined {
    return this.#connection;
  }

  get era(): Facts['era'] {
    return this.known.facts?.era ?? 'legacy';
  }

  get isBusy(): boolean {
    return this.#connection?.isBusy === true;
  }

  get idleSince(): number | undefined {
    if (this.status !== 'running' || this.calls.size > 0 || this.#settings.isHeld(this.key)) return undefined;
    return this.usage.idleSince;
  }

  get settling(): Promise<void> | undefined {
    // Coming up makes room only where it can be put to rest then.
    const isComing = this.#settings.lazy && this.status === 'initializing' && this.#connection !== undefined;
    if (this.#closing.next !== undefined || (!isComing && this.status !== 'ending'))
      return this.#closing.next;
    return new Promise((resolve) => this.whenSettled(resolve));
  }

  get info(): string | undefined {
    return this.known.profile?.info;
  }

  has(capability: string): boolean {
    return this.known.profile?.capabilities.has(capability) === true;
  }

  send(...pieces: readonly Buffer[]): void {
    this.usage.note();
    this.reply(...pieces);
  }

  reply(...pieces: readonly Buffer[]): void {
    this.#connection?.send(...pieces);
  }

  async ask(method: string, params?: Json): Promise<Answer> {
    if (this.#connection === undefined) throw new Error(`Server "${this.key}" is not connected`);
    // No time-out of ours: these stand for requests of the client.
    return this.usage.during(this.#connection.request(method, params, { timeoutMs: 0 }));
  }

  whenSettled(act: () => void): void {
    if (this.status === 'initializing' || this.status === 'ending') this.#waiting.push(act);
    else act();
  }

  /** Known from an earlier start: it is listed already, and what is known is brought when it is needed. */
  expectRecall(bring: () => void): void {
    this.#status = 'stopped';
    this.known.expect(bring);
  }

  /** What is known from an earlier start, if anything is: then it can be listed without a process. */
  recall(facts: Facts | undefined): void {
    const { isExpected } = this.known;
    this.known.facts = facts;
    // One that had nothing to list would never be needed, whatever it has by now: it is started to find out.
    this.#status = hasItems(facts) ? 'stopped' : 'initializing';
    // It was listed, but is not known after all.
    if (isExpected) void this.launch();
  }

  open(opening: Opening): void {
    this.#opening = opening;
    if (this.#connection !== undefined) void this.#shakeHands(this.#connection, opening);
  }

  /** Starts the process; the handshake follows as soon as the client's is known. */
  async launch(): Promise<void> {
    if (this.status !== 'initializing') return;
    if (!(await this.#settings.pool().enter())) {
      this.#fail(this.#settings.pool().describeFull());
      return;
    }
    // Loaded with the first server and not before: the client is answered meanwhile.
    const { launch } = await import('./launch.ts');
    const watchdog = await this.#settings.openWatchdog();
    if (this.#isEnding) {
      this.#settings.pool().leave();
      return;
    }
    this.#restarts.note();
    const connection = launch(
      this.config,
      { ...this.#settings, watchdog },
      {
        onMessage: (message) => this.#receive(connection, message),
        onMalformed: (line) => this.#handlers.onMalformed(this, line),
        onClose: (ending) => this.#close(connection, ending),
      },
    );
    this.#connection = connection;
    if (this.#opening !== undefined) void this.#shakeHands(connection, this.#opening);
  }

  wake(): void {
    // A start needs them, and they say how it stands with it.
    if (this.known.isExpected) void this.known.facts;
    const isDown = this.status === 'failed' || this.status === 'stopped';
    if (!isDown || !this.#settings.restart || this.#isEnding) return;
    if (this.status === 'failed' && this.#restarts.waitMs > 0) {
      this.problem = this.#restarts.describe();
      return;
    }
    this.#status = 'initializing';
    this.problem = undefined;
    void this.launch();
  }

  async rest(): Promise<void> {
    if (this.status !== 'running') return;
    this.#status = 'stopped';
    // It did not fail, however often it is put to rest.
    this.#restarts.forget();
    await this.#release();
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    if (this.status !== 'failed') this.#settle('stopped', 'it was stopped');
    void this.#release();
    await this.#closing.end();
  }

  refresh(kind: KindName): void {
    this.#refresher?.refresh(kind);
  }

  #receive(connection: NodeStdioMcpConnection, message: Envelope): void {
    // One that is stopped for good has been let go of, but the answers that it gives on its way out count.
    if (connection !== this.#connection && !(this.#isEnding && isAnswer(message))) return;
    // What it says unasked does not keep it from being put to rest.
    if (isAnswer(message)) this.usage.note();
    this.#handlers.onMessage(this, message);
  }

  async #shakeHands(connection: NodeStdioMcpConnection, opening: Opening): Promise<void> {
    const { startupTimeoutMs: limitMs } = this.#settings;
    const interview = (this.#interview = new Interview(connection, opening, this.known.avoidsProbe));
    // What a process said that is gone does not hold for the next one.
    const isCurrent = (): boolean => connection === this.#connection;
    const refresher = (this.#refresher = new Refresher({
      read: (kind) => interview.readList(kind),
      recall: (kind) => this.known.facts?.lists[kind] ?? [],
      take: (kind, list) => isCurrent() && this.#renew(kind, list),
      tell: (kind) => isCurrent() && this.#handlers.onChanged(kind),
      now,
    }));
    const tooLong = `it was not ready within ${limitMs / 1000} s`;
    const timer = setTimeout(() => isCurrent() && this.#fail(tooLong), limitMs);
    try {
      const greeting = await interview.greet();
      // One that is listed, and says the same of itself as before, can be used while its lists are read again.
      if (isCurrent() && this.known.recognize(greeting)) this.#comeUp();
      await refresher.readAll((lists) => isCurrent() && this.#takeAnswers({ ...greeting, lists }));
    } catch (error) {
      const why = `it refused the handshake: ${(error as Error).message}`;
      if (connection.isConnected && !this.#startAfresh()) this.#fail(why);
    } finally {
      clearTimeout(timer);
    }
  }

  #takeAnswers(answers: Findings): void {
    this.known.avoidsProbe = answers.avoidsProbe;
    const facts = extractFacts(answers);
    if (this.status === 'initializing') {
      this.known.facts = facts;
      for (const kind of KIND_NAMES) this.#handlers.onList(this, kind, answers.lists[kind], false);
      this.#comeUp();
    } else {
      const changed = new Set(findChanges(this.known.facts, facts));
      for (const kind of KIND_NAMES) {
        this.#renew(kind, answers.lists[kind]);
        if (changed.has(kind) && !answers.lists[kind].isUnread) this.#handlers.onChanged(kind);
      }
    }
  }

  #comeUp(): void {
    this.usage.begin();
    this.#status = 'running';
    // Before those who waited: what they ask is to find everything as it was.
    this.#handlers.onUp(this);
    this.#settle('running');
  }

  #renew(kind: KindName, list: ServerList): void {
    if (list.isUnread || this.known.renew(kind, list.items)) this.#handlers.onList(this, kind, list, true);
  }

  #close(connection: NodeStdioMcpConnection, ending: Ending): void {
    this.#settings.pool().leave();
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    const what = describeEnding(ending);
    if (ending.error === undefined && this.#startAfresh()) return;
    if (this.status === 'initializing') {
      const why = ending.error ? connection.explainSpawn(ending.error) : `it ${what} while it was starting`;
      this.#fail(why, ending.stderr);
    } else if (this.status === 'running') {
      const next = this.#settings.restart ? 'the next call starts it again' : 'its tools are gone';
      this.#settings.log.error(`It ${what}; ${next}${quoteStderr(ending.stderr)}`, this.key);
      this.#settle('failed', `it ${what}`);
      this.#handlers.onDown(this, ending);
    }
  }

  /** One that took it badly to be asked for its era did not fail: another process is not asked. */
  #startAfresh(): boolean {
    if (this.status !== 'initializing' || this.#isEnding || this.#interview?.isProbing !== true) return false;
    this.known.avoidsProbe = true;
    this.#restarts.forget();
    void this.#release().then(() => this.launch());
    return true;
  }

  #fail(what: string, stderr: readonly string[] = []): void {
    if (this.status !== 'initializing') return;
    // It may quote the server, and is shown to the client.
    this.#settle('failed', this.#settings.log.redact(what));
    this.#settings.log.error(`Not started: ${what}${quoteStderr(stderr)}`, this.key);
    this.#connection?.kill();
    void this.#release();
    this.#handlers.onFailed(this);
  }

  /** Lets go of the connection and ends its process. */
  async #release(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) await this.#closing.close(connection);
  }

  #settle(status: ServerStatus, problem?: string): void {
    this.#status = status;
    this.problem = problem;
    for (const act of this.#waiting.splice(0)) act();
  }
}
