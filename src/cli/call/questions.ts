/** Asks a person at the terminal what a server wants to know; who does not answer has cancelled. Sends nothing. */
import { createInterface, type Interface } from 'node:readline';
import { stripControls } from '../terminal.ts';
import { choicesOf, describeField, type Field, readField } from './fields.ts';

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
    this.#say('(Enter takes what is in brackets, or leaves it out; "." declines)');
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
