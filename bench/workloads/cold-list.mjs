/** From nothing running to the complete tool list, beside the same servers started side by side without us. */
import { referenceServers, tinyServers } from '../servers.mjs';

const kinds = [
  { title: 'tiny servers', entries: tinyServers, atMost: 1.3, rounds: 9 },
  { title: 'reference servers', entries: referenceServers, atMost: 1.1, rounds: 5 },
];

export const coldList = {
  name: 'cold-list',
  async run(bench) {
    for (const kind of kinds) for (const count of [1, 10, 20]) await measureCold(bench, kind, count);
  },
};

async function measureCold(bench, { title, entries, atMost, rounds }, count) {
  const name = `complete list, ${count} ${count === 1 ? title.slice(0, -1) : title}`;
  // With one server there is nothing to do side by side: a second process always costs its own start.
  const goal = count === 1 ? undefined : { atMost, against: 'direct' };
  const picture = count === 20 ? `Start to the tools of ${count} ${title}` : undefined;
  const time = bench.measure(name, { unit: 'ms', digits: 0, goal, picture });
  const servers = entries(count);
  const expected = count * (await countTools(bench, entries(1)));
  const targets = bench.listTargets.filter((target) => target.many || count === 1);
  for (const target of targets) await bench.learn(target, servers, expected);
  await bench.interleave(name, targets, bench.quick ? 3 : rounds, async (target) => {
    const started = performance.now();
    const session = bench.open(target, servers);
    try {
      const tools = await open(session, expected);
      time.add(target.name, performance.now() - started);
      if (tools.length !== expected) throw new Error(`${tools.length} tools listed, ${expected} expected`);
    } finally {
      await session.close();
    }
  });
}

/** A client that speaks to many servers lists each as soon as that one is ready. */
async function open(session, expected) {
  const lists = await Promise.all(
    session.clients.map(async (client) => {
      await client.initialize();
      return session.listComplete(client, expected);
    }),
  );
  return lists.flat();
}

async function countTools(bench, servers) {
  const session = bench.open(bench.direct, servers);
  try {
    return (await open(session)).length;
  } finally {
    await session.close();
  }
}
