/** Asks a person at the terminal what a server wants to know; who does not answer has cancelled. Sends nothing. */
import { createInterface, type Interface } from 'node:readline';
import { stripControls } from '../terminal.ts';

export interface Elicitation {
  readonly message?: string;
  readonly mode?: string;
  readonly url?: string;
  readonly requestedSchema?: {
    readonly properties?: Readonly<Record<string, Field>>;
    readonly required?: readonly string[];
  };
}

export type Answer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

interface Choice {
  readonly const?: unknown;
  readonly title?: string;
}

interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly Choice[];
  readonly items?: { readonly enum?: readonly unknown[]; readonly anyOf?: readonly Choice[] };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A value, or a sentence on why it is none. */
type Reading = { readonly value: unknown } | { readonly problem: string };

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export class Questions {
  readonly #terminal: Terminal;
  readonly #lines: string[] = [];
  readonly #waiting: ((line: string | undefined) => void)[] = [];
  #reader: Interface | undefined;
  #hasEnded = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async ask(key: string, { message = '', mode, url, requestedSchema = {} }: Elicitation): Promise<Answer> {
    this.#say(`"${key}" asks: ${stripControls(message, 'lines')}`);
    if (mode === 'url') return this.#confirm(`Open ${stripControls(url ?? '')} and go on when done? [y/N] `);
    const fields = Object.entries(requestedSchema.properties ?? {});
    if (fields.length === 0) return this.#confirm('Accept? [y/N] ');
    this.#say('(Enter takes what is in brackets, or leaves out what is not required; "." declines)');
    const content: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      const isRequired = requestedSchema.required?.includes(name) ?? false;
      const reading = await this.#askField(name, field, isRequired);
      if (typeof reading === 'string') return { action: reading };
      if (reading.value !== undefined) content[name] = reading.value;
    }
    return { action: 'accept', content };
  }

  close(): void {
    this.#reader?.close();
  }

  async #askField(
    name: string,
    field: Field,
    isRequired: boolean,
  ): Promise<{ value: unknown } | 'decline' | 'cancel'> {
    const choices = choicesOf(field);
    choices.forEach(({ title }, index) => this.#say(`  ${index + 1}. ${stripControls(title)}`));
    for (;;) {
      const line = await this.#read(`${describeField(name, field, isRequired)}: `);
      if (line === undefined) return 'cancel';
      if (line.trim() === '.') return 'decline';
      const reading = readField(line.trim(), field, isRequired);
      if ('value' in reading) return reading;
      this.#say(`  ${reading.problem}`);
    }
  }

  async #confirm(prompt: string): Promise<Answer> {
    const line = await this.#read(prompt);
    if (line === undefined) return { action: 'cancel' };
    return { action: /^y(?:es)?$/i.test(line.trim()) ? 'accept' : 'decline' };
  }

  #say(line: string): void {
    this.#terminal.output.write(`${line}\n`);
  }

  /** The next line; undefined when there is none to come. */
  #read(prompt: string): Promise<string | undefined> {
    this.#reader ??= this.#open();
    this.#terminal.output.write(prompt);
    const line = this.#lines.shift();
    if (line !== undefined || this.#hasEnded) return Promise.resolve(line);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #open(): Interface {
    const reader = createInterface({ input: this.#terminal.input, terminal: false });
    reader.on('line', (line) => {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#lines.push(line);
      else waiting(line);
    });
    reader.on('close', () => {
      this.#hasEnded = true;
      this.#terminal.output.write('\n');
      for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    });
    return reader;
  }
}

/** What to type, by type. */
const KINDS: Readonly<Record<string, string>> = {
  boolean: 'yes or no',
  integer: 'whole number',
  number: 'number',
  string: 'text',
};

function describeField(name: string, field: Field, isRequired: boolean): string {
  const label = stripControls(field.title ?? name);
  const text = field.description === undefined ? '' : ` – ${stripControls(field.description)}`;
  const isChoice = choicesOf(field).length > 0;
  const kind = isChoice ? (field.type === 'array' ? 'numbers' : 'number') : KINDS[field.type ?? 'string'];
  const needed = isRequired ? ', required' : '';
  const preset = field.default === undefined ? '' : ` [${showDefault(field)}]`;
  return `${label}${text} (${kind ?? field.type}${needed})${preset}`;
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

function choicesOf(field: Field): { value: unknown; title: string }[] {
  const listed = field.oneOf ?? field.items?.anyOf;
  if (listed !== undefined) {
    return listed.map((choice) => ({ value: choice.const, title: choice.title ?? String(choice.const) }));
  }
  const values = field.enum ?? field.items?.enum ?? [];
  return values.map((value, index) => ({ value, title: field.enumNames?.[index] ?? String(value) }));
}

function readField(line: string, field: Field, isRequired: boolean): Reading {
  if (line === '') {
    if (field.default !== undefined || !isRequired) return { value: field.default };
    return { problem: 'An answer is required; "." declines' };
  }
  const choices = choicesOf(field);
  if (choices.length > 0) return readChoice(line, choices, field.type === 'array');
  if (field.type === 'boolean') {
    if (/^(?:y|yes|true)$/i.test(line)) return { value: true };
    return /^(?:n|no|false)$/i.test(line) ? { value: false } : { problem: 'Answer yes or no' };
  }
  if (field.type === 'number' || field.type === 'integer') return readNumber(line, field);
  const { minLength = 0, maxLength = Infinity } = field;
  if (line.length >= minLength && line.length <= maxLength) return { value: line };
  return { problem: `Answer with ${minLength} to ${maxLength} characters` };
}

function readNumber(line: string, { type, minimum = -Infinity, maximum = Infinity }: Field): Reading {
  const value = Number(line);
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value))) {
    return { problem: type === 'integer' ? 'Answer with a whole number' : 'Answer with a number' };
  }
  return value >= minimum && value <= maximum
    ? { value }
    : { problem: `Answer with a number from ${minimum} to ${maximum}` };
}

/** By number or by the text itself. */
function readChoice(
  line: string,
  choices: readonly { value: unknown; title: string }[],
  isMany: boolean,
): Reading {
  const words = isMany ? line.split(',').map((word) => word.trim()) : [line];
  const chosen = words.map(
    (word) =>
      choices[Number(word) - 1] ??
      choices.find(({ value, title }) => word === title || word === String(value)),
  );
  if (chosen.includes(undefined)) {
    return {
      problem: `Answer with ${isMany ? 'numbers from the list, as in 1,3' : 'a number from the list'}`,
    };
  }
  const values = chosen.map((choice) => choice?.value);
  return { value: isMany ? values : values[0] };
}
