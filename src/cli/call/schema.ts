/** Reads the schema of a tool's arguments as far as a person needs it who types them. What is odd in it counts as not said. */

export interface Schema {
  /** Empty when nothing is known. */
  readonly types: readonly string[];
  /** The only values that it takes. */
  readonly choices?: readonly unknown[] | undefined;
  /** Of the elements of an array. */
  readonly items?: Schema | undefined;
  readonly description: string;
}

export interface InputSchema {
  readonly properties: ReadonlyMap<string, Schema>;
  readonly required: readonly string[];
  /** Whether it takes nothing but its properties. */
  readonly isClosed: boolean;
}

type Raw = Readonly<Record<string, unknown>>;

/** More parts than any argument has; it keeps a schema that refers to itself from going on for ever. */
const MOST_PARTS = 200;
export const UNKNOWN: Schema = { types: [], description: '' };

export function readInputSchema(value: unknown): InputSchema {
  const { properties, required, additionalProperties } = objectOf(value);
  const named = Object.entries(objectOf(properties));
  return {
    properties: new Map(
      named.map(([name, property]) => [name, readSchema(property, value, { parts: MOST_PARTS })]),
    ),
    required: textsOf(required),
    isClosed: additionalProperties === false,
  };
}

/** All that it refers to must hold besides itself, so the first of them that says something says it for all. */
function readSchema(value: unknown, root: unknown, left: { parts: number }): Schema {
  if (left.parts === 0) return UNKNOWN;
  left.parts -= 1;
  const raw = objectOf(value);
  const read = (inner: unknown): Schema => readSchema(inner, root, left);
  const parts: Schema[] = [readOwn(raw, read)];
  if (typeof raw['$ref'] === 'string') parts.push(read(follow(raw['$ref'], root)));
  parts.push(...listOf(raw['allOf']).map(read));
  const alternatives = [...listOf(raw['anyOf']), ...listOf(raw['oneOf'])].map(read);
  if (alternatives.length > 0) parts.push(unite(alternatives));
  return {
    types: parts.find(({ types }) => types.length > 0)?.types ?? [],
    choices: parts.find(({ choices }) => choices !== undefined)?.choices,
    items: parts.find(({ items }) => items !== undefined)?.items,
    description: parts.find(({ description }) => description !== '')?.description ?? '',
  };
}

function readOwn(raw: Raw, read: (inner: unknown) => Schema): Schema {
  const { type, items, description } = raw;
  const choices = 'const' in raw ? [raw['const']] : Array.isArray(raw['enum']) ? raw['enum'] : undefined;
  const types = typeof type === 'string' ? [type] : textsOf(type);
  return {
    types: types.length > 0 ? types : [...new Set((choices ?? []).map((choice) => typeOf(choice)))],
    choices,
    items: items === undefined ? undefined : read(items),
    description: typeof description === 'string' ? description : '',
  };
}

/** One of them is enough. Python servers write "a text or nothing" this way. */
function unite(alternatives: readonly Schema[]): Schema {
  const isAnything = alternatives.some(({ types }) => types.length === 0);
  const isChoice = alternatives.every(
    ({ types, choices }) => choices !== undefined || types.join() === 'null',
  );
  return {
    types: isAnything ? [] : [...new Set(alternatives.flatMap(({ types }) => types))],
    choices: isChoice ? alternatives.flatMap(({ choices }) => choices ?? [null]) : undefined,
    items: alternatives.find(({ items }) => items !== undefined)?.items,
    description: '',
  };
}

/** What `#/$defs/Name` stands for. */
function follow(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, step) => (Object.hasOwn(objectOf(at), step) ? objectOf(at)[step] : undefined),
      root,
    );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function objectOf(value: unknown): Raw {
  return typeOf(value) === 'object' ? (value as Raw) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === 'string');
}
