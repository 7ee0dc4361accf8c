/** Joins the rooms: starts the servers, carries lines between them and the client, and ends everything in order. */
import { existsSync } from 'node:fs';
import type { Config } from './config/load.ts';
import type { Log } from './log.ts';
import type { SpawnProcess } from './process/child.ts';
import type { Host } from './process/command.ts';
import { describeEnding } from './process/ending.ts';
import { Conversation } from './protocol/conversation.ts';
import { FromClient } from './protocol/from-client.ts';
import { FromServer } from './protocol/from-server.ts';
import type { Identity, Opening } from './protocol/handshake.ts';
import { KINDS, type KindName } from './protocol/kinds.ts';
import { Server, type ServerHandlers } from './server.ts';
import { LineReader } from './wire/lines.ts';
import { notification } from './wire/messages.ts';
import { Outlet, type Writable } from './wire/outlet.ts';

export interface AggregatorOptions extends Identity {
  readonly log: Log;
  /** Where lines for the client go. */
  readonly output: Writable;
  /** Between a server's key and a tool's name; when absent, `:` or what the client can take. */
  readonly separator?: string | undefined;
  readonly isolateEnv?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly host?: Host;
  readonly spawn?: SpawnProcess;
  /** A server did not come up. */
  readonly onServerFailed?: (key: string) => void;
}

/** The configs that are being served, from the outermost aggregator inwards; keeps one from starting itself. */
export const CHAIN_VARIABLE = 'MCP_SIMPLE_AGGREGATOR_CHAIN';

/** The first list waits this long for servers that are still starting; the first real clients give up at 10 s. */
const LIST_WAIT_MS = 4500;
const STARTUP_TIMEOUT_MS = 30_000;
/** Changes this close together are one change to the client. */
const ANNOUNCE_AFTER_MS = 50;
/** A client that has this much left to read stops being written to: the servers are paused. */
const FULL_BYTES = 4 * 1024 * 1024;
/** How long servers may finish what they are doing when everything ends. */
const DRAIN_MS = 400;

export class Aggregator {
  readonly #servers: readonly Server[];
  readonly #outlet: Outlet;
  readonly #shared: Conversation;
  readonly #fromClient: FromClient;
  readonly #fromServer: FromServer;
  readonly #lines: LineReader;
  readonly #changed = new Set<KindName>();
  readonly #waitingForLists: (() => void)[] = [];
  #isListed = false;
  #hasOpened = false;
  #isPaused = false;
  #isClosing = false;
  #listTimer: NodeJS.Timeout | undefined;

  constructor(config: Config, options: AggregatorOptions) {
    const { log, output, separator, name, version, env = process.env } = options;
    this.#outlet = new Outlet(output);
    const settings = {
      log,
      env,
      host: options.host ?? { platform: process.platform, execPath: process.execPath, exists: existsSync },
      isolateEnv: options.isolateEnv ?? false,
      extraEnv: { [CHAIN_VARIABLE]: JSON.stringify([...readChain(env), config.path]) },
      startupTimeoutMs: STARTUP_TIMEOUT_MS,
      spawn: options.spawn,
    };
    const handlers = this.#handle(options);
    this.#servers = config.servers.map((entry) => new Server(entry, settings, handlers));
    this.#shared = new Conversation({
      peers: this.#servers,
      separator,
      log,
      toClient: (...pieces) => this.#send(pieces),
    });
    this.#fromServer = new FromServer(this.#shared, { announce: (kind) => this.#announce(kind) });
    this.#fromClient = new FromClient(this.#shared, {
      identity: { name, version },
      onOpen: (opening) => this.#open(opening),
      whenListed: (act) => this.#whenListed(act),
    });
    this.#lines = new LineReader({
      onMessage: (message) => this.#fromClient.receive(message),
      onMalformed: (line) => this.#fromClient.receiveMalformed(line),
    });
  }

  /** Starts the servers, one in each turn of the loop: starting a process blocks, and the client must not wait. */
  start(): void {
    const next = (index: number): void => {
      const server = this.#servers[index];
      if (server === undefined || this.#isClosing) return;
      void server.launch().then(() => setImmediate(next, index + 1));
    };
    setImmediate(next, 0);
  }

  /** Bytes of the client. */
  receive(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** The client reads again. */
  drained(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const server of this.#servers) server.resume();
  }

  /** Ends all servers, those that owe an answer a little later; resolves when nothing of them is left. */
  async close({ drain }: { readonly drain: boolean }): Promise<void> {
    this.#isClosing = true;
    this.#lines.end();
    clearTimeout(this.#listTimer);
    await Promise.all(this.#servers.map((server) => server.stop(drain ? DRAIN_MS : 0)));
    this.#outlet.flush();
  }

  /** Ends all servers without asking. */
  kill(): void {
    for (const server of this.#servers) server.kill();
  }

  #handle({ onServerFailed }: AggregatorOptions): ServerHandlers {
    return {
      onMessage: (server, message) => this.#fromServer.receive(server, message),
      onMalformed: (server, line) => this.#fromServer.receiveMalformed(server, line),
      onList: (server, kind, list) => {
        this.#fromServer.list(server, kind, list);
        if (server.status === 'running') this.#announce(kind);
      },
      onUp: (server) => {
        this.#fromServer.up(server);
        this.#checkListed();
      },
      onDown: (server, ending) => {
        this.#fromServer.down(server, { what: describeEnding(ending), ...ending });
      },
      onFailed: (server) => {
        this.#checkListed();
        onServerFailed?.(server.key);
      },
    };
  }

  #open(opening: Opening): void {
    if (this.#hasOpened) return;
    this.#hasOpened = true;
    this.#listTimer = setTimeout(() => this.#setListed(), LIST_WAIT_MS);
    for (const server of this.#servers) server.open(opening);
    this.#checkListed();
  }

  #send(pieces: readonly Buffer[]): void {
    this.#outlet.push(...pieces);
    if (this.#isPaused || this.#isClosing || this.#outlet.waitingBytes < FULL_BYTES) return;
    this.#isPaused = true;
    for (const server of this.#servers) server.pause();
  }

  #whenListed(act: () => void): void {
    if (this.#isListed) act();
    else this.#waitingForLists.push(act);
  }

  #checkListed(): void {
    if (this.#hasOpened && this.#servers.every(({ status }) => status !== 'initializing')) this.#setListed();
  }

  #setListed(): void {
    clearTimeout(this.#listTimer);
    this.#isListed = true;
    for (const act of this.#waitingForLists.splice(0)) act();
  }

  #announce(kind: KindName): void {
    if (this.#isClosing || !this.#shared.isInitialized) return;
    if (this.#changed.size === 0) setTimeout(() => this.#announceAll(), ANNOUNCE_AFTER_MS);
    this.#changed.add(kind);
  }

  #announceAll(): void {
    const methods = new Set([...this.#changed].map((kind) => KINDS[kind].changed));
    this.#changed.clear();
    if (this.#isClosing) return;
    for (const method of methods) this.#send([notification(method)]);
  }
}

/** The configs that this process is started under, if an aggregator started it. */
export function readChain(env: NodeJS.ProcessEnv): string[] {
  try {
    const chain: unknown = JSON.parse(env[CHAIN_VARIABLE] ?? '[]');
    return Array.isArray(chain) ? chain.filter((path): path is string => typeof path === 'string') : [];
  } catch {
    return [];
  }
}
