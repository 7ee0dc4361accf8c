/** Which URIs of which server the client of the handshake era subscribed to, and what it calls each. */
export class Subscriptions {
  /** By the servers' keys: their own URIs, with the client's name for each. */
  readonly #byServer = new Map<string, Map<string, string>>();

  add(key: string, uri: string, name: string): void {
    const names = this.#byServer.get(key) ?? new Map<string, string>();
    this.#byServer.set(key, names.set(uri, name));
  }

  remove(key: string, uri: string): void {
    const names = this.#byServer.get(key);
    names?.delete(uri);
    if (names?.size === 0) this.#byServer.delete(key);
  }

  /** The server is gone for good. */
  forget(key: string): void {
    this.#byServer.delete(key);
  }

  /** Whether there is any at this server. */
  holds(key: string): boolean {
    return this.#byServer.has(key);
  }

  urisOf(key: string): Iterable<string> {
    return this.#byServer.get(key)?.keys() ?? [];
  }

  /** What the client calls a URI of a server, if it subscribed to it there. */
  nameOf(key: string, uri: string): string | undefined {
    return this.#byServer.get(key)?.get(uri);
  }

  /** The server at which the client subscribed under this name, and what that calls it. */
  find(name: string): { readonly key: string; readonly uri: string } | undefined {
    for (const [key, names] of this.#byServer)
      for (const [uri, exposed] of names) if (exposed === name) return { key, uri };
    return undefined;
  }
}
