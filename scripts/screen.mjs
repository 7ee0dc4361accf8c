/** What is left on a terminal when a program has written this text, as rows of cells with their styles. Runs nothing. */

const ESCAPE = '\u001B';
const SEQUENCE = new RegExp(`^${ESCAPE}\\[([\\d;]*)([A-Za-z])`);
const COLOURS = { 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };

/** The style after a code; 22 and 39 take back what 1, 2 and the colours set. */
function restyle(style, code) {
  if (code === 0) return {};
  if (code === 1) return { ...style, weight: 'bold' };
  if (code === 2) return { ...style, weight: 'dim' };
  if (code === 22) return { ...style, weight: undefined };
  if (code === 39) return { ...style, colour: undefined };
  if (COLOURS[code] !== undefined) return { ...style, colour: COLOURS[code] };
  throw new Error(`The terminal of the picture does not know the style ${code}`);
}

class Screen {
  rows = [[]];
  #row = 0;
  #column = 0;
  #style = {};

  write(character) {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#row += 1;
    else {
      this.#line()[this.#column] = { character, ...this.#style };
      this.#column += 1;
    }
    this.#line();
  }

  obey(parameters, command) {
    const codes = parameters.split(';').map(Number);
    if (command === 'm') for (const code of codes) this.#style = restyle(this.#style, code);
    else if (command === 'A') this.#row = Math.max(0, this.#row - (codes[0] || 1));
    else if (command === 'J') {
      this.#line().length = Math.min(this.#line().length, this.#column);
      this.rows.length = this.#row + 1;
    } else throw new Error(`The terminal of the picture does not know the command ${command}`);
  }

  #line() {
    while (this.rows.length <= this.#row) this.rows.push([]);
    return this.rows[this.#row];
  }
}

/** @returns {{ character: string, weight?: string, colour?: string }[][]} */
export function readScreen(text) {
  const screen = new Screen();
  for (let at = 0; at < text.length;) {
    const [whole, parameters, command] = SEQUENCE.exec(text.slice(at, at + 20)) ?? [];
    if (whole === undefined) screen.write(text[at]);
    else screen.obey(parameters, command);
    at += whole?.length ?? 1;
  }
  while (screen.rows.at(-1)?.length === 0) screen.rows.pop();
  return screen.rows;
}
