/** Sixty-four calls in flight at all times: how many are answered per second. */
import { tinyServers } from '../servers.mjs';

const IN_FLIGHT = 64;

export const inFlight = {
  name: 'in-flight',
  async run(bench) {
    const calls = bench.quick ? 5000 : 20_000;
    const throughput = bench.measure(`${IN_FLIGHT} in flight`, {
      unit: 'calls/s',
      digits: 0,
      goal: { atLeast: 0.8, against: 'copier' },
      better: 'more',
      picture: `${IN_FLIGHT} calls in flight (more is better)`,
    });
    await bench.interleaveOpen(
      `${IN_FLIGHT} in flight`,
      bench.callTargets,
      tinyServers(1),
      bench.quick ? 3 : 11,
      async (session, target) => throughput.add(target.name, await callSideBySide(session, calls)),
      (session) => callSideBySide(session, calls),
    );
  },
};

async function callSideBySide(session, calls) {
  let next = 0;
  const caller = async () => {
    while (next < calls) {
      const nonce = `nonce-${next++}`;
      const line = await session.call('echo', `{"text":"${nonce}"}`);
      const text = line.length === 1 ? line[0] : Buffer.concat(line);
      if (!text.includes(`"${nonce}"`)) throw new Error(`${nonce} got another's answer: ${text}`);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  return (calls / (performance.now() - started)) * 1000;
}
