/** Every way in which a server can fail, at every moment: who waits is told, the others do not notice, nothing is left. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/deadline.ts';
import { fixture } from '../support/fixture.ts';
import { type ServerEntry, type Session, start } from '../support/session.ts';
import { isLong, PATIENCE_MS, scale } from './scale.ts';

const FAULTY = join(import.meta.dirname, 'children/faulty.mjs');
const WAIT_MS = 60_000;

/** Servers that end by these are found out at once. */
const DEADLY_IN_SHORT = ['exit 1', 'SIGKILL', 'closed stdout', 'grandchild with all pipes', 'half a line'];
const DEADLY = [
  DEADLY_IN_SHORT,
  ['exit 0', 'exit 255', 'SIGSEGV', 'SIGABRT', 'SIGTERM', 'throw', 'closed pipes', 'grandchild with stdout'],
  ['invalid UTF-8 at the end', 'flood of nonsense', 'flood of stderr', 'forged answers'],
].flat();
/** Servers that do these are there and say nothing, which is their right; only the end must not wait for them. */
const MUTE = scale(
  ['silence, deaf to everything'],
  ['silence, deaf to everything', 'stopped process', 'spin, deaf to SIGTERM'],
);

type Moment = 'at start' | 'idle' | 'in mid-call' | 'during shutdown';

function entries(faults: readonly string[], moment: Moment): Record<string, ServerEntry> {
  const faulty = faults.map((fault): [string, ServerEntry] => [
    fault,
    { command: 'node', args: [FAULTY, fault, fault, moment] },
  ]);
  return { ...Object.fromEntries(faulty), good: fixture({ name: 'good' }) };
}

async function begin(faults: readonly string[], moment: Moment): Promise<Session> {
  const session = start({ servers: entries(faults, moment), args: ['--startup-timeout', '3'] });
  await session.initialize();
  await session.listTools();
  await expectGood(session);
  return session;
}

async function expectGood(session: Session): Promise<void> {
  const nonce = `nonce ${session.inbox.messages.length}`;
  expect(await session.callText('good:echo', { nonce })).toBe(`good ${JSON.stringify({ nonce })}`);
}

/** Nothing is left, neither processes nor answers, but for those to calls that were waiting until now. */
async function expectEnd(session: Session, waiting: readonly string[] = []): Promise<void> {
  await expectGood(session);
  expect(await session.close()).toEqual({ code: 0, signal: null });
  await session.nothingLeft();
  const rest = session.inbox.untaken().filter(({ method }) => method === undefined);
  expect(rest).toHaveLength(waiting.length);
  expect(new Set(rest.map(({ id }) => id))).toEqual(new Set(waiting));
  expect(rest.filter(({ error }) => error === undefined)).toEqual([]);
}

/** Until only the good server's tools are listed. */
async function expectGone(session: Session, gone: readonly string[]): Promise<void> {
  const isGone = async (): Promise<boolean> => {
    const names = await session.listNames();
    return !gone.some((key) => names.includes(`${key}:work`));
  };
  for (let end = Date.now() + WAIT_MS; !(await isGone());) {
    expect(Date.now(), `${gone.join(', ')} are gone`).toBeLessThan(end);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function writeCall(name: string, fault: string): { id: string; line: string } {
  const params = JSON.stringify({ name: `${fault}:work` });
  const id = JSON.stringify(name);
  return { id, line: `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n` };
}

const faults = scale(DEADLY_IN_SHORT, DEADLY);

test(
  'at start',
  async () => {
    const session = await begin(scale(faults, [...faults, ...MUTE]), 'at start');
    const names = await session.listNames();
    expect(names.filter((name) => !name.startsWith('good:'))).toEqual([]);
    for (const fault of faults) await session.stderrMatches(new RegExp(`error: \\[${fault}\\] Not started`));
    await expectEnd(session);
  },
  PATIENCE_MS,
);

test(
  'idle',
  async () => {
    const session = await begin([...faults, ...MUTE], 'idle');
    for (const fault of [...faults, ...MUTE]) expect(await session.callText(`${fault}:work`)).toBe(fault);
    await expectGone(session, faults);
    for (const fault of faults) expect((await session.call(`${fault}:work`)).error).toBeDefined();
    await expectEnd(session);
  },
  PATIENCE_MS,
);

test(
  'in mid-call',
  async () => {
    const session = await begin([...faults, ...MUTE], 'in mid-call');
    // Three calls wait at each server: the one that sets the fault off, and two behind it. All in one piece, so that
    // none comes after a death.
    const waiting = faults.flatMap((fault) => [1, 2, 3].map((n) => writeCall(`${n} ${fault}`, fault)));
    const mute = MUTE.map((fault) => writeCall(`mute ${fault}`, fault));
    session.write([...waiting, ...mute].map(({ line }) => line).join(''));
    await expectGood(session);
    const lost = await Promise.all(waiting.map(({ id }) => session.reply(id)));
    for (const message of lost) expect(message.error?.code, message.raw).toBe(-32_603);
    expect(new Set(lost.map(({ id }) => id)).size).toBe(waiting.length);
    const muteIds = mute.map(({ id }) => id);
    expect(session.inbox.untaken().filter(({ id }) => muteIds.includes(id ?? ''))).toEqual([]);
    await expectGone(session, faults);
    await expectEnd(session, muteIds);
  },
  PATIENCE_MS,
);

test.runIf(isLong)(
  'in mid-call, one after another: each call is answered within a second',
  async () => {
    const session = await begin(faults, 'in mid-call');
    const times: number[] = [];
    for (const fault of faults) {
      const before = performance.now();
      expect((await session.call(`${fault}:work`)).error?.code, fault).toBe(-32_603);
      times.push(performance.now() - before);
    }
    console.log(`answered after at most ${Math.max(...times).toFixed(0)} ms`);
    expect(Math.max(...times)).toBeLessThan(1000);
    await expectEnd(session);
  },
  PATIENCE_MS,
);

test(
  'during shutdown',
  async () => {
    const session = await begin([...faults, ...MUTE], 'during shutdown');
    for (const fault of faults) expect(await session.callText(`${fault}:work`)).toBe(fault);
    const before = Date.now();
    await expectEnd(session);
    if (isLong) expect(Date.now() - before).toBeLessThan(5000);
  },
  PATIENCE_MS,
);

test('a server whose descendants hold its pipes is let go of with them', async () => {
  const session = await begin(['grandchild with stdout'], 'idle');
  expect(await session.callText('grandchild with stdout:work')).toBe('grandchild with stdout');
  const orphans = (): unknown[] =>
    session.survivors().filter(({ command }) => command.includes('setInterval'));
  await expectGone(session, ['grandchild with stdout']);
  await until(
    WAIT_MS,
    () => orphans().length === 0,
    () => JSON.stringify(orphans()),
  );
  await expectEnd(session);
});
