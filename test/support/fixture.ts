/** Config entries for the fixture server. Starts nothing. */
import { join } from 'node:path';
import type { ServerEntry } from './session.ts';

export const SERVER: string = join(import.meta.dirname, '../fixtures/server.mjs');

export interface FixtureOptions {
  /** What it calls itself in `echo`. */
  name?: string;
  /** Names, or whole definitions as JSON text; a name without a behaviour of its own echoes. */
  tools?: string[];
  /** Raw reply members by tool, such as `"result":{}`. */
  replies?: Record<string, string>;
  pageSize?: number;
  cursor?: 'repeated' | 'endless';
  version?: string;
  /** The method that is never answered. */
  hang?: string;
  /** The method at which the process exits, with `code`. */
  dieAt?: string;
  /** The method that is answered before the process exits, with `code`. */
  dieAfter?: string;
  /** Refuses everything, unless it was greeted with a handshake. */
  handshakeFirst?: boolean;
  code?: number;
  /** Exits at once with this code. */
  exit?: number;
  stderr?: string;
  banner?: string;
  ignoreEof?: boolean;
  ignoreSigterm?: boolean;
  /** What calls that are held are answered with at the end of its input. */
  lastAnswer?: string;
  /** Reads nothing before this record of another server has the request for its list, or this text. */
  after?: string;
  afterText?: string;
  /** Answers, before anything was asked, a request that nobody made. */
  announce?: boolean;
  /** File that receives every line that the server receives. */
  record?: string;
}

export function fixture(options: FixtureOptions = {}, entry: Partial<ServerEntry> = {}): ServerEntry {
  return { command: 'node', args: [SERVER, JSON.stringify(options)], ...entry };
}

/** Ends neither at the end of its input nor at a word. */
export const STUBBORN: FixtureOptions = { ignoreEof: true, ignoreSigterm: true };

/** A shell that waits for its child, as `npx` does. */
export function tree(options: FixtureOptions = {}): ServerEntry {
  const script = `'${process.execPath}' '${SERVER}' "$1"; true`;
  return { command: 'sh', args: ['-c', script, 'sh', JSON.stringify(options)] };
}

/** Each ends in another way. */
export const ENDING_SERVERS: Record<string, ServerEntry> = {
  normal: fixture(),
  deaf: fixture({ ignoreEof: true }),
  stubborn: fixture(STUBBORN),
  tree: tree(),
  stubbornTree: tree(STUBBORN),
};
