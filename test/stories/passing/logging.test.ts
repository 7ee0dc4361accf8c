/** Logging: the level reaches every server, whenever it starts, and messages say whose they are. */
import { expect, test } from 'vitest';
import { LENIENT } from '../../support/judge.ts';
import { passing, Recording } from '../../support/passing.ts';
import { start, startReady } from '../../support/session.ts';

const log = (params: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/message","params":${params}}`;

test('tells every server that can log, and succeeds although one objects', async () => {
  const [a, b, c] = [new Recording(), new Recording(), new Recording()];
  const replies = { 'logging/setLevel': '"error":{"code":-32603,"message":"No"}' };
  const servers = {
    a: passing({ replies, record: a.file }),
    b: passing({ record: b.file }),
    c: passing({ capabilities: { tools: {} }, record: c.file }),
  };
  const session = await startReady({ servers });
  const { result } = await session.request('logging/setLevel', { level: 'warning' });
  expect(result).toEqual({});
  for (const record of [a, b]) {
    expect((await record.first('logging/setLevel')).params).toEqual({ level: 'warning' });
  }
  await session.call('c:echo');
  expect(c.of('logging/setLevel')).toEqual([]);
});

test('tells a server that starts later', async () => {
  const [early, late] = [new Recording(), new Recording()];
  const servers = {
    late: passing({ after: [early.file, 'setLevel'], record: late.file }),
    early: passing({ record: early.file }),
  };
  const session = start({ servers });
  await session.initialize();
  await session.call('early:echo');
  expect((await session.request('logging/setLevel', { level: 'debug' })).result).toEqual({});
  expect((await late.first('logging/setLevel')).params).toEqual({ level: 'debug' });
});

test.each([
  ['{"level":"info","logger":"db","data":{"n":1.0}}', '{"level":"info","logger":"a:db","data":{"n":1.0}}'],
  ['{"level":"info","data":"x"}', '{"logger":"a","level":"info","data":"x"}'],
  ['{ }', '{"logger":"a" }'],
  ['{"level":"info","logger":null,"data":1}', '{"level":"info","logger":"a","data":1}'],
])('puts the key of the server into the name of the logger of %s', async (said, heard) => {
  const session = await startReady({ servers: { a: passing() }, rules: LENIENT });
  await session.call('a:say', { lines: [log(said)] });
  const { raw } = await session.notification('notifications/message');
  expect(raw).toBe(log(heard));
});
