/** One field of a question: how it is put to a person, and what is made of the answer. Asks nothing. */
import { stripControls } from '../terminal.ts';

interface Choice {
  readonly const?: unknown;
  readonly title?: string;
}

/** What a server wants to know, as far as it keeps to what is agreed. */
export interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly Choice[];
  readonly items?: { readonly enum?: readonly unknown[]; readonly anyOf?: readonly Choice[] };
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A value that can be chosen, and what it is called. */
interface Named {
  readonly value: unknown;
  readonly title: string;
}

/** A value, or a sentence on why it is none. */
type Reading = { readonly value: unknown } | { readonly problem: string };

/** What to type, by type. */
const KINDS: Readonly<Record<string, string>> = {
  boolean: 'yes or no',
  integer: 'whole number',
  number: 'number',
  string: 'text',
};

interface Format {
  readonly kind: string;
  /** Taken for one; the server may be stricter. */
  readonly pattern: RegExp;
}

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['email', { kind: 'mail address, as in ada@example.com', pattern: /^[^\s@]+@[^\s@]+$/ }],
  ['uri', { kind: 'URL, as in https://example.com', pattern: /^[a-z][a-z0-9+.-]*:\S+$/i }],
  ['date', { kind: 'date, as in 2026-01-31', pattern: /^\d{4}-\d\d-\d\d$/ }],
  ['date-time', { kind: 'time, as in 2026-01-31T12:00:00Z', pattern: /^\d{4}-\d\d-\d\dT\S+$/i }],
]);

export function describeField(name: string, field: Field, isRequired: boolean): string {
  const label = stripControls(field.title ?? name);
  const text = field.description === undefined ? '' : ` – ${stripControls(field.description)}`;
  const isChoice = choicesOf(field).length > 0;
  const ofOne = formatOf(field)?.kind ?? KINDS[field.type ?? 'string'];
  const kind = isChoice ? (field.type === 'array' ? 'numbers, as in 1,2' : 'number') : ofOne;
  const needed = isRequired ? ', required' : '';
  const preset = field.default === undefined ? '' : ` [${showDefault(field)}]`;
  return `${label}${text} (${kind ?? field.type}${needed})${preset}`;
}

function formatOf({ type = 'string', format = '' }: Field): Format | undefined {
  return type === 'string' ? FORMATS.get(format) : undefined;
}

/** As it is called in the list, where there is one. */
function showDefault(field: Field): string {
  const choices = choicesOf(field);
  const show = (value: unknown): string => {
    const title = choices.find((choice) => choice.value === value)?.title;
    return stripControls(title ?? (typeof value === 'string' ? value : JSON.stringify(value)));
  };
  const { default: preset } = field;
  return Array.isArray(preset) ? preset.map(show).join(', ') : show(preset);
}

export function choicesOf(field: Field): Named[] {
  const listed = field.oneOf ?? field.items?.anyOf;
  if (listed !== undefined) {
    return listed.map((choice) => ({ value: choice.const, title: choice.title ?? String(choice.const) }));
  }
  const values = field.enum ?? field.items?.enum ?? [];
  return values.map((value, index) => ({ value, title: field.enumNames?.[index] ?? String(value) }));
}

export function readField(line: string, field: Field, isRequired: boolean): Reading {
  if (line === '') {
    if (field.default !== undefined || !isRequired) return { value: field.default };
    return { problem: 'An answer is required; "." declines' };
  }
  const choices = choicesOf(field);
  if (choices.length > 0)
    return field.type === 'array' ? readMany(line, choices, field) : readOne(line, choices);
  if (field.type === 'boolean') {
    if (/^(?:y|yes|true)$/i.test(line)) return { value: true };
    return /^(?:n|no|false)$/i.test(line) ? { value: false } : { problem: 'Answer yes or no' };
  }
  if (field.type === 'number' || field.type === 'integer') return readNumber(line, field);
  const format = formatOf(field);
  if (format !== undefined && !format.pattern.test(line)) return { problem: `Answer with a ${format.kind}` };
  const { minLength: least = 0, maxLength: most } = field;
  return isWithin(line.length, least, most)
    ? { value: line }
    : { problem: `Answer with ${nameRange(least, most)} characters` };
}

function readNumber(line: string, { type, minimum, maximum }: Field): Reading {
  const value = Number(line);
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value))) {
    return { problem: type === 'integer' ? 'Answer with a whole number' : 'Answer with a number' };
  }
  return isWithin(value, minimum, maximum)
    ? { value }
    : { problem: `Answer with a number: ${nameRange(minimum, maximum)}` };
}

function isWithin(value: number, least: number = -Infinity, most: number = Infinity): boolean {
  return value >= least && value <= most;
}

function nameRange(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return `at least ${least}`;
  return least === undefined ? `at most ${most}` : `from ${least} to ${most}`;
}

/** By number or by the text itself. */
function findChoice(word: string, choices: readonly Named[]): Named | undefined {
  return (
    choices[Number(word) - 1] ?? choices.find(({ value, title }) => word === title || word === String(value))
  );
}

function readOne(line: string, choices: readonly Named[]): Reading {
  return findChoice(line, choices) ?? { problem: 'Answer with a number from the list' };
}

function readMany(line: string, choices: readonly Named[], { minItems = 0, maxItems }: Field): Reading {
  const chosen = line.split(',').map((word) => findChoice(word.trim(), choices));
  const values = chosen.map((choice) => choice?.value);
  if (chosen.includes(undefined)) return { problem: 'Answer with numbers from the list, as in 1,2' };
  return isWithin(values.length, minItems, maxItems)
    ? { value: values }
    : { problem: `Answer with ${nameRange(minItems, maxItems)} of them, as in 1,2` };
}
