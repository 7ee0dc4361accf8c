/** Lists that a server says have changed: read one at a time, and told of when a burst is over. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KIND_NAMES, type KindName } from '../../src/protocol/kinds.ts';
import { EMPTY_LIST } from '../../src/protocol/lists.ts';
import { Refresher } from '../../src/server/refresher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KNOWN = { name: 'x', bytes: Buffer.from('{"uri":"x"}'), nameSpan: { start: 7, end: 10 } };

interface Told {
  refresher: Refresher;
  events: string[];
  started: Promise<void>;
}

/** Starts with all lists read, which takes as long as later readings do: 10 ms each, unless it is said otherwise. */
function create(ms: Partial<Record<KindName, number>> = {}): Told {
  const events: string[] = [];
  const refresher = new Refresher({
    read: async (kind) => {
      await new Promise((resolve) => setTimeout(resolve, ms[kind] ?? 10));
      return EMPTY_LIST;
    },
    recall: (kind) => (kind === 'templates' ? [KNOWN] : []),
    take: (kind) => void events.push(`took ${kind}`),
    tell: (kind) => void events.push(`told ${kind}`),
    now: () => Date.now(),
  });
  const started = refresher.readAll((lists) => {
    for (const kind of KIND_NAMES)
      if (lists[kind] !== EMPTY_LIST) events.push(`no ${kind} yet, ${lists[kind].items.length} known`);
    events.push('read all');
  });
  return { refresher, events, started };
}

async function start(ms?: Partial<Record<KindName, number>>): Promise<Told> {
  const told = create(ms);
  await vi.advanceTimersByTimeAsync(1000);
  await told.started;
  expect(told.events.splice(0)).toEqual(['read all']);
  return told;
}

test('is not held up for long by a list that is not given, and takes it when it comes', async () => {
  const { refresher, events } = create({ prompts: 60_000, templates: 2500 });
  refresher.refresh('templates');
  await vi.advanceTimersByTimeAsync(2200);
  expect(events.splice(0)).toEqual(['no prompts yet, 0 known', 'no templates yet, 1 known', 'read all']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(events.splice(0)).toEqual(['took templates', 'told templates', 'took templates', 'told templates']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(events).toEqual(['took prompts', 'told prompts']);
});

test('waits for tools as long as it takes', async () => {
  const { events } = create({ tools: 20_000 });
  await vi.advanceTimersByTimeAsync(19_000);
  expect(events).toEqual([]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(events).toEqual(['read all']);
});

test('reads again what changes while all is read', async () => {
  const { refresher, events } = create();
  refresher.refresh('tools');
  await vi.advanceTimersByTimeAsync(1000);
  expect(events).toEqual(['read all', 'took tools', 'told tools']);
});

test('tells of a burst once, however long a reading takes', async () => {
  const { refresher, events } = await start({ resources: 100 });
  for (let time = 0; time < 10; time += 1) refresher.refresh('resources');
  await vi.advanceTimersByTimeAsync(1000);
  expect(events).toEqual(['took resources', 'took resources', 'told resources']);
});

test('tells of all that has changed together', async () => {
  const { refresher, events } = await start({ resources: 100 });
  refresher.refresh('resources');
  refresher.refresh('templates');
  await vi.advanceTimersByTimeAsync(1000);
  expect(events).toEqual(['took templates', 'took resources', 'told templates', 'told resources']);
});

test('tells of changes that never stop, too', async () => {
  const { refresher, events } = await start({ resources: 100 });
  for (let time = 0; time < 100; time += 1) {
    refresher.refresh('resources');
    await vi.advanceTimersByTimeAsync(50);
  }
  const told = events.filter((event) => event === 'told resources').length;
  expect(told).toBeGreaterThan(2);
  expect(told).toBeLessThan(10);
});
