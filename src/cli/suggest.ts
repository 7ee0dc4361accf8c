/** Guesses which known word a mistyped one was meant to be; loaded on the way to an error and never otherwise. */

/** The only known word that begins like this, or the one that is a letter or two away. */
export function findClosest(given: string, known: readonly string[]): string | undefined {
  const word = given.toLowerCase();
  if (word === '') return undefined;
  const [begun, ...others] = known.filter((name) => name.toLowerCase().startsWith(word));
  if (begun !== undefined && others.length === 0) return begun;
  const [best] = known
    .map((name) => ({ name, distance: measureDistance(word, name.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance);
  const allowed = word.length < 4 ? 1 : 2;
  // A word that shares no letter with it was not meant.
  return best !== undefined && best.distance <= allowed && best.distance < word.length
    ? best.name
    : undefined;
}

/** How many letters must be put in, left out, changed or swapped with their neighbour. */
function measureDistance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = above;
    above = current;
  }
  return above[other.length] ?? 0;
}
