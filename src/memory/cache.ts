/** Remembers on disk what servers said of themselves, so that they need not be started to be listed. Never fails. */
import { join } from 'node:path';
import type { ServerConfig } from '../config/load.ts';
import { longDigest } from '../digest.ts';
import type { Greeting } from '../era/greeting.ts';
import { type Content, readCacheFile, writeCacheFile } from './cache-file.ts';
import { readLists, type StoredLists, writeLists } from './cache-lists.ts';
import { type Facts, findChanges } from './facts.ts';
import type { Overview } from './overview.ts';

/** How long the welcome is; they stand one after the other. */
interface WelcomeEntry extends Omit<Greeting, 'welcome'> {
  readonly id: string;
  readonly length: number;
}

export class Cache {
  /** What is needed at every start. */
  readonly #welcomeFile: string | undefined;
  /** What is needed only when servers are listed without being started. */
  readonly #listFile: string | undefined;
  /** By the servers' ids. */
  readonly #known = new Map<string, Facts>();
  #welcomes: ReadonlyMap<string, Greeting> | undefined;
  #lists: StoredLists | undefined;
  #hasChanged = false;

  /** One pair of files for each config; without a directory, nothing is remembered. */
  constructor(directory: string | undefined, configPath: string) {
    const base = directory && join(directory, longDigest(configPath));
    this.#welcomeFile = base && `${base}.servers`;
    this.#listFile = base && `${base}.lists`;
  }

  /** Names what would be run, without saying it. */
  static identify(config: ServerConfig): string {
    return longDigest(JSON.stringify(describeRun(config)));
  }

  /** Names what would be run for all servers, and under which keys. */
  static identifyAll(configs: readonly ServerConfig[]): string {
    return longDigest(JSON.stringify(configs.map((config) => [config.key, ...describeRun(config)])));
  }

  readWelcome(id: string): Buffer | undefined {
    return this.#readWelcome(id)?.welcome;
  }

  avoidsProbe(id: string): boolean {
    return this.#readWelcome(id)?.avoidsProbe === true;
  }

  /** What all servers together were to a client, if they are still the same. */
  readOverview(id: string): Overview | undefined {
    this.#lists ??= readLists(this.#listFile);
    return this.#lists.overview?.id === id ? this.#lists.overview : undefined;
  }

  /** Everything about all servers that are known. */
  readAll(): ReadonlyMap<string, Facts> {
    this.#lists ??= readLists(this.#listFile);
    for (const [id, lists] of this.#lists.readItems()) {
      const welcome = this.#readWelcome(id);
      if (welcome !== undefined) this.#known.set(id, { ...welcome, lists });
    }
    return new Map(this.#known);
  }

  /** To be written with the next `save`, if it is new. */
  update(id: string, facts: Facts): void {
    const known = this.#known.get(id);
    this.#hasChanged ||= known === undefined || !isSame(known, facts);
    this.#known.set(id, facts);
  }

  /** Keeps what is known of these servers, others are not in the config any more; and all together under an id of its own. */
  save(current: ReadonlySet<string>, id: string, createOverview: () => Overview | undefined): void {
    if (!this.#hasChanged || this.#welcomeFile === undefined || this.#listFile === undefined) return;
    this.#hasChanged = false;
    const all = [...this.#known].filter(([one]) => current.has(one));
    const overview = createOverview();
    writeLists(
      this.#listFile,
      overview && { id, ...overview },
      all.map(([one, { lists }]) => [one, lists]),
    );
    writeCacheFile(
      this.#welcomeFile,
      all.map(([one, { era, avoidsProbe, welcome }]): WelcomeEntry => {
        return { id: one, era, avoidsProbe, length: welcome.length };
      }),
      all.map(([, { welcome }]) => welcome),
    );
  }

  #readWelcome(id: string): Greeting | undefined {
    this.#welcomes ??= readWelcomes(this.#welcomeFile);
    return this.#welcomes.get(id);
  }
}

function readWelcomes(file: string | undefined): ReadonlyMap<string, Greeting> {
  const read = ({ index, take }: Content<WelcomeEntry[]>): Map<string, Greeting> =>
    new Map(
      index.map(({ id, length, era, avoidsProbe }) => [id, { era, avoidsProbe, welcome: take(length) }]),
    );
  return readCacheFile(file, read) ?? new Map();
}

function describeRun({ command, args, cwd, env }: ServerConfig): readonly unknown[] {
  return [command, args, cwd, Object.entries(env)];
}

function isSame(one: Facts, other: Facts): boolean {
  if (one.era !== other.era || one.avoidsProbe !== other.avoidsProbe) return false;
  if (!one.welcome.equals(other.welcome)) return false;
  return findChanges(one, other).length === 0;
}
