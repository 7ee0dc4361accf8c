/** A server that attacks: its neighbours keep answering, each call its own answer, and nothing of it reaches the terminal. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { LENIENT } from '../support/judge.ts';
import { readResidentMiB } from '../support/processes.ts';
import { type ServerEntry, type Session, start, startReady } from '../support/session.ts';
import { isLong, PATIENCE_MS, scale } from './scale.ts';
import { type Call, Traffic } from './traffic.ts';

const HOSTILE = join(import.meta.dirname, 'children/hostile.mjs');
const hostile = (): ServerEntry => ({ command: 'node', args: [HOSTILE] });

/** Each with its size, in the long form ten times as much. */
const ATTACKS: readonly (readonly [attack: string, size: number])[] = [
  ['forged answers', 2000],
  ['forged errors', 2000],
  ['forged progress', 2000],
  ['forged cancellations', 2000],
  ['changed lists', 2000],
  ['log messages', 2000],
  ['nonsense', 2000],
  ['broken JSON', 2000],
  ['stderr', 2000],
  ['questions nobody can answer', 2000],
  ['questions of its own', 1000],
  ['questions taken back', 1000],
  ['long keys', 3000],
  ['deep nests', 10_000],
  ['a line in drops', 3000],
  ['blank lines', 10_000],
  ['hang', 1],
];
const CALLS = scale(100, 1500);
const IN_FLIGHT = 8;
/** On two cores, shared with the attack itself. */
const P99_LIMIT_MS = 100;
/** What really holds others up does so every time; what else runs on the machine does not. All attempts are printed. */
const ATTEMPTS = scale(1, 3);
/** Calls beside nothing, for comparison: what the machine itself costs. */
const CALM = ['hang', 1] as const;

function startBoth(): Promise<Session> {
  const servers = { hostile: hostile(), good: fixture({ name: 'good' }) };
  return startReady({ servers, rules: LENIENT });
}

/** One attack, and calls to the neighbour while it lasts. */
function* makeCalls(attack: string, size: number, serial: number): Generator<Call> {
  const isLarge = ['long keys', 'deep nests', 'blank lines'].includes(attack);
  const args = { size: isLong && attack !== 'hang' ? size * (isLarge ? 3 : 10) : size };
  yield { id: `"attack ${serial}"`, tool: `hostile:${attack}`, args, expected: 'done' };
  for (let n = 0; n < CALLS; n += 1) {
    // Just those that the server makes its forgeries with.
    const id = [`${n}`, `"${n}"`, `"call ${n}"`][n % 3] ?? '';
    const call = { nonce: `${attack} ${n}` };
    yield { id, token: id, tool: 'good:echo', args: call, expected: `good ${JSON.stringify(call)}` };
  }
}

test(
  'its neighbour answers every call, whatever it does',
  async () => {
    const session = await startBoth();
    const traffic = new Traffic(session);
    let serial = 0;
    const measure = async (attack: string, size: number): Promise<number> => {
      traffic.latencies.length = 0;
      const calls = makeCalls(attack, size, (serial += 1));
      await traffic.run(IN_FLIGHT, () => calls.next().value as Call | undefined);
      return traffic.percentile(99);
    };
    const tooSlow: string[] = [];
    for (const [attack, size] of ATTACKS) {
      const attempts = [await measure(attack, size)];
      while (attempts.length < ATTEMPTS && Math.min(...attempts) >= P99_LIMIT_MS)
        attempts.push(await measure(attack, size));
      const line = `${attack}: p99 ${attempts.map((ms) => ms.toFixed(0)).join(', then ')} ms`;
      if (isLong) console.log(line);
      if (isLong && Math.min(...attempts) >= P99_LIMIT_MS)
        tooSlow.push(`${line}, without an attack ${(await measure(...CALM)).toFixed(0)} ms`);
    }
    expect(tooSlow).toEqual([]);
    expect(traffic.history.conclude()).toEqual([]);
    expect(traffic.heard).not.toContain('notifications/progress');
    expect(traffic.heard).not.toContain('notifications/cancelled');
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    expect(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/.exec(session.stderr)?.[0]).toBeUndefined();
    expect(session.stderr.split('\n').filter((line) => line.startsWith('[good]'))).toEqual([]);
    expect(await session.close()).toEqual({ code: 0, signal: null });
    await session.nothingLeft();
  },
  PATIENCE_MS,
);

test('its endless pages end, and its names do not take those of others', async () => {
  const servers = { a: hostile(), 'a:good': fixture({ name: 'neighbour', tools: ['echo'] }) };
  const session = start({ servers, rules: LENIENT });
  await session.initialize();
  const names = await session.listNames();
  expect(names.filter((name) => name === 'a:good:echo')).toHaveLength(1);
  expect(names.length).toBeGreaterThan(900);
  expect(names.length).toBeLessThan(1100);
  expect(await session.callText('a:good:echo')).toBe('neighbour {}');
  await session.stderrMatches(/a:good:echo/);
});

test('what it says beside the protocol does not flood our log', async () => {
  const session = await startBoth();
  expect(await session.callText('hostile:nonsense', { size: 20_000 })).toBe('done');
  await session.stderrMatches(/warning: \[hostile\] A line of its stdout was dropped/);
  expect(await session.close()).toEqual({ code: 0, signal: null });
  expect(session.stderr.length).toBeLessThan(100_000);
});

test('its log does not fill the memory when nobody reads stderr', async () => {
  const session = await startBoth();
  session.child.stderr.pause();
  const before = session.inbox.messages.length;
  for (const attack of ['nonsense', 'stderr'])
    expect(await session.callText(`hostile:${attack}`, { size: scale(5000, 50_000) })).toBe('done');
  expect(await session.callText('good:echo')).toBe('good {}');
  expect(session.inbox.messages.length - before).toBe(3);
  expect(readResidentMiB(session.pid).peak).toBeLessThan(200);
  session.child.stderr.resume();
  expect(await session.close()).toEqual({ code: 0, signal: null });
});
