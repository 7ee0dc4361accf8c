/** Which server a name belongs to, for the names that were told last: servers and clients may tell as many as they like. */
export class RecentKeys {
  readonly #keys = new Map<string, string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(name: string): string | undefined {
    return this.#keys.get(name);
  }

  set(name: string, key: string): void {
    this.#keys.delete(name);
    this.#keys.set(name, key);
    if (this.#keys.size <= this.#limit) return;
    for (const oldest of this.#keys.keys()) {
      this.#keys.delete(oldest);
      return;
    }
  }
}
