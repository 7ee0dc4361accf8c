/** What servers ask the client: each under an id of ours, and each answer back to whoever asked. */
import * as fc from '../support/properties.ts';
import { expect, test } from 'vitest';
import { type Question, Questions } from '../../src/protocol/questions.ts';
import { readRequest } from '../support/message.ts';

const ask = (questions: Questions, key: string, id: string, params?: string): Question =>
  questions.add(key, readRequest(id, 'sampling/createMessage', params));

test('two servers may ask under the same id; the answers do not get mixed up', () => {
  const questions = new Questions();
  const [a, b] = [ask(questions, 'a', '1'), ask(questions, 'b', '1')];
  expect(a.id).not.toBe(b.id);
  const method = 'sampling/createMessage';
  expect(questions.take(b.id)).toEqual({ id: b.id, key: 'b', method, serverId: '1', serverToken: undefined });
  expect(questions.take(a.id)).toMatchObject({ key: 'a', serverId: '1' });
  expect(questions.take(a.id)).toBeUndefined();
});

test.each(['1.0', '"\\u0061"', '12345678901234567890', '"ü"'])('the server gets its id back as %s', (id) => {
  const { serverId } = ask(new Questions(), 'a', id);
  expect(Buffer.from(serverId, 'latin1').toString()).toBe(id);
});

test('a progress token of the server is remembered while the question is open', () => {
  const questions = new Questions();
  const { id } = ask(questions, 'a', '1', '{"messages":[],"_meta":{"progressToken":"t\\u0031"}}');
  expect(questions.find(id)?.serverToken).toBe('"t\\u0031"');
  questions.take(id);
  expect(questions.find(id)).toBeUndefined();
});

test('the questions agree with a plain list of what is open, whatever happens in whatever order', () => {
  const key = fc.constantFrom('a', 'b', '__proto__');
  const serverId = fc.constantFrom('1', '2', '"1"');
  const step = fc.oneof(
    fc.record({ act: fc.constant('ask' as const), key, serverId }),
    fc.record({ act: fc.constant('answer' as const), which: fc.nat() }),
    fc.record({ act: fc.constant('takeBack' as const), key, serverId }),
    fc.record({ act: fc.constant('gone' as const), key }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const questions = new Questions();
      const everSeen = new Set<string>();
      let open: Question[] = [];
      for (const next of steps) {
        if (next.act === 'ask') {
          const question = ask(questions, next.key, next.serverId);
          expect(everSeen.has(question.id)).toBe(false);
          everSeen.add(question.id);
          open.push(question);
        } else if (next.act === 'answer') {
          const question = open[next.which % open.length];
          expect(questions.take(question?.id ?? '"none"')).toBe(question);
          open = open.filter((other) => other !== question);
        } else if (next.act === 'takeBack') {
          const question = open.find((one) => one.key === next.key && one.serverId === next.serverId);
          expect(questions.takeByServerId(next.key, next.serverId)).toBe(question);
          open = open.filter((other) => other !== question);
        } else {
          const own = open.filter((question) => question.key === next.key);
          expect(questions.takeAllOf(next.key)).toEqual(own);
          open = open.filter((question) => !own.includes(question));
        }
        for (const question of open) expect(questions.find(question.id)).toBe(question);
      }
    }),
  );
});

test('a server may have a thousand open, and more as soon as some are answered; others do not count', () => {
  const questions = new Questions();
  const asked = Array.from({ length: 1000 }, (_, n) => {
    expect(questions.isFull('a')).toBe(false);
    return ask(questions, 'a', String(n));
  });
  expect(questions.isFull('a')).toBe(true);
  expect(questions.isFull('b')).toBe(false);
  questions.take(asked[7]?.id ?? '');
  expect(questions.isFull('a')).toBe(false);
  questions.takeAllOf('a');
  expect(questions.has('a')).toBe(false);
});
