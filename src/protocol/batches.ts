/** Gathers the answers to a batch of the client, so that they go out together. */

/** A request with another id is refused without one, so nothing is to be waited for. */
const ANSWERABLE_ID = /^["\d-]/;

/** One array of answers that is being gathered. */
interface Batch {
  readonly ids: Set<string>;
  readonly answers: Buffer[];
}

export class Batches {
  readonly #open: Batch[] = [];
  /** The batch that is being taken apart: what is answered meanwhile is about it, even without an id. */
  #current: Batch | undefined;

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Answers to these ids are to go out together, with all that is answered before the end. */
  begin(ids: readonly string[]): void {
    this.#current = { ids: new Set(ids.filter((id) => ANSWERABLE_ID.test(id))), answers: [] };
    this.#open.push(this.#current);
  }

  /** The batch has been taken apart; gives the line when all is answered. */
  end(): readonly Buffer[] {
    const batch = this.#current;
    this.#current = undefined;
    return batch === undefined ? [] : this.#finish(batch);
  }

  /** Keeps an answer that belongs to a batch; gives the line when it is the last. Undefined when it belongs to none. */
  gather(id: string | undefined, answer: readonly Buffer[]): readonly Buffer[] | undefined {
    const batch = (id === undefined ? undefined : this.#take(id)) ?? this.#current;
    batch?.answers.push(Buffer.concat(answer).subarray(0, -1));
    return batch && this.#finish(batch);
  }

  /** This id will not be answered; gives the line when it was the last. */
  forget(id: string): readonly Buffer[] {
    const batch = this.#take(id);
    return batch === undefined ? [] : this.#finish(batch);
  }

  #take(id: string): Batch | undefined {
    return this.#open.find(({ ids }) => ids.delete(id));
  }

  #finish(batch: Batch): readonly Buffer[] {
    if (batch.ids.size > 0 || batch === this.#current) return [];
    this.#open.splice(this.#open.indexOf(batch), 1);
    if (batch.answers.length === 0) return [];
    const text = batch.answers.map((one) => one.toString('latin1')).join(',');
    return [Buffer.from(`[${text}]\n`, 'latin1')];
  }
}
