/** Waiting with an end: every wait of the stories is on an event or a state, and fails loudly when it does not come. */

/** Rejects with `describe()` when the promise is not settled in time. */
export async function within<T>(ms: number, promise: Promise<T>, describe: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not within ${ms} ms: ${describe()}`)), ms);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks again and again until the state is there; for things that send no event, such as /proc. */
export async function until(ms: number, isThere: () => boolean, describe: () => string): Promise<void> {
  const end = Date.now() + ms;
  while (!isThere()) {
    if (Date.now() > end) throw new Error(`Not within ${ms} ms: ${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
