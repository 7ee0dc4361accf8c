/** A client or a server that does not read: memory stays bounded, nothing is lost, and the order is kept. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { memorySettles, readResidentMiB } from '../support/processes.ts';
import { type Session, startReady } from '../support/session.ts';
import { isLong, PATIENCE_MS, scale } from './scale.ts';

const RAW = join(import.meta.dirname, 'children/raw.mjs');
const LINE_BYTES = 16 * 1024;
const LINES = scale(2000, 32_000);
const MEMORY_LIMIT_MIB = 200;
const NEIGHBOUR_P99_MS = 100;

test(
  `a client that is silent during ${LINES} lines gets them all, in order`,
  async () => {
    const session = await startReady({ servers: { raw: { command: 'node', args: [RAW] } } });
    const { stdout } = session.child;
    stdout.removeAllListeners('data');
    stdout.pause();
    const params = { name: 'raw:count', arguments: { size: LINES, bytes: LINE_BYTES } };
    session.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'count', method: 'tools/call', params })}\n`);
    await memorySettles(session.pid);
    expect(readResidentMiB(session.pid).now).toBeLessThan(MEMORY_LIMIT_MIB);

    const [heads, problems]: [string[], string[]] = [[], []];
    let rest = Buffer.alloc(0);
    const counted = new Promise<void>((resolve) => {
      stdout.on('data', (chunk: Buffer) => {
        let bytes = Buffer.concat([rest, chunk]);
        for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10)) {
          const problem = session.judge.findProblem(JSON.parse(bytes.toString('utf8', 0, end)));
          if (problem !== undefined) problems.push(problem);
          heads.push(bytes.toString('latin1', 0, Math.min(end, 100)));
          bytes = bytes.subarray(end + 1);
        }
        rest = Buffer.from(bytes);
        if (heads.at(-1)?.includes('"id":"count"') === true) resolve();
      });
      stdout.resume();
    });
    await counted;
    const numbers = heads.slice(0, -1).map((head) => Number(/"n":(\d+)/.exec(head)?.[1]));
    expect(numbers).toHaveLength(LINES);
    expect(problems).toEqual([]);
    expect(numbers.findIndex((number, index) => number !== index)).toBe(-1);
    expect(readResidentMiB(session.pid).peak).toBeLessThan(MEMORY_LIMIT_MIB);
  },
  PATIENCE_MS,
);

/** How long each of many calls to the server that is not stopped took, the shortest first. */
async function timeCalls(session: Session): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < scale(20, 500); n += 1) {
    const before = performance.now();
    expect(await session.callText('b:echo', { n })).toBe(`b {"n":${n}}`);
    times.push(performance.now() - before);
  }
  return times.toSorted((one, other) => one - other);
}

test(
  'a server that is stopped gets its callers errors, and everyone exactly one',
  async () => {
    const session = await startReady({
      servers: { a: fixture({ name: 'a' }), b: fixture({ name: 'b' }) },
    });
    const pid = Number(await session.callText('a:pid'));
    process.kill(pid, 'SIGSTOP');
    const text = 'x'.repeat(256 * 1024);
    const calls = Array.from({ length: scale(350, 768) }, (_, n) => session.call('a:echo', { text, n }));
    // By the time that this is answered, all that was sent before it has been read.
    expect(await session.callText('b:echo')).toBe('b {}');
    const times = await timeCalls(session);
    if (isLong) expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(NEIGHBOUR_P99_MS);
    process.kill(pid, 'SIGCONT');
    const replies = await Promise.all(calls);
    const [refused, answered] = [replies.filter(({ error }) => error), replies.filter(({ error }) => !error)];
    expect(refused.length).toBeGreaterThan(0);
    expect(answered.length).toBeGreaterThan(0);
    for (const { error } of refused) expect(error?.message).toMatch(/"a" is busy/);
    expect(session.inbox.untaken()).toEqual([]);
    expect(readResidentMiB(session.pid).peak).toBeLessThan(scale(MEMORY_LIMIT_MIB, MEMORY_LIMIT_MIB * 1.5));
  },
  PATIENCE_MS,
);
