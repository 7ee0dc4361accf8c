import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ListGate } from '../src/list-gate.ts';

/** The first real clients give up after this. */
const PATIENCE_MS = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('holds back until it is opened, in the order of asking, and then nobody', () => {
  const gate = new ListGate();
  const done: string[] = [];
  gate.startWaiting();
  gate.whenOpen(() => done.push('first'));
  gate.whenOpen(() => done.push('second'));
  expect(done).toEqual([]);
  expect(gate.isWaiting).toBe(true);
  gate.open();
  expect(done).toEqual(['first', 'second']);
  gate.whenOpen(() => done.push('third'));
  expect(done).toEqual(['first', 'second', 'third']);
  expect(gate.isWaiting).toBe(false);
});

test('opens by itself before a client gives up, counted from when the client is there', () => {
  const gate = new ListGate();
  const done: string[] = [];
  gate.whenOpen(() => done.push('list'));
  vi.advanceTimersByTime(10 * PATIENCE_MS);
  expect(done).toEqual([]);
  expect(gate.isWaiting).toBe(false);
  gate.startWaiting();
  vi.advanceTimersByTime(PATIENCE_MS / 3);
  gate.startWaiting();
  vi.advanceTimersByTime(PATIENCE_MS / 3);
  expect(done).toEqual(['list']);
});

test('leaves no timer behind', () => {
  const [opened, closed] = [new ListGate(), new ListGate()];
  opened.startWaiting();
  closed.startWaiting();
  opened.open();
  closed.close();
  expect(vi.getTimerCount()).toBe(0);
});
