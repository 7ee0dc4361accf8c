/** Whether running a tool twice does no harm: only what the tool says of itself counts. */
import { parse } from '../wire/json.ts';
import type { Item } from './lists.ts';

/** Read once for each tool, not for each call. */
const known = new WeakMap<Item, boolean>();

export function isHarmless(item: Item): boolean {
  const isKnown = known.get(item) ?? read(item);
  known.set(item, isKnown);
  return isKnown;
}

function read({ bytes }: Item): boolean {
  const { annotations } = parse(bytes.toString()) as { annotations?: Record<string, unknown> };
  return annotations?.['readOnlyHint'] === true || annotations?.['idempotentHint'] === true;
}
