/** Results of 1, 10 and 50 MB: how long they take, whether every byte arrives, and what memory they cost. */
import { median, memoryOf } from '../measure.mjs';
import { tinyServers } from '../servers.mjs';

const MB = 1_000_000;
const PATTERN = 'The quick brown fox jumps over the lazy dog, 0123456789 times. ';
const EDGE_BYTES = 400;
const OPENING = '"text":"';

const sizes = [
  { size: 1, perRound: 20, goal: { atMost: 1.3, against: 'copier' } },
  { size: 10, perRound: 4, goal: { atMost: 1.3, against: 'copier' }, picture: 'A result of 10 MB' },
  { size: 50, perRound: 1, rounds: 5, peak: { atMost: 250 }, picture: 'A result of 50 MB' },
];

export const largeResults = {
  name: 'large-results',
  async run(bench) {
    for (const kind of sizes) await measureSize(bench, kind);
  },
};

async function measureSize(bench, { size, perRound, rounds: most = 9, goal, peak, picture }) {
  const title = `${size} MB result`;
  const time = bench.measure(title, { unit: 'ms', goal, picture });
  const highest = bench.measure(`${title}, peak memory`, { unit: 'MB', goal: peak });
  const after = bench.measure(`${title}, memory after`, { unit: 'MB' });
  const rounds = bench.quick ? 3 : most;
  const expected = Buffer.alloc(size * MB, PATTERN);
  await bench.interleaveOpen(
    title,
    bench.callTargets,
    tinyServers(1),
    rounds,
    async (session, target, round) => {
      const times = [];
      for (let call = 0; call < perRound; call++) times.push(await callBig(session, expected));
      time.add(target.name, median(times));
      if (round < rounds - 1 || target.name === 'direct') return;
      highest.add(target.name, memoryOf(session.pid, 'VmHWM'));
      after.add(target.name, memoryOf(session.pid, 'VmRSS'));
    },
    (session) => callBig(session, expected),
  );
}

async function callBig(session, expected) {
  const started = performance.now();
  const line = await session.call('big', `{"text":"","bytes":${expected.length}}`);
  const time = performance.now() - started;
  compare(line, expected);
  return time;
}

/** Compares chunk by chunk: joining 50 MB first would cost the client more than reading them. */
function compare(line, expected) {
  const head = Buffer.concat(line.slice(0, 2)).toString('latin1', 0, EDGE_BYTES);
  if (!head.includes(OPENING)) throw new Error(`instead of ${expected.length} bytes came: ${head}`);
  let at = -(head.indexOf(OPENING) + OPENING.length);
  for (const chunk of line) {
    const from = Math.max(0, -at);
    const part = chunk.subarray(from, Math.max(from, Math.min(chunk.length, expected.length - at)));
    const start = at + from;
    if (!part.equals(expected.subarray(start, start + part.length))) {
      throw new Error(`a result of ${expected.length} bytes differs somewhere after byte ${start}`);
    }
    at += chunk.length;
  }
  if (at < expected.length) throw new Error(`a result of ${expected.length} bytes ended after ${at}`);
}
