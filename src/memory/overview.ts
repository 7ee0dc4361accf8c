/** What all servers together are to a client, ready to be given before anything is known of each. Asks nobody. */
import { Catalog, type Rendered } from '../protocol/catalog.ts';
import { type Summary, summarize } from '../protocol/handshake.ts';
import { byKind, KINDS, type KindName } from '../protocol/kinds.ts';
import type { Naming } from '../protocol/names.ts';
import type { Facts } from './facts.ts';

export interface Overview {
  /** How the names in the lists are written. */
  readonly naming: Naming;
  readonly summary: Summary;
  readonly lists: Readonly<Record<KindName, Rendered>>;
}

/** In the order of the config. */
export function createOverview(known: ReadonlyMap<string, Facts>, naming: Naming): Overview {
  const lists = byKind((kind) => {
    const catalog = new Catalog(KINDS[kind], [...known.keys()], naming);
    for (const [key, facts] of known) catalog.replace(key, facts.lists[kind]);
    const { bytes, findings } = catalog.rendered;
    return { bytes, findings };
  });
  const welcomes = [...known].map(([key, { welcome }]): [string, Buffer] => [key, welcome]);
  return { naming, summary: summarize(welcomes), lists };
}
