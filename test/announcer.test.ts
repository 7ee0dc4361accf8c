import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Announcer } from '../src/announcer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createAnnouncer(): { announcer: Announcer; methods: () => string[] } {
  const methods: string[] = [];
  const announcer = new Announcer((method) => void methods.push(method));
  return { announcer, methods: () => methods.splice(0) };
}

test('says once what has changed many times, and again what changes later', () => {
  const { announcer, methods } = createAnnouncer();
  for (let time = 0; time < 20; time += 1) announcer.add('tools');
  announcer.add('prompts');
  expect(methods()).toEqual([]);
  vi.runAllTimers();
  expect(methods()).toEqual(['notifications/tools/list_changed', 'notifications/prompts/list_changed']);
  announcer.add('tools');
  vi.runAllTimers();
  expect(methods()).toEqual(['notifications/tools/list_changed']);
});

test('says of resources and their templates together that they have changed', () => {
  const { announcer, methods } = createAnnouncer();
  announcer.add('resources');
  announcer.add('templates');
  vi.runAllTimers();
  expect(methods()).toEqual(['notifications/resources/list_changed']);
});

function changeFor(ms: number, announcer: Announcer): void {
  for (let passed = 0; passed < ms; passed += 10) {
    announcer.add('tools');
    vi.advanceTimersByTime(10);
  }
}

test('says once what changes bit by bit', () => {
  const { announcer, methods } = createAnnouncer();
  changeFor(400, announcer);
  expect(methods()).toEqual([]);
  vi.runAllTimers();
  expect(methods()).toEqual(['notifications/tools/list_changed']);
});

test('does not put an announcement off for ever when changes never stop', () => {
  const { announcer, methods } = createAnnouncer();
  changeFor(5000, announcer);
  expect(methods().length).toBeGreaterThan(5);
});

test('says nothing after its end', () => {
  const { announcer, methods } = createAnnouncer();
  announcer.add('tools');
  announcer.close();
  vi.runAllTimers();
  expect(methods()).toEqual([]);
});
