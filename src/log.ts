/** Turns events into single clean lines, free of secrets; where they go is not its affair. */
import type { Clock } from './clock.ts';
import { Rate } from './rate.ts';

/** What a log says, and to whom. */
export interface LogOptions {
  /** Whether everything is said, not only errors and warnings. */
  readonly debug: boolean;
  /** Takes one line, without its end. */
  readonly write: (line: string) => void;
  /** Values that are masked in every line, such as `Config.secrets`. */
  readonly secrets?: readonly string[];
  readonly clock?: Clock;
}

/** What every line of our own begins with. */
export const PREFIX: string = 'mcp-simple-aggregator';
const MASK = '***';
/** Shorter values are in every other line: masked, they would leave no log to read. */
const SHORTEST_SECRET = 4;
/** So are the shorter ones among the parts of a value: its lines, or its beginning. */
const SHORTEST_PART = 6;
/** What follows a text that was cut before it came here, maybe through a secret. */
const CUT_MARK = ' …';
/** What a server does wrong all the time is not told all the time. */
const WARNINGS_PER_WINDOW = 50;
const WARNING_WINDOW_MS = 10_000;

/** Whole escape sequences: OSC, DCS and the like up to their end, CSI, and the short ones. */
const ANSI =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g;

/** C0, DEL and C1; line and paragraph separators; whatever turns the direction of text. */
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Writes lines of one look, with no secret and nothing that could disturb a terminal; the key names the server meant. */
export class Log {
  readonly #debug: boolean;
  readonly #write: (line: string) => void;
  readonly #secrets = new Set<string>();
  readonly #clock: Clock | undefined;
  /** By the key of the server that is warned about. */
  readonly #rates = new Map<string | undefined, Rate>();

  constructor({ debug, write, secrets = [], clock }: LogOptions) {
    this.#debug = debug;
    this.#clock = clock;
    this.#write = write;
    this.#addSecrets(secrets);
  }

  error(text: string, key?: string): void {
    this.#writeOwn('error', text, key);
  }

  /** Only so many in a while about one server; the rest is counted. */
  warn(text: string, key?: string): void {
    if (this.#rateOf(key).take(1)) this.#writeOwn('warning', text, key);
  }

  /** As with warnings, so many about one server: it may cause as many as it likes. */
  debug(text: string, key?: string): void {
    if (!this.#debug) return;
    if (key === undefined || this.#rateOf(key).take(1)) this.#writeOwn('debug', text, key);
  }

  /** A line of a child's stderr, whatever the level. */
  child(key: string, text: string): void {
    this.#write(`[${escapeControls(key)}] ${this.#clean(text)}`);
  }

  #addSecrets(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      // A child prints a value inside JSON in JSON's spelling, and one of several lines line by line.
      this.#addSecret(secret, SHORTEST_SECRET);
      this.#addSecret(JSON.stringify(secret).slice(1, -1), SHORTEST_SECRET);
      const lines = secret.trim().split(/[\r\n]+/);
      if (lines.length > 1) for (const line of lines) this.#addSecret(line, SHORTEST_PART);
    }
  }

  /** The text with every secret masked. */
  redact(text: string): string {
    const spans = this.#findSecrets(text);
    if (spans.length === 0) return text;
    // Spans that overlap are hidden as one: replaced one by one, the rest of the second would show.
    spans.sort((one, other) => one.start - other.start);
    let redacted = '';
    let position = 0;
    for (const { start, end } of spans) {
      if (start >= position) redacted += text.slice(position, start) + MASK;
      position = Math.max(position, end);
    }
    return redacted + text.slice(position);
  }

  #addSecret(form: string, shortest: number): void {
    const bare = form.trim();
    if (bare.length >= shortest) this.#secrets.add(bare);
  }

  #rateOf(key: string | undefined): Rate {
    const known = this.#rates.get(key);
    if (known !== undefined) return known;
    const rate = new Rate({
      limit: WARNINGS_PER_WINDOW,
      windowMs: WARNING_WINDOW_MS,
      onDropped: (count) => this.#writeOwn('warning', `… ${count} more lines of this kind dropped`, key),
      clock: this.#clock,
    });
    this.#rates.set(key, rate);
    return rate;
  }

  #findSecrets(text: string): Span[] {
    const spans: Span[] = [];
    const cut = text.lastIndexOf(CUT_MARK);
    for (const secret of this.#secrets) {
      for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1)) {
        spans.push({ start, end: start + secret.length });
      }
      const length = cut === -1 ? 0 : measureBeginning(secret, text.slice(0, cut));
      if (length >= SHORTEST_PART) spans.push({ start: cut - length, end: cut });
    }
    return spans;
  }

  #clean(text: string): string {
    // An escape sequence inside a secret hides it from the first look; one removed may join two halves.
    return escapeControls(this.redact(this.redact(text).replace(ANSI, '')));
  }

  #writeOwn(level: string, text: string, key?: string): void {
    const prefix =
      key === undefined ? `${PREFIX}: ${level}:` : `${PREFIX}: ${level}: [${escapeControls(key)}]`;
    const lines = this.redact(text).trimEnd().split(/\r?\n/);
    for (const line of lines) this.#write(`${prefix} ${this.#clean(line)}`);
  }
}

/** How many characters of the secret's beginning the text ends with. */
function measureBeginning(secret: string, text: string): number {
  let length = Math.min(secret.length, text.length);
  while (length > 0 && !text.endsWith(secret.slice(0, length))) length -= 1;
  return length;
}

function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === '\t') return '  ';
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });
}
