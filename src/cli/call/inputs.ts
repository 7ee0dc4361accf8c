/** Turns what was typed into the arguments of a tool, as JSON text, or says what the tool takes. Calls nothing. */
import { quote, UsageError } from '../arguments.ts';
import { findClosest } from '../suggest.ts';
import { stripControls, widthOf } from '../terminal.ts';
import { type InputSchema, type Schema, UNKNOWN } from './schema.ts';

export interface Typed {
  /** JSON text. */
  readonly args?: string | undefined;
  /** `name=value`. */
  readonly values: readonly string[];
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const SHOWN_DESCRIPTION = 90;

/** Numbers stay as they were typed: a long one would lose digits on its way through a value. */
export function readInputs(typed: Typed, tool: string, schema: InputSchema): string {
  if (typed.args !== undefined) return typed.args;
  const texts = new Map<string, string[]>();
  for (const pair of typed.values) {
    const mark = pair.indexOf('=');
    const name = pair.slice(0, mark);
    texts.set(name, [...(texts.get(name) ?? []), pair.slice(mark + 1)]);
  }
  refuseUnknown([...texts.keys()], tool, schema);
  refuseMissing(texts, tool, schema);
  const members = [...texts].map(
    ([name, values]) =>
      `${JSON.stringify(name)}:${readValue(name, values, schema.properties.get(name) ?? UNKNOWN)}`,
  );
  return `{${members.join(',')}}`;
}

/** What a tool takes, one argument per line. */
function describeInputs({ properties, required }: InputSchema): string[] {
  const rows = [...properties].map(([name, property]) => ({
    name: stripControls(name),
    type: describeType(property),
    text: [
      required.includes(name) ? 'required' : '',
      stripControls(property.description).slice(0, SHOWN_DESCRIPTION),
    ]
      .filter((part) => part !== '')
      .join(': '),
  }));
  const width = Math.max(0, ...rows.map(({ name }) => widthOf(name)));
  const typeWidth = Math.max(0, ...rows.map(({ type }) => widthOf(type)));
  return rows.map(({ name, type, text }) =>
    `  ${name.padEnd(width)}  ${type.padEnd(typeWidth)}  ${text}`.trimEnd(),
  );
}

/** Before anything is started: such a mistake has nothing to do with the tool. */
export function checkObject(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message.replace(
      /,? (?:\.\.\.)?"[^]* is not valid JSON$| in JSON(?= at)/,
      '',
    );
    throw new UsageError(
      `The value of "--args" is not valid JSON (${reason}): put the whole object in single quotes, as in --args '{"path":"a.txt"}'`,
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  throw new UsageError(
    `The value of "--args" must be a JSON object, as in --args '{"path":"a.txt"}': found ${found}`,
  );
}

function refuseUnknown(names: readonly string[], tool: string, schema: InputSchema): void {
  const known = [...schema.properties.keys()];
  for (const name of names) {
    if (known.includes(name)) continue;
    const close = findClosest(name, known);
    // A schema that does not say so leaves it open what else it takes.
    if (close === undefined && !schema.isClosed) continue;
    const advice = close === undefined ? 'it takes' : `did you mean ${quote(close)}? It takes`;
    throw new UsageError(
      [`Tool ${quote(tool)} has no argument ${quote(name)}: ${advice}`, ...describeInputs(schema)].join('\n'),
    );
  }
}

function refuseMissing(texts: ReadonlyMap<string, unknown>, tool: string, schema: InputSchema): void {
  const missing = schema.required.filter((name) => !texts.has(name));
  if (missing.length === 0) return;
  const names = missing.map((name) => quote(name)).join(', ');
  throw new UsageError(
    [`Tool ${quote(tool)} needs ${names}: give name=value; it takes`, ...describeInputs(schema)].join('\n'),
  );
}

function readValue(name: string, texts: readonly string[], schema: Schema): string {
  const [text = ''] = texts;
  const others = schema.types.filter((type) => type !== 'array' && type !== 'null');
  // What may be a list or a text is a text when it is given once.
  const isList = schema.types.includes('array') && (texts.length > 1 || others.length === 0);
  if (isList) return readArray(name, texts, schema.items ?? UNKNOWN);
  if (texts.length > 1) throw new UsageError(`Argument ${quote(name)} is given twice: keep one of them`);
  return readOne(name, text, schema);
}

/** A whole array as JSON, or one element each time that the name is given. */
function readArray(name: string, texts: readonly string[], items: Schema): string {
  const [first = ''] = texts;
  if (texts.length === 1 && isJson(first, '[')) return first;
  return `[${texts.map((text) => readOne(name, text, items)).join(',')}]`;
}

function readOne(name: string, text: string, { types, choices }: Schema): string {
  return choices === undefined ? readScalar(name, text, types) : readChoice(name, text, choices);
}

function readChoice(name: string, text: string, values: readonly unknown[]): string {
  const chosen = values.find((value) => text === String(value));
  if (chosen !== undefined) return JSON.stringify(chosen);
  const choice = values.map((value) => JSON.stringify(value)).join(', ');
  throw new UsageError(`Argument ${quote(name)} takes one of ${choice}: found ${quote(text)}`);
}

function readScalar(name: string, text: string, types: readonly string[]): string {
  const bare = text.trim();
  if (JSON_NUMBER.test(bare)) {
    if (types.includes('number')) return bare;
    if (types.includes('integer') && Number.isInteger(Number(bare))) return bare;
  }
  if (types.includes('boolean') && /^(?:true|false)$/.test(bare)) return bare;
  if (types.includes('null') && bare === 'null') return bare;
  if (types.includes('object') && isJson(bare, '{')) return bare;
  if (types.includes('array') && isJson(bare, '[')) return bare;
  if (types.includes('string')) return JSON.stringify(text);
  // Nothing is known of it: what reads as JSON is JSON, the rest is text.
  if (types.length === 0) return isJson(bare) ? bare : JSON.stringify(text);
  throw new UsageError(`Argument ${quote(name)} takes ${nameTypes(types)}: found ${quote(text)}`);
}

function nameTypes(types: readonly string[]): string {
  const names: Readonly<Record<string, string>> = {
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    object: `a JSON object, as in '{"a":1}'`,
    array: `a JSON array, as in '[1,2]'`,
    null: 'null',
  };
  return types.map((type) => names[type] ?? type).join(' or ');
}

function describeType({ types, choices, items }: Schema): string {
  if (choices !== undefined) return choices.map((value) => JSON.stringify(value)).join(' | ');
  const names = types.map((type) => (type === 'array' ? `${describeType(items ?? UNKNOWN)}[]` : type));
  return stripControls(names.join(' | ')) || 'any';
}

/** With a beginning, only what is of that kind. */
function isJson(text: string, beginning = ''): boolean {
  if (!text.trimStart().startsWith(beginning)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
