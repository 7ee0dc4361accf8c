import { expect, test } from 'vitest';
import { Restarts } from '../../src/server/restarts.ts';

function createRestarts(): { restarts: Restarts; pass: (ms: number) => void } {
  let now = 5_000;
  return { restarts: new Restarts(() => now), pass: (ms) => (now += ms) };
}

test('allows three starts at once, and the next when the first of them is a minute old', () => {
  const { restarts, pass } = createRestarts();
  for (let start = 0; start < 3; start += 1) {
    expect(restarts.waitMs).toBe(0);
    restarts.note();
    pass(1000);
  }
  expect(restarts.waitMs).toBe(57_000);
  expect(restarts.describe()).toContain('again in 57 s');
  pass(56_999);
  expect(restarts.waitMs).toBe(1);
  expect(restarts.describe()).toContain('again in 1 s');
  pass(1);
  expect(restarts.waitMs).toBe(0);
});

test('never allows more than three within any minute', () => {
  const { restarts, pass } = createRestarts();
  const starts: number[] = [];
  for (let now = 0; now < 300_000; now += 500) {
    if (restarts.waitMs === 0) {
      restarts.note();
      starts.push(now);
    }
    pass(500);
  }
  expect(starts.length).toBe(15);
  for (const start of starts) {
    expect(starts.filter((other) => other >= start && other < start + 60_000).length).toBeLessThanOrEqual(3);
  }
});

test('counts a server that came to rest in good order as new', () => {
  const { restarts } = createRestarts();
  for (let start = 0; start < 3; start += 1) restarts.note();
  restarts.forget();
  expect(restarts.waitMs).toBe(0);
});
