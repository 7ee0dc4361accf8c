/** The terminator manifest, from the first process to `terminate`, which ends what is left and nothing else. Linux only. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ProcessIdentity, readIdentity } from '../../src/process/identity.ts';
import { readRecords } from '../../src/process/manifest.ts';
import { until } from '../support/deadline.ts';
import { fixture, SERVER } from '../support/fixture.ts';
import { makeProject, npxEntry } from '../support/project.ts';
import { run } from '../support/run.ts';
import { makeFolder, type ServerEntry, type Session, start, startReady } from '../support/session.ts';

const WAIT_MS = 60_000;
const stubborn = { ignoreEof: true, ignoreSigterm: true };

function tree(options: object): ServerEntry {
  const script = `'${process.execPath}' '${SERVER}' "$1"; true`;
  return { command: 'sh', args: ['-c', script, 'sh', JSON.stringify(options)] };
}

const servers = { deaf: fixture({ ignoreEof: true }), stubborn: fixture(stubborn), tree: tree(stubborn) };

/** Kills the aggregator, and before it the watchdog, which would leave nothing to do for anybody else. */
async function crash(session: Session): Promise<void> {
  // It would start another one.
  process.kill(session.pid, 'SIGSTOP');
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const read = (file: string): string => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'latin1');
      } catch {
        return '';
      }
    };
    const isWatchdog = read('cmdline').includes('mcp-watchdog');
    if (isWatchdog && read('status').includes(`PPid:\t${session.pid}\n`))
      process.kill(Number(pid), 'SIGKILL');
  }
  session.child.kill('SIGKILL');
  await session.exited;
}

/** A process that has nothing to do with us. */
function startInnocent(): number {
  const { pid = -1 } = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => {
    if (readIdentity(pid) !== undefined) process.kill(-pid, 'SIGKILL');
  });
  return pid;
}

function record(pid: number, { start: started, boot }: ProcessIdentity): string {
  return `# mcp-simple-aggregator pid=${pid} start=${started} boot=${boot}\nkill ${pid}\nkill -- -${pid}\n`;
}

const place = (): string => join(makeFolder(), 'mcp.kill');
const identityOf = (pid: number): ProcessIdentity => readIdentity(pid) ?? { start: '?', boot: '?' };

test('a manifest names every server while it runs, and none after a clean end', async () => {
  const manifest = place();
  const session = await startReady({ servers, args: ['--terminator-manifest', manifest] });
  const records = readRecords(readFileSync(manifest, 'utf8'));
  expect(records).toHaveLength(3);
  const alive = new Set(session.survivors().map(({ pid }) => pid));
  for (const { pid, identity } of records) {
    expect(alive).toContain(pid);
    expect(identity).toEqual(readIdentity(pid));
  }
  expect(await session.close()).toEqual({ code: 0, signal: null });
  expect(readFileSync(manifest, 'utf8')).toBe('');
  expect(await run(['terminate', manifest])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/is empty/),
  });
});

test('terminate ends all that a crash has left, whatever it ignores', async () => {
  const manifest = place();
  const project = makeProject();
  const session = await startReady({
    servers: { ...servers, npx: npxEntry(project, stubborn) },
    env: project.env,
    args: ['--terminator-manifest', manifest],
  });
  await crash(session);
  expect(session.survivors().length).toBeGreaterThanOrEqual(5);
  const { code, stdout } = await run(['terminate', manifest]);
  expect(stdout.match(/^Process \d+: ended, with all that it started$/gm)).toHaveLength(4);
  expect(code).toBe(0);
  expect(session.survivors()).toEqual([]);
  const again = await run(['terminate', manifest]);
  expect(again.stdout.match(/^Process \d+: gone already$/gm)).toHaveLength(4);
  expect(again.code).toBe(0);
});

test.each([2, 3, 4, 5])(
  'a kill at %d processes leaves whole lines, which are enough to end the rest',
  async (count) => {
    const manifest = place();
    const session = start({ servers, args: ['--terminator-manifest', manifest] });
    await until(
      WAIT_MS,
      () => session.survivors().length >= count,
      () => JSON.stringify(session.survivors()),
    );
    session.child.kill('SIGKILL');
    await session.exited;
    const text = readFileSync(manifest, 'utf8');
    for (const line of text.split('\n')) {
      expect(line).toMatch(/^(?:# mcp-simple-aggregator pid=\d+ start=\d+ boot=[-\w]+|kill (?:-- -)?\d+|)$/);
    }
    expect(text === '' || text.endsWith('\n')).toBe(true);
    expect((await run(['terminate', manifest])).code).toBe(0);
    await session.nothingLeft();
  },
);

test('terminate leaves alone what only bears the same number', async () => {
  const manifest = place();
  const [reused, rebooted, torn, nameless] = [0, 1, 2, 3].map(startInnocent) as [
    number,
    number,
    number,
    number,
  ];
  writeFileSync(
    manifest,
    record(reused, { ...identityOf(reused), start: '1' }) +
      record(rebooted, { ...identityOf(rebooted), boot: 'another' }) +
      record(2 ** 30, identityOf(reused)) +
      `kill ${nameless}\n` +
      record(torn, identityOf(torn)).split('\n')[0],
  );
  const { code, stdout } = await run(['terminate', manifest]);
  expect(stdout.trimEnd().split('\n')).toEqual([
    `Process ${reused}: another process has this number now, left alone`,
    `Process ${rebooted}: gone already`,
    `Process ${2 ** 30}: gone already`,
  ]);
  expect(code).toBe(0);
  for (const pid of [reused, rebooted, torn, nameless]) expect(readIdentity(pid)).toBeDefined();
});

test('terminate says what it cannot decide, and how to', async () => {
  const manifest = place();
  const pid = startInnocent();
  writeFileSync(manifest, record(pid, { start: '?', boot: '?' }));
  const { code, stdout } = await run(['terminate', manifest]);
  expect(stdout).toContain(`Process ${pid}: the manifest does not say when it was started, left alone\n`);
  expect(stdout).toContain(`kill -- -${pid}\n`);
  expect(code).toBe(1);
  expect(readIdentity(pid)).toBeDefined();
});

test('terminate refuses a file that is none of ours', async () => {
  const folder = makeFolder();
  const foreign = join(folder, 'foreign');
  writeFileSync(foreign, 'kill 99999999\n');
  expect(await run(['terminate', foreign])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/names no process/),
  });
  const missing = await run(['terminate', join(folder, 'missing')]);
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/cannot be read \(there is no such file/),
  });
});

test('a manifest that is a link is refused, and what it leads to stays as it is', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'precious'), 'precious');
  symlinkSync(join(folder, 'precious'), join(folder, 'link'));
  const session = start({ servers, args: ['--terminator-manifest', join(folder, 'link')] });
  expect(await session.exit()).toEqual({ code: 2, signal: null });
  expect(session.stderr).toMatch(/The terminator manifest ".*link" is no ordinary file: choose another/);
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('precious');
});
