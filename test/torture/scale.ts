/** How much of everything: the short form runs with all tests, the long form when `TORTURE=long` asks for it. */

export const isLong: boolean = process.env['TORTURE'] === 'long';

/** One of two sizes of the same test. */
export function scale<T>(short: T, long: T): T {
  return isLong ? long : short;
}

const MINUTE_MS = 60_000;

/** How long one test may take before it counts as hung; says nothing about speed. */
export const PATIENCE_MS: number = scale(2 * MINUTE_MS, 10 * MINUTE_MS);
