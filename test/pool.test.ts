import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Member, Pool } from '../src/pool.ts';

/** A server that takes room when it is let in, and whose process ends when the test says so. */
class FakeMember implements Member {
  readonly name: string;
  pool: Pool | undefined;
  idleSince: number | undefined;
  settling: Promise<void> | undefined;
  rests = 0;
  #end: () => void = () => {};

  constructor(name: string, idleSince?: number) {
    this.name = name;
    this.idleSince = idleSince;
  }

  rest(): Promise<void> {
    this.rests += 1;
    this.idleSince = undefined;
    this.settling = new Promise((resolve) => (this.#end = resolve));
    return this.settling;
  }

  /** Its process is gone. */
  end(): void {
    this.pool?.leave();
    this.settling = undefined;
    this.#end();
  }
}

function createPool(members: readonly FakeMember[], { maxProcesses = 2, idleTimeoutMs = 0 } = {}): Pool {
  const pool = new Pool(members, { maxProcesses, idleTimeoutMs, now: () => Date.now() });
  for (const member of members) member.pool = pool;
  return pool;
}

async function fill(pool: Pool, count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += 1) expect(await pool.enter()).toBe(true);
}

describe('at the limit', () => {
  test('refuses at once when nobody is idle, and names the option', async () => {
    const pool = createPool([new FakeMember('a'), new FakeMember('b')]);
    await fill(pool, 2);
    expect(await pool.enter()).toBe(false);
    expect(pool.describeFull()).toMatch(/limit of 2 processes .*--max-processes/);
    pool.leave();
    expect(await pool.enter()).toBe(true);
  });

  test('ends the one that has been idle longest, and waits until it is gone', async () => {
    const members = [new FakeMember('a', 30), new FakeMember('b', 10), new FakeMember('c', 20)];
    const pool = createPool(members, { maxProcesses: 3 });
    await fill(pool, 3);
    let isIn = false;
    const entered = pool.enter().then((is) => (isIn = is));
    await Promise.resolve();
    expect(members.map(({ rests }) => rests)).toEqual([0, 1, 0]);
    expect(isIn).toBe(false);
    members[1]?.end();
    expect(await entered).toBe(true);
    expect(members.map(({ rests }) => rests)).toEqual([0, 1, 0]);
  });

  test('waits for one that is ending already', async () => {
    const a = new FakeMember('a', 1);
    const pool = createPool([a], { maxProcesses: 1 });
    await fill(pool, 1);
    void a.rest();
    const entered = pool.enter();
    a.end();
    expect(await entered).toBe(true);
    expect(a.rests).toBe(1);
  });

  test('gives each place to one only, however many wait for it', async () => {
    const a = new FakeMember('a', 1);
    const pool = createPool([a], { maxProcesses: 1 });
    await fill(pool, 1);
    const entered = Promise.all([pool.enter(), pool.enter(), pool.enter()]);
    a.end();
    expect((await entered).filter(Boolean)).toHaveLength(1);
  });

  test('waits for one that is starting, which is idle then', async () => {
    const a = new FakeMember('a');
    const pool = createPool([a], { maxProcesses: 1 });
    await fill(pool, 1);
    let comeUp = (): void => {};
    a.settling = new Promise((resolve) => (comeUp = resolve));
    const entered = pool.enter();
    a.settling = undefined;
    a.idleSince = 1;
    comeUp();
    await vi.waitFor(() => expect(a.rests).toBe(1));
    a.end();
    expect(await entered).toBe(true);
  });
});

describe('over time', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('puts those to rest that have been idle for long enough, and no others', () => {
    const [idle, busy] = [new FakeMember('idle', Date.now()), new FakeMember('busy')];
    const pool = createPool([idle, busy], { idleTimeoutMs: 60_000 });
    pool.watch();
    vi.advanceTimersByTime(59_000);
    expect(idle.rests).toBe(0);
    vi.advanceTimersByTime(6000);
    expect(idle.rests).toBe(1);
    expect(busy.rests).toBe(0);
    busy.idleSince = Date.now();
    pool.close();
    vi.advanceTimersByTime(600_000);
    expect(busy.rests).toBe(0);
  });

  test('puts nobody to rest when that is turned off', () => {
    const idle = new FakeMember('idle', Date.now());
    createPool([idle], { idleTimeoutMs: 0 }).watch();
    vi.advanceTimersByTime(100 * 24 * 3600 * 1000);
    expect(idle.rests).toBe(0);
  });
});
