/** Remembers on disk what servers said of themselves, so that they need not be started to be listed. Never fails. */
import { isUtf8 } from 'node:buffer';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServerConfig } from './config/validate.ts';
import { longDigest } from './digest.ts';
import { type Greeting, nameGreeting, readGreetingName } from './era/greeting.ts';
import { type Kind, KIND_NAMES, KINDS, type KindName } from './protocol/kinds.ts';
import { isSameList, type Item } from './protocol/lists.ts';

/** What a server said of itself. */
export interface Facts extends Greeting {
  readonly lists: Readonly<Record<KindName, readonly Item[]>>;
}

/** The first line of every file; another program's, or another version's, is not read. */
const HEADER = '{"method":"mcp-simple-aggregator/cache/2"}\n';
const [NEWLINE, BRACE, CLOSING_BRACE] = [0x0a, 0x7b, 0x7d];

/** One line: what a server answered, in its own bytes, under the method that it was asked by. */
interface Entry {
  readonly id: string;
  readonly method: string;
  /** Of each item of a list: its length, and where in it the name begins and ends. So no byte is looked at twice. */
  readonly spans?: readonly number[];
  readonly result: Readonly<Record<string, unknown>>;
}

export class Cache {
  readonly #welcomeFile: string | undefined;
  readonly #listFile: string | undefined;
  readonly #written = new Map<string, Facts>();
  #welcomes: ReadonlyMap<string, Greeting> | undefined;
  #hasChanged = false;

  /** One pair of files for each config; without a directory, nothing is remembered. */
  constructor(directory: string | undefined, configPath: string) {
    const base = directory && join(directory, longDigest(configPath));
    this.#welcomeFile = base && `${base}.servers`;
    this.#listFile = base && `${base}.lists`;
  }

  /** Names what would be run, without saying it. */
  static identify({ command, args, cwd, env }: ServerConfig): string {
    return longDigest(JSON.stringify([command, args, cwd, Object.entries(env)]));
  }

  readWelcome(id: string): Buffer | undefined {
    return this.#readWelcome(id)?.welcome;
  }

  avoidsProbe(id: string): boolean {
    return this.#readWelcome(id)?.avoidsProbe === true;
  }

  /** Everything about all servers that are known. */
  readAll(): ReadonlyMap<string, Facts> {
    const lists = new Map<string, Partial<Record<KindName, readonly Item[]>>>();
    readLines(this.#listFile, (entry, line) => {
      const kind = KIND_NAMES.find((name) => KINDS[name].list === entry.method);
      const items = kind && cutItems(entry, line, KINDS[kind]);
      if (items !== undefined) lists.set(entry.id, { ...lists.get(entry.id), [kind as KindName]: items });
    });
    for (const [id, { tools, prompts, resources, templates }] of lists) {
      const welcome = this.#readWelcome(id);
      // A file that was cut off is a server that is not known.
      if (!welcome || !tools || !prompts || !resources || !templates) continue;
      this.#written.set(id, { ...welcome, lists: { tools, prompts, resources, templates } });
    }
    return new Map(this.#written);
  }

  /** To be written with the next `save`, if it is new. */
  update(id: string, facts: Facts): void {
    const known = this.#written.get(id);
    this.#hasChanged ||= known === undefined || !isSame(known, facts);
    this.#written.set(id, facts);
  }

  /** Keeps what is known of these servers; others are not in the config any more. */
  save(current?: ReadonlySet<string>): void {
    if (!this.#hasChanged || this.#welcomeFile === undefined || this.#listFile === undefined) return;
    this.#hasChanged = false;
    const all = [...this.#written].filter(([id]) => current?.has(id) ?? true);
    writeLines(
      this.#listFile,
      all.flatMap(([id, { lists }]) => KIND_NAMES.map((kind) => renderList(id, kind, lists[kind]))),
    );
    writeLines(
      this.#welcomeFile,
      all.map(([id, facts]) => renderWelcome(id, facts)),
    );
  }

  #readWelcome(id: string): Greeting | undefined {
    this.#welcomes ??= readWelcomes(this.#welcomeFile);
    return this.#welcomes.get(id);
  }
}

function readWelcomes(file: string | undefined): ReadonlyMap<string, Greeting> {
  const welcomes = new Map<string, Greeting>();
  readLines(file, ({ id, method }, line) => {
    const start = Buffer.from(renderStart(id, method));
    const welcome = line.subarray(start.length, -1);
    if (!line.subarray(0, start.length).equals(start)) return;
    const greeting = readGreetingName(method);
    if (greeting !== undefined) welcomes.set(id, { ...greeting, welcome });
  });
  return welcomes;
}

/** Lines that are damaged are skipped: what they would have said is found out again. */
function readLines(file: string | undefined, take: (entry: Entry, line: Buffer) => void): void {
  try {
    const bytes = file === undefined ? Buffer.alloc(0) : readFileSync(file);
    if (!bytes.subarray(0, HEADER.length).equals(Buffer.from(HEADER)) || !isUtf8(bytes)) return;
    let start = HEADER.length;
    // What comes after the last newline was cut off.
    for (let end = bytes.indexOf(NEWLINE, start); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const line = bytes.subarray(start, end);
      const entry = parseEntry(line);
      if (entry !== undefined) take(entry, line);
      start = end + 1;
    }
  } catch {
    // There is none, or it may not be read.
  }
}

function parseEntry(line: Buffer): Entry | undefined {
  const entry = parse(line.toString()) as Partial<Entry> | null | undefined;
  const { id, method, result } = entry ?? {};
  if (typeof id !== 'string' || typeof method !== 'string') return undefined;
  return typeof result === 'object' && result !== null && !Array.isArray(result)
    ? (entry as Entry)
    : undefined;
}

/** By the parser of the engine: ours would cost more than all the rest of a start. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The items in their own bytes; undefined when the spans are not theirs. */
function cutItems({ spans, result }: Entry, line: Buffer, { member, field }: Kind): Item[] | undefined {
  const values = result[member];
  if (!Array.isArray(spans) || !Array.isArray(values) || spans.length !== values.length * 3) return undefined;
  const items: Item[] = [];
  // They stand at the end of the line, with one byte between each and the next.
  let start = line.length - LIST_END.length + 1;
  for (let index = 0; index < spans.length; index += 3) start -= Number(spans[index]) + 1;
  for (const [index, value] of (values as readonly unknown[]).entries()) {
    const [length = 0, from = 0, to = 0] = [0, 1, 2].map((place) => Number(spans[index * 3 + place]));
    const bytes = line.subarray(start, start + length);
    const name = (value as Record<string, unknown> | null)?.[field];
    const isWhole = bytes[0] === BRACE && bytes.at(-1) === CLOSING_BRACE;
    if (!isWhole || typeof name !== 'string' || parse(bytes.toString('utf8', from, to)) !== name)
      return undefined;
    items.push({ name, bytes, nameSpan: { start: from, end: to } });
    start += length + 1;
  }
  return items;
}

const COMMA = Buffer.from(',');
const LIST_END = ']}}';

function renderList(id: string, kind: KindName, items: readonly Item[]): Buffer {
  const { list, member } = KINDS[kind];
  const spans = items.flatMap(({ bytes, nameSpan }) => [bytes.length, nameSpan.start, nameSpan.end]);
  const pieces = items.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]));
  const start = renderStart(id, list, `"spans":${JSON.stringify(spans)},`);
  return Buffer.concat([Buffer.from(`${start}{"${member}":[`), ...pieces, Buffer.from(`${LIST_END}\n`)]);
}

function renderWelcome(id: string, facts: Greeting): Buffer {
  const start = Buffer.from(renderStart(id, nameGreeting(facts)));
  return Buffer.concat([start, facts.welcome, Buffer.from('}\n')]);
}

function renderStart(id: string, method: string, members = ''): string {
  return `{"id":"${id}","method":"${method}",${members}"result":`;
}

/** Whole or not at all: a reader never sees half a file. */
function writeLines(file: string, lines: readonly Buffer[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, Buffer.concat([Buffer.from(HEADER), ...lines]), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // A read-only home, a full disk: the next start is only slower.
  }
}

function isSame(one: Facts, other: Facts): boolean {
  if (!one.welcome.equals(other.welcome) || nameGreeting(one) !== nameGreeting(other)) return false;
  return KIND_NAMES.every((kind) => isSameList(one.lists[kind], other.lists[kind]));
}
