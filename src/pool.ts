/** Keeps the number of processes within bounds, and puts servers to rest that nobody has used for a while. */
import { now } from './clock.ts';

/** A server as far as its process takes room. */
export interface Member {
  /** Since when it has had nothing to do; undefined when it is busy or must not be put to rest. */
  readonly idleSince: number | undefined;
  /** Ends its process; it comes back when it is needed. */
  rest(): Promise<void>;
  /** Resolves when it has ended its process or may be idle; undefined when neither is to be expected. */
  readonly settling: Promise<void> | undefined;
}

export interface PoolOptions {
  readonly maxProcesses: number;
  /** 0 for never. */
  readonly idleTimeoutMs: number;
  /** The clock that `idleSince` is read from. */
  readonly now?: () => number;
}

const LONGEST_LOOK_MS = 5000;
const SHORTEST_LOOK_MS = 20;

export class Pool {
  readonly #options: PoolOptions;
  readonly #members: readonly Member[];
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(members: readonly Member[], options: PoolOptions) {
    this.#members = members;
    this.#options = options;
  }

  /** Takes room for one process; if there is none, the server that has been idle longest makes some. */
  async enter(): Promise<boolean> {
    while (this.#count >= this.#options.maxProcesses) {
      const change = this.#findIdlest()?.rest() ?? this.#findChange();
      if (change === undefined) return false;
      await change;
    }
    this.#count += 1;
    return true;
  }

  leave(): void {
    this.#count -= 1;
  }

  /** Why there is no room, to follow a server's name. */
  describeFull(): string {
    return `resources are exhausted: the limit of ${this.#options.maxProcesses} processes is reached and none is idle; raise --max-processes, or try again later`;
  }

  /** Begins to put idle servers to rest. */
  watch(): void {
    const { idleTimeoutMs, now: read = now } = this.#options;
    if (idleTimeoutMs === 0) return;
    const lookMs = Math.max(SHORTEST_LOOK_MS, Math.min(LONGEST_LOOK_MS, idleTimeoutMs / 4));
    this.#timer = setInterval(() => {
      for (const member of this.#members) {
        const { idleSince } = member;
        if (idleSince !== undefined && read() - idleSince >= idleTimeoutMs) void member.rest();
      }
    }, lookMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** One that is ending makes room by itself, and one that is starting may be idle then. */
  #findChange(): Promise<void> | undefined {
    const changes = this.#members.flatMap(({ settling }) => settling ?? []);
    return changes.length > 0 ? Promise.race(changes) : undefined;
  }

  #findIdlest(): Member | undefined {
    const idle = this.#members.filter(({ idleSince }) => idleSince !== undefined);
    return idle.toSorted((one, other) => (one.idleSince ?? 0) - (other.idleSince ?? 0))[0];
  }
}
