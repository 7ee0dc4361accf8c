/** Config entries for the server with a past, and what a story sees of that past. Starts nothing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './deadline.ts';
import { makeFolder, type ServerEntry, type Session, start } from './session.ts';

const SERVER: string = join(import.meta.dirname, '../fixtures/life.mjs');
const WAIT_MS = 60_000;

export interface LifeOptions {
  /** What it calls itself in `echo`. */
  name?: string;
  capabilities?: Record<string, unknown>;
  instructions?: string;
  /** Names of the tools that it lists; without it, all that it has. */
  tools?: string[];
  resources?: string[];
  /** What it lists a moment after it has listed `tools` for the first time. */
  changeAtOnce?: string[];
  /** The method that is never answered. */
  hang?: string;
  /** Exits at once with this code. */
  exit?: number;
  /** Pings and logs all the time. */
  chatty?: boolean;
  /** Stays when its input ends and when it is told to go. */
  stubborn?: boolean;
}

/** One server over all its starts, in any number of sessions. */
export class Life {
  readonly folder: string = makeFolder();

  entry(options: LifeOptions = {}, entry: Partial<ServerEntry> = {}): ServerEntry {
    return { command: 'node', args: [SERVER, JSON.stringify({ folder: this.folder, ...options })], ...entry };
  }

  /** What it has from its next start on, though the config stays as it is. */
  become(options: LifeOptions): void {
    writeFileSync(join(this.folder, 'now.json'), JSON.stringify(options));
  }

  /** The process ids of all its starts. */
  get starts(): number[] {
    return this.#read('starts').map(Number);
  }

  /** The tools that it ran and that keep count, in order. */
  get runs(): string[] {
    return this.#read('runs');
  }

  /** The methods that the process of one start has received, the first being 0. */
  methods(nth: number): string[] {
    return this.#lines(nth).map(({ method }) => method);
  }

  /** The params of every request with this method that one start has received. */
  params(nth: number, method: string): unknown[] {
    return this.#lines(nth)
      .filter((line) => line.method === method)
      .map(({ params }) => params);
  }

  async received(nth: number, method: string): Promise<void> {
    await until(
      WAIT_MS,
      () => this.methods(nth).includes(method),
      () => `${method} at start ${nth}; it received ${this.methods(nth).join(', ')}`,
    );
  }

  #lines(nth: number): { method: string; params: unknown }[] {
    const prefix = `${this.starts[nth]} `;
    return this.#read('lines')
      .filter((line) => line.startsWith(prefix))
      .map((line) => JSON.parse(line.slice(prefix.length)) as { method: string; params: unknown });
  }

  #read(name: string): string[] {
    const file = join(this.folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  }
}

/** The process ids of the servers of a session that are alive. */
export function listRunning(session: Session): number[] {
  return session
    .survivors()
    .filter(({ command }) => command.includes(SERVER))
    .map(({ pid }) => pid);
}

export async function untilRunning(session: Session, count: number): Promise<void> {
  await until(
    WAIT_MS,
    () => listRunning(session).length === count,
    () => `${count} running; there are ${JSON.stringify(session.survivors())}\n${session.stderr}`,
  );
}

/** A config and a cache that several sessions share, one after the other. */
export class Home {
  readonly configFile: string;
  /** What the command finds in `XDG_CACHE_HOME`. */
  readonly cache: string;

  constructor(servers: Record<string, ServerEntry>) {
    const folder = makeFolder();
    this.cache = join(folder, 'cache');
    mkdirSync(this.cache);
    this.configFile = join(folder, 'config.json');
    this.configure(servers);
  }

  configure(servers: Record<string, ServerEntry>): void {
    writeFileSync(this.configFile, JSON.stringify({ mcpServers: servers }));
  }

  start(args: string[] = ['--lazy'], env: Record<string, string> = {}): Session {
    return start({
      argv: () => ['--config', this.configFile, ...args],
      env: { XDG_CACHE_HOME: this.cache, ...env },
    });
  }

  /** Starts, shakes hands and waits until the first list is there. */
  async startReady(args?: string[]): Promise<Session> {
    const session = this.start(args);
    await session.initialize();
    await session.listTools();
    return session;
  }

  /** Starts all servers once, so that they are known. */
  async learn(): Promise<void> {
    const session = await this.startReady();
    await session.close();
  }

  /** What is remembered of servers; the program's own compiled code is not. */
  files(): string[] {
    const folder = join(this.cache, 'mcp-simple-aggregator');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => !name.endsWith('.code'))
      .map((name) => join(folder, name));
  }
}

/** How often the client has heard of changed tools so far. */
export function countChanges(session: Session): number {
  const method = 'notifications/tools/list_changed';
  return session.inbox.messages.filter((message) => message.method === method).length;
}
