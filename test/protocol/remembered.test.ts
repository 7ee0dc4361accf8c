/** What is remembered of links and tasks: the last ten thousand, so that nobody can fill the memory with them. */
import { expect, test } from 'vitest';
import { ClientTasks } from '../../src/protocol/client-tasks.ts';
import { Links } from '../../src/protocol/links.ts';
import { type Answer, isAnswer } from '../../src/wire/envelope.ts';
import { readMessage } from '../support/message.ts';

const LIMIT = 10_000;

function readAnswer(result: object): Answer {
  const message = readMessage(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  if (!isAnswer(message)) throw new Error('Not an answer');
  return message;
}

test('of links that servers give, the oldest is forgotten', () => {
  const links = new Links();
  for (let n = 0; n <= LIMIT; n += 1)
    links.note('a', readAnswer({ content: [{ type: 'resource_link', name: 'x', uri: `x://${n}` }] }));
  expect([links.find('x://0'), links.find('x://1'), links.find(`x://${LIMIT}`)]).toEqual([
    undefined,
    'a',
    'a',
  ]);
});

test('of tasks that the client makes, the oldest is forgotten', () => {
  const tasks = new ClientTasks();
  for (let n = 0; n <= LIMIT; n += 1)
    tasks.note('a', readAnswer({ task: { taskId: `${n}`, status: 'working' } }));
  expect([tasks.find('0'), tasks.find('1'), tasks.find(`${LIMIT}`)]).toEqual([undefined, 'a', 'a']);
});
