/** Everything of one kind that the servers have, under the names the client sees, as ready bytes. Asks nobody. */
import type { Kind } from './kinds.ts';
import { isSameList, type Item } from './lists.ts';
import { isSameNaming, type Naming, qualify, qualifyStrictly } from './names.ts';

/** One thing and whose it is. */
export interface Entry {
  readonly key: string;
  readonly item: Item;
  /** What the client calls it. */
  readonly exposed: string;
}

/** A list as the client is given it. */
export interface Rendered {
  /** The whole `result`. */
  readonly bytes: Buffer;
  /** Sentences about what two servers claim at once. */
  readonly findings: readonly string[];
}

interface Index extends Rendered {
  readonly byName: ReadonlyMap<string, Entry>;
}

export class Catalog {
  readonly #kind: Kind;
  readonly #keys: readonly string[];
  readonly #lists = new Map<string, readonly Item[]>();
  #naming: Naming;
  #index: Index | undefined;
  /** Names that the client is not given, but may use; undefined where two servers have the same. */
  #aliases: ReadonlyMap<string, Entry | undefined> | undefined;
  /** What an earlier run gave its client, and how names were written for it. */
  #prepared: { readonly naming: Naming; readonly rendered: Rendered } | undefined;
  #bringItems: (() => void) | undefined;

  /** The keys stand in the order of the config, and so do the lists. */
  constructor(kind: Kind, keys: readonly string[], naming: Naming) {
    this.#kind = kind;
    this.#keys = keys;
    this.#naming = naming;
  }

  get naming(): Naming {
    return this.#naming;
  }

  set naming(naming: Naming) {
    this.#naming = naming;
    this.#index = undefined;
    this.#aliases = undefined;
  }

  /** The result of the list, in the bytes of the servers but for the names. */
  get rendered(): Rendered {
    const { naming, rendered } = this.#prepared ?? {};
    return rendered && isSameNaming(naming, this.#naming) ? rendered : this.#built();
  }

  get bytes(): Buffer {
    return this.rendered.bytes;
  }

  get findings(): readonly string[] {
    return this.rendered.findings;
  }

  get entries(): Iterable<Entry> {
    return this.#built().byName.values();
  }

  /** Gives the list without its items: these are brought when one of them is needed. */
  prepare(naming: Naming, rendered: Rendered, bringItems: () => void): void {
    this.#prepared = { naming, rendered };
    this.#bringItems = bringItems;
  }

  /** Whether that changes anything. */
  replace(key: string, items: readonly Item[]): boolean {
    this.#complete();
    const isSame = isSameList(this.#lists.get(key) ?? [], items);
    this.#lists.set(key, items);
    if (!isSame) this.#forget();
    return !isSame;
  }

  /** Whether there was anything to remove. */
  remove(key: string): boolean {
    this.#complete();
    const hadItems = (this.#lists.get(key)?.length ?? 0) > 0;
    this.#lists.delete(key);
    this.#forget();
    return hadItems;
  }

  find(name: string): Entry | undefined {
    const { byName } = this.#built();
    return byName.get(name) ?? (this.#aliases ??= this.#buildAliases(byName)).get(name);
  }

  #forget(): void {
    this.#index = undefined;
    this.#aliases = undefined;
    this.#prepared = undefined;
  }

  #complete(): void {
    const bringItems = this.#bringItems;
    this.#bringItems = undefined;
    bringItems?.();
  }

  #built(): Index {
    this.#complete();
    this.#index ??= this.#kind.naming === 'name' ? this.#buildNames() : this.#buildUris();
    return this.#index;
  }

  #buildNames(): Index {
    const findings: string[] = [];
    const owners = this.#chooseOwners(findings);
    const byName = this.#naming.isStrict ? nameStrictly(owners.values()) : owners;
    return { byName, bytes: this.#render(byName.values()), findings };
  }

  /** Names as the servers have them, and those in the form that other clients are given. */
  #buildAliases(byName: Index['byName']): ReadonlyMap<string, Entry | undefined> {
    const aliases = new Map<string, Entry | undefined>();
    if (this.#kind.naming === 'uri') return aliases;
    const { isStrict, separator } = this.#naming;
    for (const entry of byName.values())
      aliases.set(entry.item.name, aliases.has(entry.item.name) ? undefined : entry);
    for (const [name, entry] of isStrict ? [] : nameStrictly(byName.values())) aliases.set(name, entry);
    for (const entry of isStrict ? byName.values() : [])
      aliases.set(qualify(entry.key, entry.item.name, separator), entry);
    return aliases;
  }

  /** Where two servers spell the same name, it belongs to the one with the longer key. */
  #chooseOwners(findings: string[]): Map<string, Entry> {
    const owners = new Map<string, Entry>();
    for (const key of this.#keys) {
      for (const item of this.#lists.get(key) ?? []) {
        const exposed = qualify(key, item.name, this.#naming.separator);
        const other = owners.get(exposed);
        if (other !== undefined) {
          const [winner, loser] = key.length > other.key.length ? [key, other.key] : [other.key, key];
          findings.push(
            `${JSON.stringify(exposed)} is spelled by two servers; it belongs to "${winner}", the one of "${loser}" is left out`,
          );
          if (winner === other.key) continue;
          owners.delete(exposed);
        }
        owners.set(exposed, { key, item, exposed });
      }
    }
    return owners;
  }

  /** A URI that an earlier server claims already is reachable at the later one as `key+uri`. */
  #buildUris(): Index {
    const byName = new Map<string, Entry>();
    for (const key of this.#keys) {
      for (const item of this.#lists.get(key) ?? []) {
        const exposed = byName.has(item.name) ? `${key}+${item.name}` : item.name;
        byName.set(exposed, { key, item, exposed });
      }
    }
    return { byName, bytes: this.#render(byName.values()), findings: [] };
  }

  #render(entries: Iterable<Entry>): Buffer {
    const pieces: Buffer[] = [Buffer.from(`{"${this.#kind.member}":[`)];
    for (const { item, exposed } of entries) {
      if (pieces.length > 1) pieces.push(COMMA);
      if (exposed === item.name) pieces.push(item.bytes);
      else pieces.push(...rename(item, exposed));
    }
    return Buffer.concat([...pieces, CLOSE]);
  }
}

const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']}');

function rename({ bytes, nameSpan }: Item, name: string): Buffer[] {
  return [bytes.subarray(0, nameSpan.start), Buffer.from(JSON.stringify(name)), bytes.subarray(nameSpan.end)];
}

function nameStrictly(entries: Iterable<Entry>): Map<string, Entry> {
  const byName = new Map<string, Entry>();
  for (const { key, item } of entries) {
    const exposed = qualifyStrictly(key, item.name, (candidate) => byName.has(candidate));
    byName.set(exposed, { key, item, exposed });
  }
  return byName;
}
