/** JSON-RPC batches, which one version of the protocol has: taken apart on the way in, answered together. */
import type { Envelope } from '../wire/envelope.ts';
import { elementsOf } from '../wire/json.ts';
import { LineReader } from '../wire/lines.ts';
import type { Malformed } from '../wire/envelope.ts';

/** The only version with batches. */
export const BATCH_VERSION = '2025-03-26';

const NEWLINE = Buffer.from('\n');

/** One array of answers that is being gathered. */
interface Batch {
  readonly ids: Set<string>;
  readonly answers: Buffer[];
}

export class Batches {
  readonly #open: Batch[] = [];

  /** The messages of a batch, each as a line of its own. */
  static split(array: Buffer): (Envelope | Malformed)[] {
    const messages: (Envelope | Malformed)[] = [];
    const add = (message: Envelope | Malformed): void => void messages.push(message);
    const reader = new LineReader({ onMessage: add, onMalformed: add });
    for (const { start, end } of elementsOf(array, { start: array.indexOf('['), end: array.length })) {
      reader.push(Buffer.concat([array.subarray(start, end), NEWLINE]));
    }
    return messages;
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Answers to these ids are to go out together. */
  expect(ids: readonly string[]): void {
    if (ids.length > 0) this.#open.push({ ids: new Set(ids), answers: [] });
  }

  /** Keeps an answer that belongs to a batch; gives the line when it is the last. Undefined when it belongs to none. */
  gather(id: string, answer: readonly Buffer[]): readonly Buffer[] | undefined {
    const batch = this.#open.find(({ ids }) => ids.has(id));
    if (batch === undefined) return undefined;
    batch.ids.delete(id);
    batch.answers.push(Buffer.concat(answer).subarray(0, -1));
    if (batch.ids.size > 0) return [];
    this.#open.splice(this.#open.indexOf(batch), 1);
    const text = batch.answers.map((one) => one.toString('latin1')).join(',');
    return [Buffer.from(`[${text}]\n`, 'latin1')];
  }
}
