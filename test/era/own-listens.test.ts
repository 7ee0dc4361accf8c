/** Subscriptions of ours at a server: opened once, and again when a server ends one that it had kept. */
import { expect, test } from 'vitest';
import { OwnListens } from '../../src/era/own-listens.ts';
import type { Conversation } from '../../src/protocol/conversation.ts';
import type { Peer } from '../../src/protocol/peer.ts';

const TOOLS = { toolsListChanged: true };

function set(): {
  listens: OwnListens;
  peer: Peer;
  sent: { id?: string; method: string }[];
  pass: (ms: number) => void;
} {
  const sent: { id?: string; method: string }[] = [];
  let now = 0;
  const shared = { opening: { meta: {} }, log: { debug: () => {} } } as unknown as Conversation;
  const peer = {
    key: 'a',
    status: 'running',
    send: (...pieces: Buffer[]) =>
      void sent.push(JSON.parse(Buffer.concat(pieces).toString()) as { id?: string; method: string }),
  } as unknown as Peer;
  const tools = { now: () => now, later: () => () => {}, createSecret: () => '' };
  return { listens: new OwnListens(shared, tools), peer, sent, pass: (ms) => void (now += ms) };
}

const lastId = (sent: { id?: string }[]): string => JSON.stringify(sent.at(-1)?.id);

test('one is open for one thing, until it is closed', () => {
  const { listens, peer, sent } = set();
  listens.open(peer, TOOLS);
  listens.open(peer, TOOLS);
  expect(sent).toHaveLength(1);
  listens.close(peer, TOOLS);
  listens.close(peer, TOOLS);
  expect(sent.map(({ method }) => method)).toEqual(['subscriptions/listen', 'notifications/cancelled']);
});

test('one that was kept for a while is opened again when the server ends it', () => {
  const { listens, peer, sent, pass } = set();
  listens.open(peer, TOOLS);
  pass(60_000);
  const first = lastId(sent);
  expect(listens.end(peer, first, false)).toBe(true);
  expect(sent).toHaveLength(2);
  expect(lastId(sent)).not.toBe(first);
  expect(listens.end(peer, first, false)).toBe(false);
});

test.each([
  ['ended at once', 0, false],
  ['refused, however late', 60_000, true],
])('one that is %s is not opened again', (_, ms, isRefused) => {
  const { listens, peer, sent, pass } = set();
  listens.open(peer, TOOLS);
  pass(ms);
  expect(listens.end(peer, lastId(sent), isRefused)).toBe(true);
  expect(sent).toHaveLength(1);
});
