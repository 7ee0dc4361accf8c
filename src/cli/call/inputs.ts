/** Turns what was typed into the arguments of a tool, as JSON text, or says what the tool takes. Calls nothing. */
import { quote, UsageError } from '../arguments.ts';
import { stripControls, widthOf } from '../check/terminal.ts';
import { findClosest } from '../suggest.ts';

export interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly additionalProperties?: unknown;
}

export interface Typed {
  /** JSON text. */
  readonly args?: string | undefined;
  /** `name=value`. */
  readonly values: readonly string[];
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const SHOWN_DESCRIPTION = 90;

/** Numbers stay as they were typed: a long one would lose digits on its way through a value. */
export function readInputs(typed: Typed, tool: string, schema: Schema): string {
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
    ([name, values]) => `${JSON.stringify(name)}:${readValue(name, values, schema.properties?.[name] ?? {})}`,
  );
  return `{${members.join(',')}}`;
}

/** What a tool takes, one argument per line. */
function describeInputs({ properties = {}, required = [] }: Schema): string[] {
  const rows = Object.entries(properties).map(([name, property]) => ({
    name,
    type: describeType(property),
    text: [
      required.includes(name) ? 'required' : '',
      stripControls(property.description ?? '').slice(0, SHOWN_DESCRIPTION),
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
    const reason = (error as Error).message.replace(/,? "[^]*" is not valid JSON$|in JSON /, '');
    throw new UsageError(
      `The value of "--args" is not valid JSON (${reason}): put the whole object in single quotes, as in --args '{"path":"a.txt"}'`,
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new UsageError(`The value of "--args" must be a JSON object, as in --args '{"path":"a.txt"}'`);
}

function refuseUnknown(names: readonly string[], tool: string, schema: Schema): void {
  const known = Object.keys(schema.properties ?? {});
  for (const name of names) {
    if (known.includes(name)) continue;
    const close = findClosest(name, known);
    // A schema that does not say so leaves it open what else it takes.
    if (close === undefined && schema.additionalProperties !== false) continue;
    const advice = close === undefined ? 'it takes' : `did you mean ${quote(close)}? It takes`;
    throw new UsageError(
      [`Tool ${quote(tool)} has no argument ${quote(name)}: ${advice}`, ...describeInputs(schema)].join('\n'),
    );
  }
}

function refuseMissing(texts: ReadonlyMap<string, unknown>, tool: string, schema: Schema): void {
  const missing = (schema.required ?? []).filter((name) => !texts.has(name));
  if (missing.length === 0) return;
  const names = missing.map((name) => quote(name)).join(', ');
  throw new UsageError(
    [`Tool ${quote(tool)} needs ${names}: give name=value; it takes`, ...describeInputs(schema)].join('\n'),
  );
}

function readValue(name: string, texts: readonly string[], schema: Schema): string {
  const types = typesOf(schema);
  if (types.includes('array')) return readArray(name, texts, schema);
  if (texts.length > 1) throw new UsageError(`Argument ${quote(name)} is given twice: keep one of them`);
  if (schema.enum !== undefined) return readChoice(name, texts[0] ?? '', schema.enum);
  return readScalar(name, texts[0] ?? '', types);
}

function readChoice(name: string, text: string, values: readonly unknown[]): string {
  const chosen = values.find((value) => text === String(value));
  if (chosen !== undefined) return JSON.stringify(chosen);
  const choice = values.map((value) => JSON.stringify(value)).join(', ');
  throw new UsageError(`Argument ${quote(name)} takes one of ${choice}: found ${quote(text)}`);
}

/** A whole array as JSON, or one element each time that the name is given. */
function readArray(name: string, texts: readonly string[], schema: Schema): string {
  const [first = ''] = texts;
  if (texts.length === 1 && first.trimStart().startsWith('[') && isJson(first)) return first;
  const types = typesOf(schema.items ?? {});
  return `[${texts.map((text) => readScalar(name, text, types)).join(',')}]`;
}

function readScalar(name: string, text: string, types: readonly string[]): string {
  const bare = text.trim();
  if ((types.includes('number') || types.includes('integer')) && JSON_NUMBER.test(bare)) return bare;
  if (types.includes('boolean') && /^(?:true|false)$/.test(bare)) return bare;
  if (types.includes('null') && bare === 'null') return bare;
  if (types.includes('object') && bare.startsWith('{') && isJson(bare)) return bare;
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
    null: 'null',
  };
  return types.map((type) => names[type] ?? type).join(' or ');
}

function typesOf({ type }: Schema): readonly string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === 'string') : [];
}

function describeType(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const types = typesOf(schema);
  const [only] = types;
  if (types.length === 1 && only === 'array') return `${describeType(schema.items ?? {})}[]`;
  return types.join(' | ') || 'any';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
