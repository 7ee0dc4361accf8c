/** Lays JSON text out over lines. Changes no number in it: one that is read and written again may lose digits. */
import { parse } from '../../wire/json.ts';

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;
const STEP = '  ';

export function indentJson(text: string): string {
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  const breakLine = (): string => `\n${STEP.repeat(depth)}`;
  const lay = (token: string, index: number): string => {
    if (token === '{' || token === '[') {
      depth += 1;
      return isClosing(tokens[index + 1]) ? token : token + breakLine();
    }
    if (isClosing(token)) {
      depth -= 1;
      const before = tokens[index - 1];
      return before === '{' || before === '[' ? token : breakLine() + token;
    }
    if (token === ',') return token + breakLine();
    if (token === ':') return `${token} `;
    // Some servers escape every letter beyond ASCII, which nobody can read.
    return token.startsWith('"') ? JSON.stringify(parse(token)) : token;
  };
  return tokens.map((token, index) => lay(token, index)).join('');
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']';
}
