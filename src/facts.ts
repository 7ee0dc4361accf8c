/** What a server said of itself, beside what it says now. Asks nobody. */
import type { Facts } from './cache.ts';
import type { Greeting } from './era/greeting.ts';
import type { Findings } from './interview.ts';
import { byKind, KIND_NAMES, type KindName } from './protocol/kinds.ts';
import { isSameList, type ServerList } from './protocol/lists.ts';

/** What is worth remembering of what a server answered. */
export function extractFacts({ lists, ...rest }: Findings): Facts {
  return { ...rest, lists: byKind((kind) => lists[kind].items) };
}

/** Whether there is anything that a client can be shown. */
export function hasItems(facts: Facts | undefined): facts is Facts {
  return facts !== undefined && KIND_NAMES.some((kind) => facts.lists[kind].length > 0);
}

/** Whether it is listed, and says the same of itself as before. */
export function isSameGreeting(facts: Facts | undefined, { era, welcome }: Greeting): facts is Facts {
  return hasItems(facts) && facts.era === era && facts.welcome.equals(welcome);
}

/** The kinds of which a server has something else than it had, or did not say. */
export function findChanges(facts: Facts | undefined, { lists }: Findings): KindName[] {
  return KIND_NAMES.filter((kind) => {
    const { items, isUnread = false } = lists[kind];
    return isUnread || !isSameList(facts?.lists[kind] ?? [], items);
  });
}

export function replaceList(facts: Facts, kind: KindName, items: ServerList['items']): Facts {
  return { ...facts, lists: { ...facts.lists, [kind]: items } };
}
