/** Shows where in a JSON text something is wrong: the line with a caret below it, and without any value, ever. */

/** Counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** The line with all values hidden, and a caret below it. */
  readonly excerpt: readonly string[];
}

type Excerpt = readonly [shown: string, caret: number];

const SHOWN_COLUMNS = 100;
const SPACES = ' \t\r\n';
export const WORD_ENDS: string = `${SPACES},:{}[]"`;

/** `names` are the starts and ends of the names of members: nothing else in quotes may be shown. */
export function showPlace(text: string, offset: number, names: ReadonlyMap<number, number>): Place {
  const { line, start, end } = locate(text, offset);
  const excerpt = frame(line, hideValues(text, { start, end }, offset, names));
  return { line, column: offset - start + 1, excerpt };
}

/** The line, counted from 1, in which an offset lies. */
export function findLine(text: string, offset: number): number {
  return locate(text, offset).line;
}

/** The line in which an offset lies, and the offsets of its start and end. */
function locate(text: string, offset: number): { line: number; start: number; end: number } {
  let line = 1;
  let start = 0;
  for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\n|\r/g)) {
    if (index >= offset) return { line, start, end: index };
    line += 1;
    start = index + lineEnd.length;
  }
  return { line, start, end: text.length };
}

/** Leaves of a line its brackets, commas, colons, literals and names; a secret may be anywhere else in a broken one. */
function hideValues(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  offset: number,
  names: ReadonlyMap<number, number>,
): Excerpt {
  let shown = '';
  let caret: number | undefined;
  for (let at = start; at < end;) {
    const nameEnd = names.get(at);
    const next = nameEnd ?? findTokenEnd(text, at, end);
    const token = text.slice(at, next);
    if (offset >= at && offset < next) caret = shown.length + (offset > at ? 1 : 0);
    shown += nameEnd === undefined ? hide(token) : token.replace(/\p{C}/gu, '?');
    at = next;
  }
  return [shown, caret ?? shown.length];
}

function findTokenEnd(text: string, start: number, limit: number): number {
  let end = start + 1;
  if (text[start] === '"') {
    while (end < limit && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return Math.min(end + 1, limit);
  }
  if (WORD_ENDS.includes(text.charAt(start))) return end;
  while (end < limit && !WORD_ENDS.includes(text.charAt(end))) end += 1;
  return end;
}

function hide(token: string): string {
  if (SPACES.includes(token)) return ' ';
  if (token.startsWith('"')) return token.length > 1 && token.endsWith('"') ? '"…"' : '"…';
  return /^(?:[{}[\],:]|true|false|null)$/.test(token) ? token : '…';
}

/** The line with its number and the caret below; of a long line only what is around the caret. */
function frame(line: number, [shown, caret]: Excerpt): readonly string[] {
  const skipped = Math.max(0, caret - SHOWN_COLUMNS / 2);
  const indent = skipped > 0 ? 0 : shown.length - shown.trimStart().length;
  const cut = skipped + Math.min(indent, caret);
  const margin = `${line} | `;
  const below = `${' '.repeat(margin.length - 2)}| ${' '.repeat(caret - cut)}^`;
  return [margin + shown.slice(cut, cut + SHOWN_COLUMNS), below];
}
