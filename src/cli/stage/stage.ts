/** Where check and call try servers: starts them as the aggregator would, and leaves none behind, whichever way it ends. */
import { existsSync } from 'node:fs';
import { extendChain } from '../../chain.ts';
import type { Config, ServerConfig } from '../../config/load.ts';
import { Log } from '../../log.ts';
import { Watchdog } from '../../process/watchdog.ts';
import { VERSION } from '../../version.ts';
import { onSignal } from '../signals.ts';
import { createCleaner, createPaint, isLively, type Paint } from '../terminal.ts';
import { Probe, type ProbeSettings } from './probe.ts';
import { Progress } from './progress.ts';

export interface StageOptions {
  readonly config: Config;
  readonly isolateEnv: boolean;
  readonly startupTimeoutMs: number;
  /** How many servers will be tried. */
  readonly total: number;
}

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

export class Stage {
  /** For texts of others: one line, no secrets, nothing that could disturb a terminal. */
  readonly clean: (text: string) => string;
  /** For stdout. */
  readonly paint: Paint;
  /** For stderr. */
  readonly paintError: Paint;
  readonly progress: Progress;
  readonly #probes: Probe[] = [];
  readonly #watchdog: Watchdog;
  readonly #settings: ProbeSettings;

  constructor({ config, isolateEnv, startupTimeoutMs, total }: StageOptions) {
    const { env, platform, execPath, stdout, stderr } = process;
    this.clean = createCleaner(config.secrets);
    this.paint = createPaint(isLively(stdout, env));
    this.paintError = createPaint(isLively(stderr, env));
    this.progress = new Progress(total, {
      write: (text) => stderr.write(text),
      isLively: isLively(stderr, env),
      // A terminal that does not know its size says 0.
      size: () => ({ columns: stderr.columns || DEFAULT_COLUMNS, rows: stderr.rows || DEFAULT_ROWS }),
      paint: this.paintError,
      now: () => performance.now(),
    });
    this.#watchdog = new Watchdog({ platform, env });
    this.#settings = {
      log: new Log({ debug: false, write: () => {}, secrets: config.secrets }),
      host: { platform, execPath, exists: existsSync },
      env,
      isolateEnv,
      extraEnv: extendChain(env, config.path),
      watchdog: this.#watchdog,
      startupTimeoutMs,
      identity: { name: 'mcp-simple-aggregator', version: VERSION },
    };
    this.#watchSignals();
  }

  get probes(): readonly Probe[] {
    return this.#probes;
  }

  start(server: ServerConfig, special: Partial<ProbeSettings> = {}): Probe {
    const probe = new Probe(server, { ...this.#settings, ...special });
    this.#probes.push(probe);
    return probe;
  }

  async close(): Promise<void> {
    this.progress.stop();
    await Promise.all(this.#probes.map((probe) => probe.close()));
    this.#watchdog.close();
  }

  /** The servers are in groups of their own: Ctrl-C reaches only us. */
  #watchSignals(): void {
    onSignal((exitCode) => {
      this.progress.stop();
      for (const { connection } of this.#probes) connection.kill();
      process.exit(exitCode);
    });
  }
}

/** Resolves when everything has been handed over: the process ends right after. */
export function print(text: string, stream: NodeJS.WritableStream = process.stdout): Promise<void> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve());
    stream.write(text, () => resolve());
  });
}
