/** Cuts JSON text into the texts of its members and elements without changing a byte. Expects valid JSON and checks nothing. */

const SPACE = /\s/;
const PLAIN_END = /[,\]}\s]/;

function skipSpace(text, start) {
  let at = start;
  while (SPACE.test(text[at] ?? '')) at += 1;
  return at;
}

function skipString(text, start) {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipNested(text, start) {
  let depth = 0;
  let at = start;
  do {
    const char = text[at];
    if (char === '"') {
      at = skipString(text, at);
      continue;
    }
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
    at += 1;
  } while (depth > 0);
  return at;
}

/** Where the value that starts here ends. */
function skipValue(text, start) {
  if (text[start] === '"') return skipString(text, start);
  if (text[start] === '{' || text[start] === '[') return skipNested(text, start);
  let at = start;
  while (at < text.length && !PLAIN_END.test(text[at])) at += 1;
  return at;
}

/** Yields where each value inside the outermost brackets starts and ends, with its key in front if it has one. */
function* walk(text) {
  const isObject = text[skipSpace(text, 0)] === '{';
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    let key;
    if (isObject) {
      const end = skipString(text, at);
      key = JSON.parse(text.slice(at, end));
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = skipValue(text, at);
    yield { key, start: at, end };
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** The texts of an array's elements. */
export function splitElements(text) {
  return [...walk(text)].map(({ start, end }) => text.slice(start, end));
}

/** The text of one member of an object, or undefined. */
export function findMember(text, key) {
  for (const member of walk(text)) {
    if (member.key === key) return text.slice(member.start, member.end);
  }
  return undefined;
}

/** The object with the text of one member exchanged. */
export function replaceMember(text, key, value) {
  for (const member of walk(text)) {
    if (member.key === key) return text.slice(0, member.start) + value + text.slice(member.end);
  }
  return text;
}
