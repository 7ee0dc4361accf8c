/** `--max-processes` and `--startup-timeout`: how many servers run at once, and how long one may take to come up. */
import { describe, expect, test } from 'vitest';
import { until } from '../../support/deadline.ts';
import { Home, Life, listRunning, untilRunning } from '../../support/life.ts';
import { readText, type Session, start } from '../../support/session.ts';

const WAIT_MS = 60_000;

interface Prepared {
  readonly home: Home;
  readonly lives: readonly Life[];
}

/** Servers `s0`, `s1` and so on, which are known. */
async function prepare(count: number): Promise<Prepared> {
  const lives = Array.from({ length: count }, () => new Life());
  const home = new Home(Object.fromEntries(lives.map((life, index) => [`s${index}`, life.entry()])));
  await home.learn();
  return { home, lives };
}

function lazyWith(maxProcesses: number): string[] {
  return ['--lazy', '--max-processes', String(maxProcesses)];
}

describe('--max-processes with --lazy', () => {
  test('ends the server that has been idle longest to make room', async () => {
    const { home, lives } = await prepare(3);
    const session = await home.startReady(lazyWith(2));
    for (const key of ['s0', 's1', 's0', 's2']) expect(await session.callText(`${key}:echo`)).toBe('life');
    const alive = new Set([lives[0]?.starts[1], lives[2]?.starts[1]]);
    expect(new Set(listRunning(session))).toEqual(alive);
    expect(await session.callText('s1:echo')).toBe('life');
    expect(listRunning(session)).toHaveLength(2);
    expect(session.stderr).toBe('');
  });

  test('refuses a call when nobody is idle, names the option, and recovers', async () => {
    const { home, lives } = await prepare(2);
    const session = await home.startReady(lazyWith(1));
    session.write('{"jsonrpc":"2.0","id":"held","method":"tools/call","params":{"name":"s0:hold"}}\n');
    await session.callText('s0:echo');
    const refused = await session.call('s1:echo');
    expect(refused.error?.code).toBe(-32603);
    expect(refused.error?.message).toMatch(
      /^Server "s1" is not available: resources are exhausted: .*limit of 1 .*--max-processes/,
    );
    expect(lives[1]?.starts).toHaveLength(1);
    await session.callText('s0:release');
    expect(readText(await session.reply('"held"'))).toBe('released');
    expect(await session.callText('s1:echo')).toBe('life');
    expect(listRunning(session)).toEqual([lives[1]?.starts[1]]);
  });

  test('waits for a server that is on its way out, even for itself', async () => {
    const { home, lives } = await prepare(2);
    for (const life of lives) life.become({ stubborn: true });
    const session = await home.startReady([...lazyWith(1), '--idle-timeout', '0.2']);
    const seen = watchCount(session);
    await session.callText('s0:echo');
    const pid = lives[0]?.starts[1] ?? 0;
    // Until its input is ended it is idle, and then it is neither.
    await lives[0]?.received(1, 'tools/call');
    await until(
      WAIT_MS,
      () => !listRunning(session).includes(pid),
      () => 'its end',
    );
    for (const key of ['s0', 's1', 's0']) expect(await session.callText(`${key}:echo`)).toBe('life');
    expect(seen()).toBe(1);
  });

  test('learns more servers than may run at once', async () => {
    const lives = Array.from({ length: 5 }, () => new Life());
    const home = new Home(Object.fromEntries(lives.map((life, index) => [`s${index}`, life.entry()])));
    const session = home.start(lazyWith(2));
    await session.initialize();
    const seen = watchCount(session);
    const names = await session.listNames();
    for (const index of lives.keys()) expect(names).toContain(`s${index}:echo`);
    expect(lives.map(({ starts }) => starts.length)).toEqual([1, 1, 1, 1, 1]);
    expect(seen()).toBeLessThanOrEqual(2);
    expect(session.stderr).toBe('');
  });

  test('never runs more than allowed, whoever is called in whatever order', async () => {
    const { home, lives } = await prepare(4);
    const session = await home.startReady(lazyWith(2));
    const seen = watchCount(session);
    for (let call = 0; call < 24; call += 1) {
      expect(await session.callText(`s${(call * 7) % 4}:echo`)).toBe('life');
    }
    const all = await Promise.all(lives.map((_, index) => session.call(`s${index}:echo`)));
    // At once there are more callers than places: whoever does not get one is told so.
    for (const { error } of all) if (error) expect(error.message).toContain('--max-processes');
    expect(seen()).toBeLessThanOrEqual(2);
    await session.close();
    await session.nothingLeft();
  });
});

/** Looks often how many servers run at once; gives the most that were seen. */
function watchCount(session: Session): () => number {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, listRunning(session).length)), 5);
  return () => {
    clearInterval(timer);
    return Math.max(most, listRunning(session).length);
  };
}

test('reports at the start the servers beyond --max-processes when they are not started on use', async () => {
  const lives = Array.from({ length: 3 }, () => new Life());
  const servers = Object.fromEntries(lives.map((life, index) => [`s${index}`, life.entry()]));
  const session = start({ servers, args: ['--max-processes', '2'] });
  await session.initialize();
  const names = await session.listNames();
  expect(names).toContain('s0:echo');
  expect(names).toContain('s1:echo');
  expect(names).not.toContain('s2:echo');
  expect(session.stderr).toMatch(
    /error: \[s2\] Not started: resources are exhausted: the limit of 2 processes .*--max-processes/,
  );
  const refused = await session.call('s2:echo');
  expect(JSON.stringify(refused.error?.data)).toContain('--max-processes');
  expect(lives.map(({ starts }) => starts.length)).toEqual([1, 1, 0]);
});

describe('--startup-timeout', () => {
  const args = ['--startup-timeout', '0.5'];

  test.each(['initialize', 'tools/list'])(
    'ends and reports a server that never answers %s, and holds nobody up',
    async (hang) => {
      const [slow, good] = [new Life(), new Life()];
      const servers = { slow: slow.entry({ hang, stubborn: true }), good: good.entry({ tools: ['echo'] }) };
      const session = start({ servers, args: ['--startup-timeout', '2'] });
      await session.initialize();
      const early = session.call('slow:echo');
      expect(await session.callText('good:echo')).toBe('life');
      expect((await early).error?.data).toEqual({ server: 'slow', reason: 'it was not ready within 2 s' });
      expect(await session.listNames()).toEqual(['good:echo']);
      await session.stderrMatches(/error: \[slow\] Not started: it was not ready within 2 s/);
      await until(
        WAIT_MS,
        () => !listRunning(session).includes(slow.starts[0] ?? 0),
        () => 'its end',
      );
      await session.close();
      await session.nothingLeft();
    },
  );

  test('holds for a start that a call brings about, and the next call may try again', async () => {
    const a = new Life();
    const home = new Home({ a: a.entry() });
    await home.learn();
    a.become({ hang: 'initialize' });
    const session = await home.startReady(['--lazy', ...args]);
    const calls = await Promise.all(['a:echo', 'a:peek', 'a:pid'].map((name) => session.call(name)));
    for (const { error } of calls) {
      expect(error?.message).toBe('Server "a" is not available: it was not ready within 0.5 s');
    }
    await untilRunning(session, 0);
    a.become({});
    expect(await session.callText('a:echo')).toBe('life');
    expect(a.starts).toHaveLength(3);
  });
});
