/** From the start of the program to its answer to `initialize`, beside a bare Node program; and memory at rest. */
import { setTimeout as wait } from 'node:timers/promises';
import { memoryOf, treeOf } from '../measure.mjs';
import { isServer, tinyServers } from '../servers.mjs';
import { startBare } from '../start-bare.mjs';

const REST_MS = 1000;

export const start = {
  name: 'start',
  async run(bench) {
    for (const count of [1, 10]) await measureStart(bench, count);
    await measureRest(bench, 'idle, 1 server', tinyServers(1));
    await measureRest(bench, 'idle, 20 servers of 50 tools', tinyServers(20, 50));
  },
};

async function measureStart(bench, count) {
  const title = `initialize answered, ${count} server${count === 1 ? '' : 's'}`;
  const time = bench.measure(title, { unit: 'ms', goal: { atMost: 1.3, against: 'bare' } });
  const servers = tinyServers(count);
  const targets = bench.targets.filter((target) => count === 1 || (target.many && target.name !== 'direct'));
  for (const target of targets) await bench.learn(target, servers);
  await bench.interleave(title, [{ name: 'bare' }, ...targets], bench.quick ? 5 : 21, async (target) => {
    if (target.name === 'bare') {
      time.add('bare', await startBare());
      return;
    }
    const started = performance.now();
    const session = bench.open(target, servers);
    try {
      await session.initialize();
      time.add(target.name, performance.now() - started);
      // Ending in the middle of a start is another matter than starting: let it finish first.
      await session.listAll();
    } finally {
      await session.close();
    }
  });
}

async function measureRest(bench, title, servers) {
  const memory = bench.measure(`${title}, memory`, {
    unit: 'MB',
    goal: { atMost: 60 },
    picture: Object.keys(servers).length > 1 ? 'Memory at rest, 20 servers of 50 tools' : undefined,
  });
  const whole = bench.measure(`${title}, memory of all its own processes`, { unit: 'MB' });
  const processes = bench.measure(`${title}, processes beside the servers`, { unit: '', digits: 0 });
  const targets = bench.targets.filter(
    (target) => target.name !== 'direct' && (target.many || Object.keys(servers).length === 1),
  );
  for (const target of targets) await bench.learn(target, servers);
  await bench.interleave(title, targets, bench.quick ? 1 : 3, async (target) => {
    const session = bench.open(target, servers);
    try {
      await session.initialize();
      await session.listAll();
      await wait(REST_MS);
      const own = treeOf(session.pid).filter(
        ({ pid, commandLine }) => pid === session.pid || !isServer(commandLine),
      );
      if (own.length === 0) return;
      memory.add(target.name, memoryOf(session.pid, 'VmRSS'));
      whole.add(
        target.name,
        own.reduce((sum, { pid }) => sum + (memoryOf(pid, 'VmRSS') ?? 0), 0),
      );
      processes.add(target.name, own.length);
    } finally {
      await session.close();
    }
  });
}
