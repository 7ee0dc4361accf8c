/** Shows which servers are starting and for how long: redrawn on a terminal, one plain line per event elsewhere. */
import { cut, formatSeconds, type Paint } from '../terminal.ts';

export interface ProgressOptions {
  readonly write: (text: string) => void;
  /** Whether what was written can be taken back. */
  readonly isLively: boolean;
  /** Of the terminal, which may change while we draw. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly paint: Paint;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

export interface Task {
  /** Worth a line of its own. */
  say(detail: string): void;
  /** Shown only while it lasts. */
  hint(detail: string): void;
  end(outcome: string): void;
}

interface Job {
  readonly label: string;
  readonly startedAt: number;
  detail: string;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const SHOWN_JOBS = 12;

export class Progress {
  readonly #options: ProgressOptions;
  readonly #jobs = new Set<Job>();
  readonly #total: number;
  #timer: NodeJS.Timeout | undefined;
  #drawnLines = 0;
  #frame = 0;
  #done = 0;

  constructor(total: number, options: ProgressOptions) {
    this.#total = total;
    this.#options = options;
    if (options.isLively) this.#timer = setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  /** Something begins; the result takes what there is to say of it, and its end. */
  begin(label: string): Task {
    const job: Job = { label, startedAt: this.#options.now(), detail: '' };
    this.#jobs.add(job);
    return {
      hint: (detail) => {
        job.detail = detail;
      },
      say: (detail) => {
        if (!this.#options.isLively && detail !== job.detail) this.#options.write(`${label}: ${detail}\n`);
        job.detail = detail;
      },
      end: (outcome) => {
        this.#jobs.delete(job);
        this.#done += 1;
        const time = formatSeconds(this.#options.now() - job.startedAt);
        if (!this.#options.isLively) this.#options.write(`${label}: ${outcome} after ${time}\n`);
        else this.#draw();
      },
    };
  }

  /** Writes a line above what is redrawn. */
  print(line: string): void {
    this.#erase();
    this.#options.write(`${line}\n`);
  }

  /** Gives the terminal to somebody else for a while. */
  pause(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  resume(): void {
    if (this.#options.isLively) this.#timer = setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  stop(): void {
    this.pause();
    this.#jobs.clear();
  }

  #erase(): void {
    // From the first column: a key that was pressed, such as Ctrl-C, has moved on from there.
    if (this.#drawnLines > 0) this.#options.write(`\r\u001B[${this.#drawnLines}A\u001B[0J`);
    this.#drawnLines = 0;
  }

  #draw(): void {
    const { paint, size, now } = this.#options;
    const { columns, rows } = size();
    // What has scrolled away cannot be taken back: there is room for these, two lines on the rest, and the cursor.
    const most = Math.max(1, Math.min(SHOWN_JOBS, rows - 3));
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const spinner = paint('cyan', FRAMES[this.#frame] ?? '');
    const jobs = [...this.#jobs];
    const lines = jobs.slice(0, most).map(({ label, startedAt, detail }) => {
      const time = formatSeconds(now() - startedAt);
      return `${spinner} ${cut([label, time, detail].filter((part) => part !== '').join('  '), columns - 3)}`;
    });
    const hidden = jobs.length - most;
    if (hidden > 0) lines.push(paint('dim', `  and ${hidden} more`));
    if (this.#total > 1 && jobs.length > 0)
      lines.push(paint('dim', `  ${this.#done} of ${this.#total} done`));
    this.#erase();
    if (lines.length === 0) return;
    this.#options.write(`${lines.join('\n')}\n`);
    this.#drawnLines = lines.length;
  }
}
