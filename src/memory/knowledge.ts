/** What is known of one server, from this start or an earlier one; brought and read when it is needed. */
import type { ServerConfig } from '../config/load.ts';
import { type Greeting, type Profile, readProfile } from '../era/greeting.ts';
import { Cache } from './cache.ts';
import type { Facts, Lists } from './facts.ts';

export class Knowledge {
  readonly #config: ServerConfig;
  #id: string | undefined;
  #facts: Facts | undefined;
  #profile: Profile | undefined;
  #bring: (() => void) | undefined;
  readonly #avoidedProbe: (id: string) => boolean;
  #avoidsProbe: boolean | undefined;

  /** `avoidedProbe` knows of earlier runs. */
  constructor(config: ServerConfig, avoidedProbe: (id: string) => boolean) {
    this.#config = config;
    this.#avoidedProbe = avoidedProbe;
  }

  /** Names what is run, in every run of ours. */
  get id(): string {
    return (this.#id ??= Cache.identify(this.#config));
  }

  get facts(): Facts | undefined {
    this.#bring?.();
    return this.#facts;
  }

  set facts(facts: Facts | undefined) {
    this.#bring = undefined;
    this.#facts = facts;
    this.#profile = undefined;
  }

  /** Another greeting or other lists of a server that is known; false when it is not. */
  update(news: Partial<Greeting>, lists: Partial<Lists> = {}): boolean {
    const { facts } = this;
    if (facts !== undefined) this.facts = { ...facts, ...news, lists: { ...facts.lists, ...lists } };
    return facts !== undefined;
  }

  get profile(): Profile | undefined {
    const { facts } = this;
    return (this.#profile ??= facts && readProfile(facts));
  }

  /** Whether it takes it badly to be asked for its era. */
  get avoidsProbe(): boolean {
    return (this.#avoidsProbe ??= this.#avoidedProbe(this.id));
  }

  set avoidsProbe(avoidsProbe: boolean) {
    this.#avoidsProbe = avoidsProbe;
  }

  /** Whether there are facts that have not been needed yet. */
  get isExpected(): boolean {
    return this.#bring !== undefined;
  }

  /** There are facts: `bring` sets them. */
  expect(bring: () => void): void {
    this.#bring = bring;
  }
}
