/** Many servers, many tools, many calls at a time: each call is answered once, by the right server, with its own nonce. */
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { startReady } from '../support/session.ts';
import { chooseSeed, Random } from './random.ts';
import { PATIENCE_MS, scale } from './scale.ts';
import { type Call, Traffic } from './traffic.ts';

const SERVERS = scale(5, 50);
const TOOLS = 20;
const CALLS = scale(4000, 50_000);
const IN_FLIGHT = 200;

/** Ids of every kind that clients use, none of them twice. */
function writeId(n: number): string {
  return [`${n}`, `"${n}"`, `-${n + 1}`, `"id ${n}"`, `${n}.5`, `"é${n}"`][n % 6] ?? '';
}

test(
  `${CALLS} calls, ${IN_FLIGHT} at a time, over ${SERVERS} servers with ${TOOLS} tools each`,
  async () => {
    const random = new Random(chooseSeed('load'));
    const keys = Array.from({ length: SERVERS }, (_, n) => `server ${n}`);
    const tools = Array.from({ length: TOOLS }, (_, n) => `tool ${n}`);
    const servers = keys.map((key) => fixture({ name: key, tools }));
    const session = await startReady({
      servers: keys.map((key, n) => [key, servers[n] ?? fixture()]),
    });
    expect(await session.listNames()).toEqual(keys.flatMap((key) => tools.map((tool) => `${key}:${tool}`)));

    const traffic = new Traffic(session);
    let count = 0;
    const next = (): Call | undefined => {
      if (count === CALLS) return undefined;
      const [key, tool] = [random.pick(keys), random.pick(tools)];
      const args = { nonce: `${count}/${random.below(1e9)}`, fill: 'x'.repeat(random.below(2000)) };
      const id = writeId(count);
      count += 1;
      return { id, tool: `${key}:${tool}`, args, expected: `${key} ${JSON.stringify(args)}` };
    };
    const before = performance.now();
    await traffic.run(IN_FLIGHT, next);
    const seconds = (performance.now() - before) / 1000;
    console.log(
      `${Math.round(CALLS / seconds)} calls/s, p50 ${traffic.percentile(50).toFixed(1)} ms, p99 ${traffic.percentile(99).toFixed(1)} ms`,
    );
    expect(traffic.history.conclude()).toEqual([]);
    expect(traffic.history.answered).toBe(CALLS);
    expect(await session.close()).toEqual({ code: 0, signal: null });
    await session.nothingLeft();
  },
  PATIENCE_MS,
);
