/** Remembers on disk what servers said of themselves, so that they need not be started to be listed. Never fails. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServerConfig } from './config/validate.ts';
import { longDigest } from './digest.ts';
import { DISCOVER, type Era } from './era/modern.ts';
import { KIND_NAMES, KINDS, type KindName } from './protocol/kinds.ts';
import { isSameList, type Item, readItems } from './protocol/lists.ts';
import type { Envelope } from './wire/envelope.ts';
import { LineReader } from './wire/lines.ts';

/** What a server said of itself. */
export interface Facts {
  readonly era: Era;
  /** Whether it took `server/discover` so badly that it is better not asked again. */
  readonly avoidsProbe: boolean;
  /** The result of its `initialize` or `server/discover`, in its own bytes. */
  readonly welcome: Buffer;
  readonly lists: Readonly<Record<KindName, readonly Item[]>>;
}

/** The first line of every file; another program's, or another version's, is not read. */
const HEADER = '{"method":"mcp-simple-aggregator/cache/1"}\n';
const WELCOME = 'initialize';
/** The same of a server that must not be asked anything before. */
const ONLY_WELCOME = 'initialize/only';
const OBJECT_START = 0x7b;

export class Cache {
  readonly #welcomeFile: string | undefined;
  readonly #listFile: string | undefined;
  readonly #written = new Map<string, Facts>();
  #welcomes: ReadonlyMap<string, Welcome> | undefined;
  #hasChanged = false;

  /** One pair of files for each config; without a directory, nothing is remembered. */
  constructor(directory: string | undefined, configPath: string) {
    const base = directory && join(directory, longDigest(configPath));
    this.#welcomeFile = base && `${base}.servers`;
    this.#listFile = base && `${base}.lists`;
  }

  /** Names what would be run, and nothing of it can be read back. */
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
    readLines(this.#listFile, (id, message) => {
      const kind = KIND_NAMES.find((name) => KINDS[name].list === message.method);
      if (kind === undefined) return;
      lists.set(id, { ...lists.get(id), [kind]: readItems(message, KINDS[kind]).items });
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

  save(): void {
    if (!this.#hasChanged || this.#welcomeFile === undefined || this.#listFile === undefined) return;
    this.#hasChanged = false;
    const all = [...this.#written];
    writeLines(
      this.#listFile,
      all.flatMap(([id, { lists }]) => KIND_NAMES.map((kind) => renderList(id, kind, lists[kind]))),
    );
    writeLines(
      this.#welcomeFile,
      all.map(([id, facts]) => renderLine(id, nameWelcome(facts), [facts.welcome])),
    );
  }

  #readWelcome(id: string): Welcome | undefined {
    this.#welcomes ??= readWelcomes(this.#welcomeFile);
    return this.#welcomes.get(id);
  }
}

type Welcome = Omit<Facts, 'lists'>;

function nameWelcome({ era, avoidsProbe }: Welcome): string {
  if (era === 'modern') return DISCOVER;
  return avoidsProbe ? ONLY_WELCOME : WELCOME;
}

function readWelcomes(file: string | undefined): ReadonlyMap<string, Welcome> {
  const welcomes = new Map<string, Welcome>();
  readLines(file, (id, message) => {
    const { method, result } = message;
    const welcome = result && message.bytes(result);
    // Valid as JSON, damaged still: every server answers with an object.
    if (welcome?.[0] !== OBJECT_START) return;
    if (method === DISCOVER) welcomes.set(id, { era: 'modern', avoidsProbe: false, welcome });
    else if (method === WELCOME || method === ONLY_WELCOME)
      welcomes.set(id, { era: 'legacy', avoidsProbe: method === ONLY_WELCOME, welcome });
  });
  return welcomes;
}

/** Lines that are damaged are skipped: what they would have said is found out again. */
function readLines(file: string | undefined, take: (id: string, message: Envelope) => void): void {
  try {
    const bytes = file === undefined ? Buffer.alloc(0) : readFileSync(file);
    if (!bytes.subarray(0, HEADER.length).equals(Buffer.from(HEADER))) return;
    const onMessage = (message: Envelope): void => take(message.id?.slice(1, -1) ?? '', message);
    const reader = new LineReader({ onMessage, onMalformed: () => {} });
    // The last line is not ended here: without its newline it was cut off.
    reader.push(bytes.subarray(HEADER.length));
  } catch {
    // There is none, or it may not be read.
  }
}

function renderList(id: string, kind: KindName, items: readonly Item[]): Buffer {
  const { list, member } = KINDS[kind];
  const pieces = items.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]));
  return renderLine(id, list, [Buffer.from(`{"${member}":[`), ...pieces, Buffer.from(']}')]);
}

const COMMA = Buffer.from(',');

function renderLine(id: string, method: string, result: readonly Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from(`{"id":"${id}","method":"${method}","result":`),
    ...result,
    Buffer.from('}\n'),
  ]);
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
  if (!one.welcome.equals(other.welcome) || nameWelcome(one) !== nameWelcome(other)) return false;
  return KIND_NAMES.every((kind) => isSameList(one.lists[kind], other.lists[kind]));
}
