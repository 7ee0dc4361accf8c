/** A server that asks and asks: so much goes to the client, the rest is refused, and nothing comes before the client is ready. */
import { expect, test } from 'vitest';
import { Arena } from './arena.ts';

const question = (id: number | string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'vendor/question' })}\n`;
const many = (count: number): string => Array.from({ length: count }, (_, n) => question(n)).join('');

test('a flood of questions is refused from the thousandth on, until the client answers', async () => {
  const arena = new Arena({ keys: ['a', 'b'] });
  await arena.open();
  const server = arena.server('a');
  server.stdout.write(many(1500));
  for (let refused = 1000; refused < 1500; refused += 1) {
    const { id, error } = await server.next();
    expect([id, error?.code]).toEqual([String(refused), -32_603]);
  }
  const asked = arena.lines.filter((line) => line.includes('vendor/question'));
  expect(asked).toHaveLength(1000);
  expect(await arena.echo('b')).toBe('answered');
  const { id } = JSON.parse(asked[0] ?? '') as { id: number };
  arena.say(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  server.stdout.write(question('one more'));
  await arena.line((line) => line.includes('vendor/question') && line.includes('"id":1001'));
  await arena.close();
});

test('a question that is taken back before the client is ready is never asked', async () => {
  const arena = new Arena({ keys: ['a'] });
  await arena.open({ isReady: false });
  const server = arena.server('a');
  server.stdout.write(question('kept') + question('taken back'));
  server.stdout.write(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"taken back"}}\n',
  );
  expect(await arena.echo('a')).toBe('answered');
  expect(arena.lines.filter((line) => line.includes('"method"'))).toEqual([]);
  arena.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  await arena.line((line) => line.includes('vendor/question'));
  expect(arena.lines.filter((line) => line.includes('"method"'))).toHaveLength(1);
  await arena.close();
});
