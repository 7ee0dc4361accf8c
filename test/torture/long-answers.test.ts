/** A long answer is passed on in the pieces it came in: joining it would cost more than all the rest. */
import { afterEach, expect, test, vi } from 'vitest';
import { Envelope } from '../../src/wire/envelope.ts';
import { STATELESS } from '../support/schema.ts';
import { Arena } from './arena.ts';

const TEXT = 'x'.repeat(1024 * 1024);
const PIECES = 16;

afterEach(() => void vi.restoreAllMocks());

test.each([
  ['with a handshake', '2025-11-25', false],
  ['without one', STATELESS, true],
])('between a client and a server %s', async (_, protocolVersion, areServersStateless) => {
  const arena = new Arena({ keys: ['a'], protocolVersion, areServersStateless });
  await arena.open();
  const reply = arena.ask('tools/call', { name: 'a:echo', arguments: {} });
  const { raw } = await arena.server('a').inbox.take(({ method }) => method === 'tools/call');
  const join = vi.spyOn(Envelope.prototype, 'line', 'get');
  const { id } = JSON.parse(raw) as { id: string };
  const result = { resultType: 'complete', content: [{ type: 'text', text: TEXT }] };
  const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  const length = Math.ceil(line.length / PIECES);
  for (let start = 0; start < line.length; start += length)
    arena.server('a').stdout.write(line.subarray(start, start + length));
  expect((await reply).length).toBeGreaterThan(TEXT.length);
  expect(join).not.toHaveBeenCalled();
  await arena.close();
});
