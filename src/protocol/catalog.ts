/** Everything of one kind that the servers have, under the names the client sees, as ready bytes. Asks nobody. */
import { splice } from '../wire/splice.ts';
import type { Kind } from './kinds.ts';
import { isSameList, type Item } from './lists.ts';
import { type Naming, qualify, qualifyStrictly } from './names.ts';

/** One thing and whose it is. */
export interface Entry {
  readonly key: string;
  readonly item: Item;
  /** What the client calls it. */
  readonly exposed: string;
}

interface Index {
  readonly byName: ReadonlyMap<string, Entry>;
  /** Names in the form that the client is not given, but may use. */
  readonly byOtherForm: ReadonlyMap<string, Entry>;
  /** Names as the servers have them; undefined where two servers have the same. */
  readonly byBareName: ReadonlyMap<string, Entry | undefined>;
  /** The whole `result` of the list. */
  readonly bytes: Buffer;
  readonly findings: readonly string[];
}

export class Catalog {
  readonly #kind: Kind;
  readonly #keys: readonly string[];
  readonly #lists = new Map<string, readonly Item[]>();
  #naming: Naming;
  #index: Index | undefined;

  /** The keys stand in the order of the config, and so do the lists. */
  constructor(kind: Kind, keys: readonly string[], naming: Naming) {
    this.#kind = kind;
    this.#keys = keys;
    this.#naming = naming;
  }

  set naming(naming: Naming) {
    this.#naming = naming;
    this.#index = undefined;
  }

  /** The result of the list, in the bytes of the servers but for the names. */
  get bytes(): Buffer {
    return this.#built().bytes;
  }

  get entries(): Iterable<Entry> {
    return this.#built().byName.values();
  }

  /** Sentences about what two servers claim at once. */
  get findings(): readonly string[] {
    return this.#built().findings;
  }

  /** Whether that changes anything. */
  replace(key: string, items: readonly Item[]): boolean {
    const isSame = isSameList(this.#lists.get(key) ?? [], items);
    this.#lists.set(key, items);
    if (!isSame) this.#index = undefined;
    return !isSame;
  }

  /** Whether there was anything to remove. */
  remove(key: string): boolean {
    const hadItems = (this.#lists.get(key)?.length ?? 0) > 0;
    this.#lists.delete(key);
    this.#index = undefined;
    return hadItems;
  }

  find(name: string): Entry | undefined {
    const { byName, byOtherForm, byBareName } = this.#built();
    return byName.get(name) ?? byOtherForm.get(name) ?? byBareName.get(name);
  }

  #built(): Index {
    this.#index ??= this.#kind.naming === 'name' ? this.#buildNames() : this.#buildUris();
    return this.#index;
  }

  #buildNames(): Index {
    const findings: string[] = [];
    const owners = this.#chooseOwners(findings);
    const strict = new Map<string, Entry>();
    const bare = new Map<string, Entry | undefined>();
    for (const [name, { key, item }] of owners) {
      const exposed = qualifyStrictly(key, item.name, (candidate) => strict.has(candidate));
      const entry = { key, item, exposed: this.#naming.isStrict ? exposed : name };
      owners.set(name, entry);
      strict.set(exposed, entry);
      bare.set(item.name, bare.has(item.name) ? undefined : entry);
    }
    const [byName, byOtherForm] = this.#naming.isStrict ? [strict, owners] : [owners, strict];
    return { byName, byOtherForm, byBareName: bare, bytes: this.#render(byName.values()), findings };
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
    const none = new Map<string, Entry>();
    const bytes = this.#render(byName.values());
    return { byName, byOtherForm: none, byBareName: none, bytes, findings: [] };
  }

  #render(entries: Iterable<Entry>): Buffer {
    const pieces: Buffer[] = [];
    for (const entry of entries)
      pieces.push(pieces.length === 0 ? Buffer.alloc(0) : COMMA, ...renderItem(entry));
    return Buffer.concat([Buffer.from(`{"${this.#kind.member}":[`), ...pieces, CLOSE]);
  }
}

const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']}');

function renderItem({ item, exposed }: Entry): readonly Buffer[] {
  if (exposed === item.name) return [item.bytes];
  return splice([item.bytes], [{ span: item.nameSpan, bytes: Buffer.from(JSON.stringify(exposed)) }]);
}
