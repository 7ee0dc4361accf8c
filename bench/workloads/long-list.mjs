/** One server whose tool list is 1 MB long, listed again and again. Says nothing about the first time. */
import { median } from '../measure.mjs';
import { tinyServers } from '../servers.mjs';

const MB = 1_000_000;
const SAMPLE = 100;

export const longList = {
  name: 'long-list',
  async run(bench) {
    const lists = bench.quick ? 10 : 30;
    const time = bench.measure('warm list of 1 MB', { unit: 'ms', digits: 2 });
    await bench.interleaveOpen(
      'warm list of 1 MB',
      bench.listTargets,
      tinyServers(1, await countTools(bench)),
      bench.quick ? 3 : 11,
      async (session, target) => time.add(target.name, median(await listOften(session, lists))),
      (session) => listOften(session, lists),
    );
  },
};

/** As many tools as make 1 MB, going by the length of a shorter list. */
async function countTools(bench) {
  const session = bench.open(bench.direct, tinyServers(1, SAMPLE));
  try {
    await session.initialize();
    return Math.ceil((MB * SAMPLE) / (await list(session)));
  } finally {
    await session.close();
  }
}

async function listOften(session, lists) {
  const times = [];
  for (let count = 0; count < lists; count++) {
    const started = performance.now();
    const length = await list(session);
    times.push(performance.now() - started);
    if (length < MB * 0.99) throw new Error(`a list of ${length} bytes came, ${MB} expected`);
  }
  return times;
}

async function list(session) {
  const line = await session.clients[0].request('tools/list', '{}');
  return line.reduce((sum, chunk) => sum + chunk.length, 0);
}
