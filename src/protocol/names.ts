/** What the client sees a server's things called. The only place that knows how a key and a name are joined. */
import { digest } from '../digest.ts';

const DEFAULT_SEPARATOR = ':';

/** How names are written for one client. */
export interface Naming {
  readonly separator: string;
  /** Only letters, digits, `_` and `-`, at most 64: what some clients take and refuse a whole list for. */
  readonly isStrict: boolean;
}

/** Clients that refuse a whole list when one name has another character, by the name they give themselves. */
const STRICT_CLIENTS: ReadonlySet<string> = new Set(['claude-ai']);

const STRICT_SEPARATOR = '__';
const STRICT_LENGTH = 64;

/** An explicit separator wins over what is known of the client. */
export function chooseNaming(client: string | undefined, separator: string | undefined): Naming {
  return {
    separator: separator ?? DEFAULT_SEPARATOR,
    isStrict: separator === undefined && client !== undefined && STRICT_CLIENTS.has(client),
  };
}

export function isSameNaming(one: Naming | undefined, other: Naming): boolean {
  return one?.separator === other.separator && one.isStrict === other.isStrict;
}

export function qualify(key: string, name: string, separator: string): string {
  return `${key}${separator}${name}`;
}

/** A name in the form that strict clients take; `isTaken` says which are used already. */
export function qualifyStrictly(key: string, name: string, isTaken: (name: string) => boolean): string {
  const whole = qualify(key, name, STRICT_SEPARATOR);
  const clean = whole.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (clean.length <= STRICT_LENGTH && !isTaken(clean)) return clean;
  // The suffix is made from the name alone, so that it is the same at every start.
  for (let round = 0; ; round += 1) {
    const suffix = `_${digest(`${whole}\0${round}`)}`;
    const candidate = clean.slice(0, STRICT_LENGTH - suffix.length) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Whether a name could be one of this server's, in either form; asked only while its list is not known yet. */
export function mayBelongTo(key: string, name: string, separator: string): boolean {
  const strictKey = qualifyStrictly(key, '', () => false);
  return (
    name.startsWith(qualify(key, '', separator)) || name.startsWith(strictKey.slice(0, STRICT_LENGTH - 9))
  );
}
