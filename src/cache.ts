/** Remembers on disk what servers said of themselves, so that they need not be started to be listed. Never fails. */
import { join } from 'node:path';
import { readCacheFile, writeCacheFile } from './cache-file.ts';
import type { ServerConfig } from './config/validate.ts';
import { longDigest } from './digest.ts';
import type { Greeting } from './era/greeting.ts';
import { byKind, KIND_NAMES, type KindName } from './protocol/kinds.ts';
import { isSameList, type Item } from './protocol/lists.ts';

/** What a server said of itself. */
export interface Facts extends Greeting {
  readonly lists: Readonly<Record<KindName, readonly Item[]>>;
}

/** How long the welcome is; they stand one after the other. */
interface WelcomeEntry extends Omit<Greeting, 'welcome'> {
  readonly id: string;
  readonly length: number;
}

interface ListEntry {
  readonly id: string;
  /** Of each item: its name, its length, and where in it the name begins and ends. So no byte need be looked at. */
  readonly lists: Readonly<Record<KindName, readonly (readonly [string, number, number, number])[]>>;
}

export class Cache {
  /** What is needed at every start. */
  readonly #welcomeFile: string | undefined;
  /** What is needed only when servers are listed without being started. */
  readonly #listFile: string | undefined;
  readonly #written = new Map<string, Facts>();
  #welcomes: ReadonlyMap<string, Greeting> | undefined;
  #hasChanged = false;

  /** One pair of files for each config; without a directory, nothing is remembered. */
  constructor(directory: string | undefined, configPath: string) {
    const base = directory && join(directory, longDigest(configPath));
    this.#welcomeFile = base && `${base}.servers`;
    this.#listFile = base && `${base}.lists`;
  }

  /** Names what would be run, without saying it. */
  static identify({ command, args, cwd, env }: ServerConfig): string {
    return longDigest(JSON.stringify([command, args, cwd, Object.entries(env)]));
  }

  readWelcome(id: string): Buffer | undefined {
    return this.#readWelcome(id)?.welcome;
  }

  avoidsProbe(id: string): boolean {
    return this.#readWelcome(id)?.avoidsProbe === true;
  }

  /** Everything about all servers that are known. */
  readAll(): ReadonlyMap<string, Facts> {
    const { index, take } = readCacheFile<ListEntry>(this.#listFile);
    for (const { id, lists } of index) {
      const items = byKind((kind) =>
        lists[kind].map(([name, length, start, end]) => ({
          name,
          bytes: take(length),
          nameSpan: { start, end },
        })),
      );
      const welcome = this.#readWelcome(id);
      if (welcome !== undefined) this.#written.set(id, { ...welcome, lists: items });
    }
    return new Map(this.#written);
  }

  /** To be written with the next `save`, if it is new. */
  update(id: string, facts: Facts): void {
    const known = this.#written.get(id);
    this.#hasChanged ||= known === undefined || !isSame(known, facts);
    this.#written.set(id, facts);
  }

  /** Keeps what is known of these servers; others are not in the config any more. */
  save(current?: ReadonlySet<string>): void {
    if (!this.#hasChanged || this.#welcomeFile === undefined || this.#listFile === undefined) return;
    this.#hasChanged = false;
    const all = [...this.#written].filter(([id]) => current?.has(id) ?? true);
    writeCacheFile(
      this.#listFile,
      all.map(([id, { lists }]): ListEntry => {
        return { id, lists: byKind((kind) => lists[kind].map(describeItem)) };
      }),
      all.flatMap(([, { lists }]) => KIND_NAMES.flatMap((kind) => lists[kind].map(({ bytes }) => bytes))),
    );
    writeCacheFile(
      this.#welcomeFile,
      all.map(([id, { era, avoidsProbe, welcome }]): WelcomeEntry => {
        return { id, era, avoidsProbe, length: welcome.length };
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
  const { index, take } = readCacheFile<WelcomeEntry>(file);
  return new Map(
    index.map(({ id, length, era, avoidsProbe }) => [id, { era, avoidsProbe, welcome: take(length) }]),
  );
}

function describeItem({ name, bytes, nameSpan }: Item): readonly [string, number, number, number] {
  return [name, bytes.length, nameSpan.start, nameSpan.end];
}

function isSame(one: Facts, other: Facts): boolean {
  if (one.era !== other.era || one.avoidsProbe !== other.avoidsProbe) return false;
  if (!one.welcome.equals(other.welcome)) return false;
  return KIND_NAMES.every((kind) => isSameList(one.lists[kind], other.lists[kind]));
}
