/** Where log lines go: to stderr, which nobody may be reading, or to a file; never to stdout. Changes none of them. */
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { PREFIX } from './log.ts';

export interface Sink {
  write(line: string): void;
  close(): void;
}

/** What a sink needs of a stream such as `process.stderr`. */
export interface LogStream {
  readonly writableLength: number;
  write(text: string): boolean;
  on(event: 'drain' | 'error', listener: () => void): unknown;
  off(event: 'drain' | 'error', listener: () => void): unknown;
}

export interface SinkOptions {
  readonly stderr: LogStream;
  /** Takes the lines instead of stderr. */
  readonly logFile?: string | undefined;
}

const WAITING_LIMIT_BYTES = 1024 * 1024;

/** Opens the place where lines go; throws when the log file cannot be opened. */
export function createSink({ stderr, logFile }: SinkOptions): Sink {
  return logFile === undefined ? new StreamSink(stderr) : new FileSink(logFile);
}

/** Writes to a stream that nobody may be reading: past a bound, lines are counted instead of kept. */
class StreamSink implements Sink {
  readonly #stream: LogStream;
  readonly #reportDropped = (): void => {
    if (this.#dropped === 0) return;
    const notice = `${PREFIX}: warning: ${this.#dropped} log lines dropped because stderr was not read`;
    this.#dropped = 0;
    this.#send(notice);
  };
  #dropped = 0;
  #closed = false;

  constructor(stream: LogStream) {
    this.#stream = stream;
    stream.on('drain', this.#reportDropped);
    // Stays after close: a broken stderr (EPIPE) must never end the program.
    stream.on('error', () => {});
  }

  write(line: string): void {
    if (this.#closed) return;
    if (this.#dropped > 0 || this.#stream.writableLength > WAITING_LIMIT_BYTES) this.#dropped += 1;
    else this.#send(line);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stream.off('drain', this.#reportDropped);
    this.#reportDropped();
  }

  #send(line: string): void {
    try {
      this.#stream.write(`${line}\n`);
    } catch {
      // There is no other place left to complain to.
    }
  }
}

/** Writes at once, so that the last lines before a crash are there too. */
class FileSink implements Sink {
  #descriptor: number | undefined;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'a', 0o600);
  }

  write(line: string): void {
    if (this.#descriptor === undefined) return;
    try {
      appendFileSync(this.#descriptor, `${line}\n`);
    } catch {
      // A full disk takes the log, not the servers.
    }
  }

  close(): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
