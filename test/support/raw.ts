/** Finds the exact text of JSON values inside valid JSON. Reads positions and never rebuilds a value. */

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '-')) at += 1;
  return at;
}

function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at !== -1) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
    at = text.indexOf('"', at + 1);
  }
  throw new Error('Unfinished string');
}

function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  const opens = text[from] === '{' || text[from] === '[';
  const mark = opens ? /["{}[\]]/g : /[,}\]\s]|$/g;
  mark.lastIndex = from;
  if (!opens) return mark.exec(text)?.index ?? text.length;
  let depth = 0;
  for (let hit = mark.exec(text); hit !== null; hit = mark.exec(text)) {
    if (hit[0] === '"') mark.lastIndex = endOfString(text, hit.index);
    else depth += hit[0] === '{' || hit[0] === '[' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  throw new Error('Unfinished value');
}

/** The members of an object, each value as it is written. */
export function memberTexts(text: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    members.push([String(JSON.parse(text.slice(at, nameEnd))), text.slice(start, end)]);
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return members;
}

/** The value of one member as it is written; a path of names goes deeper. */
export function memberText(text: string, ...path: string[]): string | undefined {
  let found: string | undefined = text;
  for (const name of path) found = memberTexts(found ?? '').find(([key]) => key === name)?.[1];
  return found;
}

/** The elements of an array as they are written. */
export function elementTexts(text: string): string[] {
  const elements: string[] = [];
  let at = skipSpace(text, text.indexOf('[') + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return elements;
}
