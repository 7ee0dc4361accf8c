/** How text is laid out for people: colours, widths, tables, and nothing that could disturb a terminal. Prints nothing. */
import { stripVTControlCharacters } from 'node:util';
import { Log } from '../log.ts';

type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (colour: Colour, text: string) => string;

export interface Cell {
  readonly text: string;
  /** The end of the text, which stays when it is cut. */
  readonly tail?: string;
  readonly colour?: Colour;
}

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Longer texts are cut. */
  readonly max?: number;
}

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};
const GAP = '  ';
/** How far the later lines of a text are set in from its mark. */
const HANGING = 2;
/** Of a cut text before its tail: less would say nothing. */
const SHORTEST_HEAD = 6;
const NO_CELL: Cell = { text: '' };

/** Characters that take two columns, roughly: East Asian scripts, full-width forms, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;

/** Whether a stream shows a person what can be painted and redrawn; the usual variables turn it off. */
export function isLively(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  return stream.isTTY === true && !isSet('NO_COLOR') && !isSet('CI') && env['TERM'] !== 'dumb';
}

/** Infinity where lines may be of any length. */
export function columnsOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  // A terminal that does not know its size says 0.
  return (stream.isTTY && stream.columns) || Infinity;
}

export function createPaint(isColoured: boolean): Paint {
  if (!isColoured) return (_, text) => text;
  return (colour, text) => {
    const [on, off] = CODES[colour];
    return text === '' ? '' : `\u001B[${on}m${text}\u001B[${off}m`;
  };
}

/** Makes one safe line of a text of others: no secret of the config, no escape sequence, no control character. */
export function createCleaner(secrets: readonly string[]): (text: string) => string {
  const log = new Log({ debug: false, write: () => {}, secrets });
  return (text) => stripControls(log.redact(stripVTControlCharacters(log.redact(text)))).trimEnd();
}

/** Keeps line ends and tabs where a text of several lines is shown as it is. */
export function stripControls(text: string, keep: 'nothing' | 'lines' = 'nothing'): string {
  return stripVTControlCharacters(text).replace(
    /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (character) => (keep === 'lines' && (character === '\n' || character === '\t') ? character : ' '),
  );
}

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{M}/u.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/** The beginning of a text that fits, with a mark where it was cut. */
export function cut(text: string, max: number): string {
  if (widthOf(text) <= max) return text;
  let kept = '';
  let width = 1;
  for (const character of text) {
    width += widthOf(character);
    if (width > max) break;
    kept += character;
  }
  return `${kept}…`;
}

/** A mark and a text in lines that fit; the lines after the first are set in. What has no room in a line goes over it. */
export function hang(mark: string, text: string, columns: number): string {
  const indent = mark.length - mark.trimStart().length + HANGING;
  const lines: string[] = [];
  let line = '';
  let width = widthOf(mark) + 1;
  for (const word of text.split(' ')) {
    const needed = widthOf(word) + (line === '' ? 0 : 1);
    if ((line !== '' || lines.length === 0) && width + needed > columns) {
      lines.push(line);
      line = '';
      width = indent;
    }
    line += line === '' ? word : ` ${word}`;
    width += needed;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

/** Columns without borders; a column that is empty in every row is left out. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string[] {
  const shown = columns
    .map((column, index) => ({ column, index }))
    .filter(({ index }) => rows.some((row) => textOf(row[index]) !== ''));
  const texts = rows.map((row) => shown.map(({ column, index }) => textOf(row[index], column.max)));
  const widths = shown.map(({ column }, place) =>
    Math.max(widthOf(column.title), ...texts.map((row) => widthOf(row[place] ?? ''))),
  );
  const line = (cells: readonly string[], colourOf: (place: number) => Colour | undefined): string =>
    cells
      .map((text, place) => {
        const space = ' '.repeat((widths[place] ?? 0) - widthOf(text));
        const colour = colourOf(place);
        const painted = colour === undefined ? text : paint(colour, text);
        return shown[place]?.column.align === 'right' ? space + painted : painted + space;
      })
      .join(GAP)
      .trimEnd();
  const head = line(
    shown.map(({ column }) => column.title),
    () => 'dim',
  );
  return [
    head,
    ...texts.map((row, at) => line(row, (place) => rows[at]?.[shown[place]?.index ?? -1]?.colour)),
  ];
}

function textOf({ text, tail = '' }: Cell = NO_CELL, max: number = Infinity): string {
  const room = max - widthOf(tail);
  return room < SHORTEST_HEAD ? cut(text + tail, max) : cut(text, room) + tail;
}

export function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
}

export function formatMemory(bytes: number | undefined): string {
  return bytes === undefined ? '–' : `${Math.round(bytes / 1024 / 1024)} MB`;
}

/** 1234 as "1.2k". */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 99_950 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
