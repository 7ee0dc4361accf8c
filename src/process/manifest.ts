/** A file that says how to end our children if we cannot, in lines that any shell can run. Ends nothing itself. */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { codeOf, describeFileProblem } from '../system-error.ts';
import { type ProcessIdentity, readIdentity } from './identity.ts';

export interface ManifestOptions {
  readonly identify?: (pid: number) => ProcessIdentity | undefined;
  /** A process could not be written down, and why; at most once. */
  readonly onProblem?: (what: string) => void;
}

/** One child as it was written down; the identity is missing when it was not to be had. */
export interface ManifestRecord {
  readonly pid: number;
  readonly identity?: ProcessIdentity;
}

/** A write of a process that is being killed may stop here, and nowhere else. */
const PAGE_BYTES = 4096;
const RECORD = /^# mcp-simple-aggregator pid=([1-9]\d{0,9}) start=(\S+) boot=(\S+)$/;
const UNKNOWN = '?';
const OWN_LINE = /^(?:$|# mcp-simple-aggregator |kill )/;
/** More than this is not what children were written down in. */
const LARGEST_BYTES = 16 * 1024 * 1024;

const FOREIGN = 'EFOREIGN';
const NOT_A_FILE = 'is no ordinary file';
/** What the system says of links, folders and pipes, and what we say ourselves. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['ELOOP', NOT_A_FILE],
  ['EMLINK', NOT_A_FILE],
  ['EISDIR', NOT_A_FILE],
  ['ENXIO', NOT_A_FILE],
  [FOREIGN, 'holds something else, which would be lost when it is emptied'],
]);

export class Manifest {
  readonly #path: string;
  readonly #file: number;
  readonly #options: ManifestOptions;
  #hasFailed = false;

  private constructor(path: string, file: number, options: ManifestOptions) {
    this.#path = path;
    this.#file = file;
    this.#options = options;
  }

  /** Throws an error that says what to do. What is in the file stays there: it may be all that tells of an earlier run. */
  static open(path: string, options: ManifestOptions = {}): Manifest {
    try {
      return new Manifest(path, openFile(path), options);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const why = REFUSALS.get(code) ?? `cannot be opened (${describeFileProblem(error)})`;
      throw new Error(`The terminator manifest "${path}" ${why}: choose another --terminator-manifest`, {
        cause: error,
      });
    }
  }

  /** The process must be the leader of a group of its own. */
  add(pid: number): void {
    const { identify = readIdentity } = this.#options;
    try {
      this.#append(Buffer.from(formatRecord(pid, identify(pid))));
    } catch (error) {
      this.#report(codeOf(error));
    }
  }

  /** Nothing is left that would have to be ended. */
  clear(): void {
    try {
      ftruncateSync(this.#file);
      closeSync(this.#file);
    } catch (error) {
      this.#report(codeOf(error));
    }
  }

  /** In one write and within one page: half a line would name another process. */
  #append(record: Buffer): void {
    const { size } = fstatSync(this.#file);
    const room = PAGE_BYTES - (size % PAGE_BYTES);
    const padding = Buffer.alloc(record.length > room ? room : 0, '\n');
    const bytes = Buffer.concat([padding, record]);
    if (writeSync(this.#file, bytes) === bytes.length) return;
    ftruncateSync(this.#file, size);
    throw Object.assign(new Error('Only a part was written'), { code: 'ENOSPC' });
  }

  #report(code: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onProblem?.(`The terminator manifest "${this.#path}" cannot be written (${code})`);
  }
}

/** The children that a manifest names; a last line without its end is none. */
export function readRecords(text: string): ManifestRecord[] {
  const records: ManifestRecord[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const [, pid, start = UNKNOWN, boot = UNKNOWN] = RECORD.exec(line) ?? [];
    if (pid === undefined || pid === '1') continue;
    records.push({ pid: Number(pid), ...(start !== UNKNOWN && { identity: { start, boot } }) });
  }
  return records;
}

function formatRecord(
  pid: number,
  { start, boot }: ProcessIdentity = { start: UNKNOWN, boot: UNKNOWN },
): string {
  // The process, and what it started: `npx` alone would leave its server behind.
  return `# mcp-simple-aggregator pid=${pid} start=${start} boot=${boot}\nkill ${pid}\nkill -- -${pid}\n`;
}

/** Never through a link, by which others could have us write where they cannot. */
function openFile(path: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Windows knows neither flag: there, the link is looked for beforehand.
  if (O_NOFOLLOW === undefined) refuseOthers(lstatSync(path, { throwIfNoEntry: false }));
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o600);
  try {
    const stats = fstatSync(file);
    refuseOthers(stats);
    refuseForeign(file, stats);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function refuseOthers(stats: Stats | undefined): void {
  if (stats?.isFile() === false) throw Object.assign(new Error('Not an ordinary file'), { code: 'ENXIO' });
}

/** It is emptied in the end: whatever somebody has put there must not be lost by a slip of the hand. */
function refuseForeign(file: number, { size }: Stats): void {
  const isOwn = (): boolean =>
    readFileSync(file, 'latin1')
      .split('\n')
      .every((line) => OWN_LINE.test(line));
  if (size <= LARGEST_BYTES && isOwn()) return;
  throw Object.assign(new Error('Not a manifest'), { code: FOREIGN });
}
