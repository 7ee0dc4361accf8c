/** What is known of one server, from this start or an earlier one; brought and read when it is needed. */
import type { ServerConfig } from '../config/load.ts';
import { type Greeting, type Profile, readProfile } from '../era/greeting.ts';
import type { KindName } from '../protocol/kinds.ts';
import type { Item } from '../protocol/lists.ts';
import { Cache } from './cache.ts';
import { type Facts, isSameGreeting } from './facts.ts';

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

  /** Whether the server is listed, and says the same of itself as before. */
  recognize(greeting: Greeting): boolean {
    const { facts } = this;
    if (!isSameGreeting(facts, greeting)) return false;
    this.facts = { ...facts, ...greeting };
    return true;
  }

  /** Takes a list that was read again; false when nothing else is known of the server. */
  renew(kind: KindName, items: readonly Item[]): boolean {
    const { facts } = this;
    if (facts === undefined) return false;
    this.facts = { ...facts, lists: { ...facts.lists, [kind]: items } };
    return true;
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
