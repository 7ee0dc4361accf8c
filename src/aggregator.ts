/** Joins the rooms: starts the servers, carries lines between them and the client, and ends everything in order. */
import { existsSync } from 'node:fs';
import { type AggregatorOptions, DEFAULTS } from './aggregator-options.ts';
import { Announcer } from './announcer.ts';
import { extendChain } from './chain.ts';
import { CLOCK } from './clock.ts';
import type { Config } from './config/load.ts';
import { Eras } from './era/eras.ts';
import { ListGate } from './list-gate.ts';
import { Cache } from './memory/cache.ts';
import { Memory } from './memory/memory.ts';
import { Pool } from './pool.ts';
import { describeEnding } from './process/ending.ts';
import type { Watchdog } from './process/watchdog.ts';
import { Conversation } from './protocol/conversation.ts';
import { Delivery } from './protocol/delivery.ts';
import { FromClient } from './protocol/from-client.ts';
import { FromServer } from './protocol/from-server.ts';
import type { Opening } from './protocol/handshake.ts';
import { Lifecycle } from './protocol/lifecycle.ts';
import { Server } from './server/server.ts';
import type { ServerHandlers, ServerSettings } from './server/settings.ts';
import { LineReader } from './wire/lines.ts';
import { notification } from './wire/messages.ts';
import { Outlet } from './wire/outlet.ts';

/** A client that has this much left to read stops being written to: the servers are paused. */
const FULL_BYTES = 4 * 1024 * 1024;
/** How long servers may finish what they are doing when everything ends. */
const DRAIN_MS = 400;
const DRAIN_POLL_MS = 5;

/** All servers of a config as one: bytes of a client in, bytes for it out. */
export class Aggregator {
  readonly #options: AggregatorOptions;
  readonly #servers: readonly Server[];
  /** Those that do not rest; one that does is started by whoever wakes it, and by nobody else. */
  readonly #unknown: readonly Server[];
  readonly #pool: Pool;
  readonly #cache: Cache;
  readonly #memory: Memory;
  readonly #outlet: Outlet;
  readonly #shared: Conversation;
  readonly #eras: Eras;
  readonly #delivery: Delivery;
  readonly #lifecycle: Lifecycle;
  readonly #fromServer: FromServer;
  readonly #lines: LineReader;
  readonly #gate = new ListGate();
  readonly #announcer: Announcer;
  #opening: Opening | undefined;
  #isPaused = false;
  #isClosing = false;
  #watchdog: Watchdog | undefined;

  /** Starts nothing yet: see `start`. */
  constructor(config: Config, options: AggregatorOptions) {
    const { log, output, separator, lazy = false, restart = lazy } = options;
    this.#options = options;
    this.#outlet = new Outlet(output);
    this.#cache = new Cache(options.cacheDirectory, config.path);
    this.#announcer = new Announcer((method) => this.#tell(method));
    const settings = this.#settle(config);
    const handlers = this.#handle();
    this.#servers = config.servers.map((entry) => new Server(entry, settings, handlers));
    this.#pool = new Pool(this.#servers, {
      maxProcesses: options.maxProcesses ?? DEFAULTS.maxProcesses,
      idleTimeoutMs: lazy ? (options.idleTimeoutMs ?? DEFAULTS.idleTimeoutMs) : 0,
    });
    const toClient = (...pieces: readonly Buffer[]): void => this.#send(...pieces);
    this.#shared = new Conversation({ peers: this.#servers, separator, restart, log, toClient });
    this.#memory = new Memory(this.#cache, this.#servers, this.#shared);
    this.#eras = new Eras(this.#shared, { ...CLOCK, createSecret: () => crypto.randomUUID() });
    const whenListed = (act: () => void): void => this.#gate.whenOpen(act);
    this.#delivery = new Delivery(this.#shared, this.#eras, whenListed);
    this.#lifecycle = new Lifecycle(this.#shared, this.#eras, {
      announce: (kind) => {
        const isHeard = this.#shared.isInitialized || this.#eras.isHeard;
        if (isHeard && !this.#isClosing) this.#announcer.add(kind);
      },
      repeat: (call) => this.#delivery.repeat(call),
    });
    this.#fromServer = new FromServer(this.#shared, this.#eras);
    const fromClient = new FromClient(this.#shared, this.#eras, this.#delivery, {
      describe: () => this.#memory.describe(options),
      // After the answer, which leaves at the end of the turn: the client waits for it, nobody for this.
      onOpen: (opening) => queueMicrotask(() => this.#open(opening)),
      whenListed,
    });
    this.#lines = new LineReader({
      onMessage: (message) => fromClient.receive(message),
      onMalformed: (line) => fromClient.receiveMalformed(line),
    });
    if (lazy) this.#memory.recall();
    this.#unknown = this.#servers.filter(({ status }) => status === 'initializing');
  }

  /** Starts the servers, one in each turn of the loop: starting a process blocks, and the client must not wait. */
  start(): void {
    const next = (index: number): void => {
      const server = this.#unknown[index];
      if (server === undefined || this.#isClosing) return;
      void server.launch().then(() => setImmediate(next, index + 1));
    };
    setImmediate(next, 0);
    this.#pool.watch();
  }

  /** Bytes of the client. */
  receive(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** The client reads again. */
  drained(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const { connection } of this.#servers) connection?.resume();
  }

  /** Lets what is owed to the client be answered, for a while, then ends all servers; resolves when nothing is left. */
  async close({ drain }: { readonly drain: boolean }): Promise<void> {
    this.#lines.end();
    for (let leftMs = drain ? DRAIN_MS : 0; leftMs > 0 && this.#owesAnswers(); leftMs -= DRAIN_POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    this.#isClosing = true;
    this.#eras.close(this.#options);
    this.#gate.close();
    this.#announcer.close();
    this.#pool.close();
    await Promise.all(this.#servers.map((server) => server.stop()));
    for (const server of this.#servers) this.#lifecycle.abandon(server);
    this.#watchdog?.close();
    this.#memory.save();
    this.#outlet.flush();
  }

  /** Ends all servers without asking. */
  kill(): void {
    for (const { connection } of this.#servers) connection?.kill();
  }

  #settle(config: Config): ServerSettings {
    const { log, env = process.env, host, spawn, isolateEnv = false, lazy = false } = this.#options;
    return {
      log,
      env,
      spawn,
      isolateEnv,
      lazy,
      restart: this.#options.restart ?? lazy,
      host: host ?? { platform: process.platform, execPath: process.execPath, exists: existsSync },
      extraEnv: extendChain(env, config.path),
      startupTimeoutMs: this.#options.startupTimeoutMs ?? DEFAULTS.startupTimeoutMs,
      pool: () => this.#pool,
      openWatchdog: () => this.#openWatchdog(),
      avoidsProbe: (id) => this.#cache.avoidsProbe(id),
      isHeld: (key) => this.#shared.isHeld(key) || this.#eras.isHeld(key),
    };
  }

  /** Loaded with the first server and not before, as all that starts processes. */
  async #openWatchdog(): Promise<Watchdog> {
    const watchdog = await import('./process/watchdog.ts');
    const { log, manifest, host } = this.#options;
    const platform = host?.platform ?? process.platform;
    return (this.#watchdog ??= new watchdog.Watchdog({
      platform,
      manifest,
      onLost: (what) => log.warn(what),
    }));
  }

  #handle(): ServerHandlers {
    return {
      onMessage: (server, message) => this.#fromServer.receive(server, message),
      onMalformed: (server, line) => this.#fromServer.receiveMalformed(server, line),
      onList: (server, kind, list, isRefresh) => {
        this.#lifecycle.list(server, kind, list, isRefresh);
        if (isRefresh) this.#memory.remember(server);
      },
      onChanged: (kind) => this.#lifecycle.changed(kind),
      onUp: (server) => {
        this.#lifecycle.up(server);
        this.#memory.remember(server);
        this.#checkListed();
      },
      onDown: (server, ending) => {
        const isForNow = this.#shared.restart;
        this.#lifecycle.down(server, { what: describeEnding(ending), ...ending, isForNow });
      },
      onFailed: (server) => {
        this.#checkListed();
        // One that was known before is only not there now.
        if (server.known.facts === undefined) this.#options.onServerFailed?.(server.key);
      },
    };
  }

  #open(opening: Opening): void {
    if (this.#opening !== undefined) return;
    this.#opening = opening;
    this.#gate.startWaiting();
    for (const server of this.#servers) server.open(opening);
    this.#checkListed();
  }

  #checkListed(): void {
    if (this.#gate.isWaiting && this.#servers.every(({ status }) => status !== 'initializing'))
      this.#gate.open();
  }

  #owesAnswers(): boolean {
    const isWaiting = this.#gate.hasWaiting || this.#delivery.hasWaiting;
    return isWaiting || this.#servers.some(({ calls }) => calls.size > 0);
  }

  /** In the way of the handshake era, and in that of the stateless one. */
  #tell(method: string): void {
    if (this.#shared.isInitialized) this.#send(notification(method));
    this.#eras.announce(method);
  }

  #send(...pieces: readonly Buffer[]): void {
    this.#outlet.push(...pieces);
    if (this.#isPaused || this.#isClosing || this.#outlet.waitingBytes < FULL_BYTES) return;
    this.#isPaused = true;
    for (const { connection } of this.#servers) connection?.pause();
  }
}
