/** Lines of a size that nobody should send, and lines with nothing in them: read without pain, and nobody else waits. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { readResidentMiB } from '../support/processes.ts';
import { readText, type Session, startReady } from '../support/session.ts';
import { isLong, PATIENCE_MS, scale } from './scale.ts';

const RAW = join(import.meta.dirname, 'children/raw.mjs');
const MIB = 1024 * 1024;
const LENGTH_MIB = scale(8, 200);

function start(): Promise<Session> {
  return startReady({
    servers: { a: fixture({ name: 'a' }), b: fixture({ name: 'b' }), raw: { command: 'node', args: [RAW] } },
  });
}

test(
  `a line of ${LENGTH_MIB} MiB from a server, while another one answers`,
  async () => {
    const session = await start();
    const monster = session.call('a:monster', { bytes: LENGTH_MIB * MIB });
    expect(await session.callText('b:echo')).toBe('b {}');
    expect(readText(await monster)).toHaveLength(LENGTH_MIB * MIB);
    session.inbox.messages.length = 0;
    expect(await session.callText('a:echo')).toBe('a {}');
    if (isLong) expect(readResidentMiB(session.pid).peak).toBeLessThan(LENGTH_MIB * 2.5);
  },
  PATIENCE_MS,
);

test(
  `a line of ${LENGTH_MIB} MiB from the client that is no JSON in the end`,
  async () => {
    const session = await start();
    session.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a:echo","arguments":{"text":"',
    );
    const block = Buffer.alloc(MIB, 'x');
    for (let sent = 0; sent < LENGTH_MIB; sent += 1) session.write(block);
    session.write('"}}]\n');
    expect((await session.reply(undefined)).error?.code).toBe(-32_700);
    expect(await session.callText('a:echo')).toBe('a {}');
  },
  PATIENCE_MS,
);

const BLANK_LINES = scale(200_000, 1_000_000);

test(
  `${BLANK_LINES} blank lines from both sides`,
  async () => {
    const session = await start();
    const before = session.inbox.messages.length;
    const blank = Buffer.from('\n \r\n\t\n\n'.repeat(BLANK_LINES / 4));
    session.write(blank);
    const bytes = Buffer.from('\n\r\n'.repeat(BLANK_LINES / 20)).toString('base64');
    for (let round = 0; round < 10; round += 1)
      expect(await session.callText('raw:say', { bytes })).toBe('said');
    expect(await session.callText('b:echo')).toBe('b {}');
    expect(session.inbox.messages.length - before).toBe(11);
  },
  PATIENCE_MS,
);

test(
  'a key that is as long as a document',
  async () => {
    const session = await start();
    const key = 'k'.repeat(LENGTH_MIB * MIB);
    const params = `{"name":"a:digest","arguments":{"text":"short","${key}":1}}`;
    session.write(`{"jsonrpc":"2.0","id":"key","method":"tools/call","params":${params}}\n`);
    expect(readText(await session.reply('"key"'))).toMatch(/^5 /);
    expect(await session.callText('b:echo')).toBe('b {}');
  },
  PATIENCE_MS,
);

test(
  'a batch of thousands, where batches are taken and where they are not',
  async () => {
    const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
    const batch = JSON.stringify(Array.from({ length: scale(2000, 50_000) }, (_, n) => ping(n)));
    const session = await start();
    session.write(`${batch}\n`);
    expect((await session.reply(undefined)).error?.code).toBe(-32_600);
    expect(await session.callText('b:echo')).toBe('b {}');
  },
  PATIENCE_MS,
);
