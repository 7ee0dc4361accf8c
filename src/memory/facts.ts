/** What one server said of itself, and how that differs from what it says now. Asks nobody. */
import type { Greeting } from '../era/greeting.ts';
import { KIND_NAMES, type KindName } from '../protocol/kinds.ts';
import { isSameList, type Item } from '../protocol/lists.ts';

/** Everything that one server lists. */
export type Lists = Readonly<Record<KindName, readonly Item[]>>;

/** What a server said of itself. */
export interface Facts extends Greeting {
  readonly lists: Lists;
}

/** Whether there is anything that a client can be shown. */
export function hasItems(facts: Facts | undefined): facts is Facts {
  return facts !== undefined && KIND_NAMES.some((kind) => facts.lists[kind].length > 0);
}

/** Whether it is listed, and says the same of itself as before. */
export function isSameGreeting(facts: Facts | undefined, { era, welcome }: Greeting): facts is Facts {
  return hasItems(facts) && facts.era === era && facts.welcome.equals(welcome);
}

/** The kinds of which a server has something else than it had. */
export function findChanges(facts: Facts | undefined, { lists }: Facts): KindName[] {
  return KIND_NAMES.filter((kind) => !isSameList(facts?.lists[kind] ?? [], lists[kind]));
}
