/** Subscriptions to resources: made at the owner, and news come under the URI that the client knows. */
import { expect, test } from 'vitest';
import { passing, Recording } from '../../support/passing.ts';
import { type Session, startReady } from '../../support/session.ts';

const updated = (uri: string): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri, title: 'T' } });

/** What the client hears of while a server says this. */
async function hear(session: Session, key: string, ...uris: string[]): Promise<unknown[]> {
  await session.call(`${key}:say`, { lines: uris.map((uri) => updated(uri)) });
  const heard = session.inbox.untaken().filter(({ method }) => method === 'notifications/resources/updated');
  for (const one of heard) await session.notification(one.method ?? '');
  return heard.map(({ params }) => params?.['uri']);
}

test('subscribes and unsubscribes at the owner alone', async () => {
  const [a, b] = [new Recording(), new Recording()];
  const servers = {
    a: passing({ resources: ['x://a'], hidden: ['x://b'], record: a.file }),
    b: passing({ resources: ['x://b'], record: b.file }),
  };
  const session = await startReady({ servers });
  expect((await session.request('resources/subscribe', { uri: 'x://b' })).result).toEqual({});
  expect(await hear(session, 'b', 'x://b')).toEqual(['x://b']);
  expect((await session.request('resources/unsubscribe', { uri: 'x://b' })).result).toEqual({});
  expect(await hear(session, 'b', 'x://b')).toEqual([]);
  expect(b.of('resources/subscribe').map(({ params }) => params)).toEqual([{ uri: 'x://b' }]);
  expect(b.of('resources/unsubscribe').map(({ params }) => params)).toEqual([{ uri: 'x://b' }]);
  expect(a.all().filter(({ method }) => method?.includes('subscribe'))).toEqual([]);
});

test('keeps two servers with the same URI apart', async () => {
  const record = new Recording();
  const servers = {
    a: passing({ resources: ['x://1'] }),
    b: passing({ resources: ['x://1'], record: record.file }),
  };
  const session = await startReady({ servers });
  await session.request('resources/subscribe', { uri: 'b+x://1' });
  expect(record.of('resources/subscribe').map(({ params }) => params)).toEqual([{ uri: 'x://1' }]);
  expect(await hear(session, 'b', 'x://1')).toEqual(['b+x://1']);
  expect(await hear(session, 'a', 'x://1')).toEqual([]);
  await session.request('resources/subscribe', { uri: 'x://1' });
  expect(await hear(session, 'a', 'x://1')).toEqual(['x://1']);
  expect(await hear(session, 'b', 'x://1')).toEqual(['b+x://1']);
  await session.request('resources/unsubscribe', { uri: 'b+x://1' });
  expect(record.of('resources/unsubscribe').map(({ params }) => params)).toEqual([{ uri: 'x://1' }]);
  expect(await hear(session, 'b', 'x://1')).toEqual([]);
  expect(await hear(session, 'a', 'x://1')).toEqual(['x://1']);
});

test('hears of what lies below a resource that it subscribed to', async () => {
  const session = await startReady({ servers: { a: passing({ resources: ['x://dir'] }), b: passing() } });
  await session.request('resources/subscribe', { uri: 'x://dir' });
  expect(await hear(session, 'a', 'x://dir/file')).toEqual(['x://dir/file']);
  expect(await hear(session, 'b', 'x://dir/file')).toEqual([]);
});

test('ends a subscription where it was made, though another server would have taken it', async () => {
  const [a, b] = [new Recording(), new Recording()];
  const replies = { 'resources/unsubscribe': '"result":{}' };
  const servers = {
    a: passing({ replies, record: a.file }),
    b: passing({ hidden: ['x://hidden'], record: b.file }),
  };
  const session = await startReady({ servers });
  expect((await session.request('resources/subscribe', { uri: 'x://hidden' })).result).toEqual({});
  expect(await hear(session, 'b', 'x://hidden')).toEqual(['x://hidden']);
  expect((await session.request('resources/unsubscribe', { uri: 'x://hidden' })).result).toEqual({});
  expect(b.of('resources/unsubscribe')).toHaveLength(1);
  expect(a.of('resources/unsubscribe')).toEqual([]);
  expect(await hear(session, 'b', 'x://hidden')).toEqual([]);
});
