/** Large lines cross whole, and whoever does not read makes nobody's memory grow. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { until } from '../support/deadline.ts';
import { fixture } from '../support/fixture.ts';
import { readResidentMiB } from '../support/processes.ts';
import { readText, type Session, startReady } from '../support/session.ts';

const MIB = 1024 * 1024;

/** Waits until a second of looks in a row sees the memory of the command no longer grow. */
async function memorySettles(session: Session): Promise<void> {
  let [highest, quietLooks] = [0, 0];
  const look = (): boolean => {
    const { now } = readResidentMiB(session.pid);
    quietLooks = now > highest + 1 ? 0 : quietLooks + 1;
    highest = Math.max(highest, now);
    return quietLooks > 60;
  };
  await until(60_000, look, () => `memory at rest, ${highest} MiB`);
}

test('a result of 50 MB arrives whole', async () => {
  const session = await startReady({ servers: { a: fixture() } });
  const text = await session.callText('a:big', { bytes: 50_000_000 });
  expect(text.length).toBe(50_000_000);
  expect(text === '0123456789abcdef'.repeat(50_000_000 / 16)).toBe(true);
  expect(readResidentMiB(session.pid).peak).toBeLessThan(250);
});

test('an argument of 50 MB arrives whole', async () => {
  const session = await startReady({ servers: { a: fixture() } });
  const text = 'argument é"\\'.repeat(4_000_000);
  const digest = createHash('sha256').update(text).digest('hex');
  expect(await session.callText('a:digest', { text })).toBe(`${text.length} ${digest}`);
});

test('a line over the cap fails its own request and nothing else', async () => {
  const session = await startReady({ servers: { a: fixture({ name: 'a' }), b: fixture({ name: 'b' }) } });
  session.write('{"jsonrpc":"2.0","id":"held","method":"tools/call","params":{"name":"a:hold"}}\n');
  const { error } = await session.call('a:monster', { bytes: 257 * MIB });
  expect(error?.code).toBe(-32603);
  expect(await session.callText('a:echo')).toBe('a {}');
  expect(await session.callText('a:release')).toBe('done');
  expect(readText(await session.reply('"held"'))).toBe('released');

  session.write(
    '{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"a:echo","arguments":{"text":"',
  );
  const block = Buffer.alloc(MIB, 'x');
  for (let sent = 0; sent < 257; sent += 1) session.write(block);
  session.write('"}}}\n');
  const refusal = await session.refusal();
  expect(refusal.error?.code).toBeLessThan(-32000);
  expect([undefined, '"long"']).toContain(refusal.id);
  expect(await session.callText('a:echo')).toBe('a {}');
  expect(await session.callText('b:echo')).toBe('b {}');
});

test('a client that stops reading makes the servers wait, not the memory grow', async () => {
  const session = await startReady({ servers: { a: fixture(), b: fixture() } });
  const ids = Array.from({ length: 300 }, (_, n) => `"big ${n}"`);
  session.child.stdout.pause();
  for (const [n, id] of ids.entries()) {
    const params = `{"name":"${n % 2 === 0 ? 'a' : 'b'}:big","arguments":{"bytes":${MIB}}}`;
    session.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
  }
  await memorySettles(session);
  expect(readResidentMiB(session.pid).now).toBeLessThan(180);
  session.child.stdout.resume();
  for (const id of ids) expect(readText(await session.reply(id))).toHaveLength(MIB);
  expect(readResidentMiB(session.pid).peak).toBeLessThan(220);
});

test('a server that stops reading gets its callers an error, and the others do not notice', async () => {
  const session = await startReady({ servers: { a: fixture({ name: 'a' }), b: fixture({ name: 'b' }) } });
  const pid = Number(await session.callText('a:pid'));
  process.kill(pid, 'SIGSTOP');
  const block = 'x'.repeat(MIB);
  const ids = Array.from({ length: 100 }, (_, n) => `"big ${n}"`);
  for (const id of ids) {
    const params = `{"name":"a:echo","arguments":{"text":"${block}"}}`;
    session.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
  }
  expect(await session.callText('b:echo')).toBe('b {}');
  const refused = session.inbox.untaken();
  expect(refused.length).toBeGreaterThan(20);
  expect(refused.length).toBeLessThan(60);
  for (const { error } of refused) {
    expect(error?.code).toBe(-32603);
    expect(error?.message).toContain('a');
  }
  expect(readResidentMiB(session.pid).peak).toBeLessThan(250);

  process.kill(pid, 'SIGCONT');
  for (const id of ids) expect((await session.reply(id)).raw).not.toBe('');
  expect(session.inbox.untaken()).toEqual([]);
  expect(await session.callText('a:echo')).toBe('a {}');
});

test('a server that pauses its input and dies leaves no call unanswered', async () => {
  const session = await startReady({ servers: { a: fixture(), b: fixture({ name: 'b' }) } });
  const pid = Number(await session.callText('a:pid'));
  expect(await session.callText('a:stopReading')).toBe('paused');
  const ids = Array.from({ length: 10 }, (_, n) => `"big ${n}"`);
  const params = `{"name":"a:echo","arguments":{"text":"${'x'.repeat(MIB)}"}}`;
  for (const id of ids)
    session.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
  expect(await session.callText('b:echo')).toBe('b {}');
  process.kill(pid, 'SIGKILL');
  for (const id of ids) expect((await session.reply(id)).error?.code).toBe(-32603);
});
