/** Two minutes of calls, crashes and pauses: nothing is lost, nothing runs twice, and nothing grows. Long form only. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/deadline.ts';
import { fixture, SERVER } from '../support/fixture.ts';
import { readResidentMiB } from '../support/processes.ts';
import { makeFolder, type ServerEntry, type Session, startReady } from '../support/session.ts';
import { chooseSeed, Random } from './random.ts';
import { isLong, PATIENCE_MS } from './scale.ts';
import { type Call, Traffic } from './traffic.ts';

const SECONDS = Number(process.env['TORTURE_SOAK_SECONDS'] ?? 120);
const STEADY = ['steady 0', 'steady 1', 'steady 2'];
/** So many that thousands of crashes are within the limit of starts that each server has. */
const SHAKY = Array.from({ length: 700 }, (_, n) => `shaky ${n}`);
const SHAKY_SERVER = join(import.meta.dirname, 'children/shaky.sh');
const CRASHES_PER_SECOND = 25;
/** A server that is down when it should crash, or has been started too often, does not. */
const CRASHES_EXPECTED = SECONDS * 18;
const GROWTH_LIMIT_MIB = 20;
const WAIT_MS = 60_000;

/** Descriptors that are not one of the three pipes of a server that is alive. */
function countOwnDescriptors(session: Session): number {
  const isServer = ({ command }: { command: string }): boolean =>
    command.includes(SERVER) || command.includes(SHAKY_SERVER);
  const servers = session.survivors().filter(isServer);
  return readdirSync(`/proc/${session.pid}/fd`).length - 3 * servers.length;
}

const highest = (samples: readonly number[]): number => Math.max(...samples);

/** What the servers wrote down: how often each was started, and each nonce executed. */
function readRecords(records: readonly string[]): { starts: number; repeated: string[] } {
  const counts = new Map<string, number>();
  let starts = 0;
  for (const record of records) {
    for (const line of readFileSync(record, 'utf8').split('\n')) {
      if (line === 'start') starts += 1;
      else if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  }
  return { starts, repeated: [...counts].flatMap(([nonce, times]) => (times > 1 ? [nonce] : [])) };
}

test.runIf(isLong)(
  `${SECONDS} seconds of calls, crashes and pauses`,
  async () => {
    const random = new Random(chooseSeed('soak'));
    const folder = makeFolder();
    const records = SHAKY.map((_, n) => join(folder, `record ${n}`));
    const servers: [string, ServerEntry][] = [
      ...STEADY.map((key): [string, ServerEntry] => [key, fixture({ name: key })]),
      ...SHAKY.map((key, n): [string, ServerEntry] => [
        key,
        { command: 'sh', args: [SHAKY_SERVER, key, records[n] ?? ''] },
      ]),
    ];
    const session = await startReady({ servers, args: ['--restart', '--max-processes', '800'] });
    const ownDescriptors = countOwnDescriptors(session);
    const traffic = new Traffic(session);
    const begin = Date.now();
    const end = begin + SECONDS * 1000;
    let [count, crashes] = [0, 0];
    const next = (): Call | undefined => {
      if (Date.now() > end) return undefined;
      count += 1;
      const [id, nonce] = [`${count}`, `nonce ${count}`];
      // By the clock, so that a slow machine makes as many; one after another, so that each may start again.
      if (crashes * 1000 < (Date.now() - begin) * CRASHES_PER_SECOND) {
        const key = SHAKY[crashes % SHAKY.length] ?? '';
        crashes += 1;
        return { id, tool: `${key}:crash`, args: { nonce }, expected: 'never', mayFail: true };
      }
      const mayFail = random.oneIn(20);
      const key = random.pick(mayFail ? SHAKY : STEADY);
      const expected = `${key} ${mayFail ? nonce : JSON.stringify({ nonce })}`;
      return { id, tool: `${key}:echo`, args: { nonce }, expected, mayFail };
    };

    const samples: number[] = [];
    const watch = setInterval(() => {
      samples.push(readResidentMiB(session.pid).now);
      traffic.latencies.length = 0;
      session.child.stdout.pause();
      setTimeout(() => session.child.stdout.resume(), random.below(60));
    }, 1000);
    try {
      await traffic.run(50, next);
    } finally {
      clearInterval(watch);
    }

    const { starts, repeated } = readRecords(records);
    const half = Math.floor(samples.length / 2);
    const [early, late] = [samples.slice(2, half), samples.slice(half)];
    console.log(
      `${count} calls, ${starts} starts of ${SHAKY.length} shaky servers, ${traffic.history.failed} calls failed; memory ${highest(early).toFixed(0)} then ${highest(late).toFixed(0)} MiB`,
    );
    expect(traffic.history.conclude()).toEqual([]);
    expect(repeated).toEqual([]);
    expect(starts - SHAKY.length).toBeGreaterThan(CRASHES_EXPECTED);
    expect(highest(late)).toBeLessThan(highest(early) + GROWTH_LIMIT_MIB);
    await until(
      WAIT_MS,
      () => countOwnDescriptors(session) <= ownDescriptors,
      () => `${ownDescriptors} descriptors beside the pipes of servers, not ${countOwnDescriptors(session)}`,
    );
    expect(await session.close()).toEqual({ code: 0, signal: null });
    await session.nothingLeft();
  },
  PATIENCE_MS,
);
