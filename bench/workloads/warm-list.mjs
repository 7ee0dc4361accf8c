/** Listing 1,000 tools of servers that are all up, beside asking the twenty servers directly at the same time. */
import { median } from '../measure.mjs';
import { tinyServers } from '../servers.mjs';

const SERVERS = 20;
const TOOLS = 50;

export const warmList = {
  name: 'warm-list',
  async run(bench) {
    const lists = bench.quick ? 20 : 50;
    const time = bench.measure(`warm list of ${SERVERS * TOOLS} tools`, {
      unit: 'ms',
      digits: 2,
      goal: { atMost: 0.5, against: 'direct' },
      picture: `Listing ${SERVERS * TOOLS} tools of ${SERVERS} servers again`,
    });
    await bench.interleaveOpen(
      'warm list',
      bench.listTargets.filter((target) => target.many),
      tinyServers(SERVERS, TOOLS),
      bench.quick ? 3 : 11,
      async (session, target) => time.add(target.name, median(await listOften(session, lists))),
      async (session) => {
        const { length } = await session.listAll(SERVERS * TOOLS);
        if (length !== SERVERS * TOOLS)
          throw new Error(`${length} tools listed, ${SERVERS * TOOLS} expected`);
        await listOften(session, lists);
      },
    );
  },
};

/** Replies are not parsed: that would cost the client the same for every target and hide the difference. */
async function listOften(session, lists) {
  const times = [];
  for (let list = 0; list < lists; list++) {
    const started = performance.now();
    await Promise.all(session.clients.map((client) => client.request('tools/list', '{}')));
    times.push(performance.now() - started);
  }
  return times;
}
