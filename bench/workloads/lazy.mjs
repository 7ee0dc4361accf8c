/** `--lazy` with servers that are known: the complete list without a process, and what the first call then costs. */
import { setTimeout as wait } from 'node:timers/promises';
import { memoryOf, treeOf } from '../measure.mjs';
import { referenceServers } from '../servers.mjs';
import { startBare } from '../start-bare.mjs';
import { remember } from '../targets.mjs';

const SERVERS = 20;
const REST_MS = 500;

export const lazy = {
  name: 'lazy',
  async run(bench) {
    for (const target of bench.targets.filter(({ judged }) => judged)) {
      await measureList(bench, target);
      await measureFirstCall(bench, target);
    }
  },
};

/** Servers that are all the same to the command would be remembered as one. */
function differentServers(count) {
  const entries = Object.entries(referenceServers(count));
  return Object.fromEntries(entries.map(([key, entry]) => [key, { ...entry, env: { BENCH_SERVER: key } }]));
}

async function measureList(bench, target) {
  const servers = differentServers(SERVERS);
  const known = { ...target, launches: remember(target.launches, ['--lazy']) };
  const expected = await learn(bench, known, servers);
  const title = `${SERVERS} known reference servers`;
  await measureStarts(bench, known, {
    title: `${title}, --lazy`,
    goals: { time: { atMost: 1.3, against: 'bare' }, memory: { atMost: 60 }, processes: { atMost: 0 } },
    rounds: bench.quick ? 5 : 31,
    servers,
    expected,
  });
  await measureStarts(
    bench,
    { ...target, launches: remember(target.launches, []) },
    {
      title: `${title}, all started`,
      goals: {},
      rounds: bench.quick ? 1 : 5,
      servers,
      expected,
    },
  );
}

async function measureStarts(bench, target, { title, goals, rounds, servers, expected }) {
  const time = bench.measure(`${title}: complete list`, { unit: 'ms', goal: goals.time });
  const own = bench.measure(`${title}: memory`, { unit: 'MB', goal: goals.memory });
  const whole = bench.measure(`${title}: memory with its servers`, { unit: 'MB', digits: 0 });
  const processes = bench.measure(`${title}: processes besides it`, {
    unit: '',
    digits: 0,
    goal: goals.processes,
  });
  await bench.interleave(title, [{ name: 'bare' }, target], rounds, async ({ name }) => {
    if (name === 'bare') {
      time.add('bare', await startBare());
      return;
    }
    const started = performance.now();
    const session = bench.open(target, servers);
    try {
      await session.initialize();
      const tools = await session.listAll(expected);
      time.add(name, performance.now() - started);
      if (tools.length !== expected) throw new Error(`${tools.length} tools listed, ${expected} expected`);
      await wait(REST_MS);
      const tree = treeOf(session.pid);
      if (tree.length === 0) return;
      own.add(name, memoryOf(session.pid, 'VmRSS'));
      whole.add(
        name,
        tree.reduce((sum, { pid }) => sum + (memoryOf(pid, 'VmRSS') ?? 0), 0),
      );
      processes.add(name, tree.length - 1);
    } finally {
      await session.close();
    }
  });
}

/** From a call to its answer when the server is not there yet, beside starting that server and calling it. */
async function measureFirstCall(bench, target) {
  const title = 'first call to a known server, --lazy';
  const time = bench.measure(title, { unit: 'ms', goal: { atMost: 1.1, against: 'direct' } });
  const servers = referenceServers(1);
  const known = { ...target, launches: remember(target.launches, ['--lazy']) };
  await learn(bench, known, servers);
  await bench.interleave(title, [bench.direct, known], bench.quick ? 5 : 21, async (one) => {
    let started = performance.now();
    const session = bench.open(one, servers);
    try {
      await session.initialize();
      if (one === known) {
        await session.listAll();
        started = performance.now();
      }
      await session.call('echo', '{"message":"hello"}');
      time.add(one.name, performance.now() - started);
    } finally {
      await session.close();
    }
  });
}

/** Starts all servers once; gives the number of their tools. */
async function learn(bench, target, servers) {
  const one = bench.open(bench.direct, referenceServers(1));
  let expected;
  try {
    await one.initialize();
    expected = Object.keys(servers).length * (await one.listAll()).length;
  } finally {
    await one.close();
  }
  const session = bench.open(target, servers);
  try {
    await session.initialize();
    await session.listAll(expected);
  } finally {
    await session.close();
  }
  return expected;
}
