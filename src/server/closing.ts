/** Connections that are not used any more, but whose processes may still be there. */
import type { NodeStdioMcpConnection } from './connection.ts';

export class Closing {
  readonly #open = new Set<Promise<void>>();

  /** Resolves when the next of them is gone; undefined when there is none. */
  get next(): Promise<void> | undefined {
    return this.#open.size === 0 ? undefined : Promise.race(this.#open);
  }

  async close(connection: NodeStdioMcpConnection): Promise<void> {
    const closed = connection.close();
    this.#open.add(closed);
    await closed;
    this.#open.delete(closed);
  }

  /** Resolves when all of them are gone. */
  async end(): Promise<void> {
    await Promise.all(this.#open);
  }
}
