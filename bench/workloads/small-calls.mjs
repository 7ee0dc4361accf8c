/** A small call, one at a time: how long a client waits for a tool that does nothing. */
import { median, percentile } from '../measure.mjs';
import { tinyServers } from '../servers.mjs';

export const smallCalls = {
  name: 'small-calls',
  async run(bench) {
    const calls = bench.quick ? 500 : 2000;
    const half = bench.measure('small call, p50', {
      unit: 'ms',
      digits: 3,
      goal: { atMost: 1.3, against: 'copier' },
      picture: 'A small call (p50)',
    });
    const most = bench.measure('small call, p99', { unit: 'ms', digits: 3 });
    await bench.interleaveOpen(
      'small calls',
      bench.callTargets,
      tinyServers(1),
      bench.quick ? 3 : 11,
      async (session, target) => {
        const times = await callOneByOne(session, calls);
        half.add(target.name, median(times));
        most.add(target.name, percentile(times, 0.99));
      },
      (session) => callOneByOne(session, calls),
    );
  },
};

async function callOneByOne(session, calls) {
  const times = [];
  for (let call = 0; call < calls; call++) {
    const nonce = `nonce-${call}`;
    const started = performance.now();
    const chunks = await session.call('echo', `{"text":"${nonce}"}`);
    times.push(performance.now() - started);
    const line = Buffer.concat(chunks);
    if (!line.includes(`"${nonce}"`))
      throw new Error(`call ${call} got another's answer: ${line.toString()}`);
  }
  return times;
}
