/** The calls in flight: each is found by its answer, once, whatever its id looks like. */
import * as fc from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { type Call, Calls } from '../../src/protocol/calls.ts';
import { readRequest } from '../support/message.ts';

const add = (calls: Calls, id: string, token?: string): Call =>
  calls.add(readRequest(id, 'tools/call', token && `{"_meta":{"progressToken":${token}}}`));

describe('the id that a server is given', () => {
  test.each(['0', '1', '-7', '999999999999999', '""', '"abc"', '"a b/c#1"'])(
    "is the client's own when it is plain: %s",
    (id) => {
      expect(add(new Calls(), id).sentId).toBe(id);
    },
  );

  test.each(['1.0', '1e3', '-0', '12345678901234567890', '"\\u0031"', '"ü"', '"aggregator/1"'])(
    'is one of ours when a server might change it, or mistake it: %s',
    (id) => {
      const calls = new Calls();
      const call = add(calls, id);
      expect(call.sentId).toMatch(/^"[ -~]+"$/);
      expect(call.sentId).not.toBe(id);
      expect(call.id).toBe(readRequest(id, 'x').id);
      expect(calls.take(call.sentId)).toBe(call);
    },
  );

  test('is another for a second call with the same id', () => {
    const calls = new Calls();
    const [first, second] = [add(calls, '1'), add(calls, '1')];
    expect(first.sentId).not.toBe(second.sentId);
    expect([calls.take(second.sentId), calls.take(first.sentId)]).toEqual([second, first]);
  });
});

describe('an answer', () => {
  test.each(['5', '"5"', '5.0', '5e0'])('to 5 is recognised as %s', (id) => {
    const calls = new Calls();
    const call = add(calls, '5');
    expect(calls.take(id)).toBe(call);
    expect(calls.take(id)).toBeUndefined();
  });

  test('goes to the exact id first', () => {
    const calls = new Calls();
    const [number, text] = [add(calls, '5'), add(calls, '"5"')];
    expect(calls.take('"5"')).toBe(text);
    expect(calls.take('5')).toBe(number);
  });

  test.each(['null', 'true', '[5]', '{}', '"five"', '5.5', '6', '"__proto__"'])('%s is to nobody', (id) => {
    const calls = new Calls();
    add(calls, '5');
    expect(calls.take(id)).toBeUndefined();
    expect(calls.size).toBe(1);
  });
});

test('progress is passed on exactly while the call with that token is in flight', () => {
  const calls = new Calls();
  const [one, two] = [add(calls, '1', '"t"'), add(calls, '2', '7')];
  const tokens = ['"t"', '7', 't', '"7"', '[7]'].map((token) => calls.findToken(token));
  expect(tokens).toEqual(['"t"', '7', undefined, undefined, undefined]);
  calls.take(one.sentId);
  expect(calls.findToken('"t"')).toBeUndefined();
  calls.takeByClientId(two.id);
  expect(calls.findToken('7')).toBeUndefined();
  add(calls, '3', '8');
  calls.takeAll();
  expect(calls.findToken('8')).toBeUndefined();
});

test('the table agrees with a plain list of what is pending, whatever happens in whatever order', () => {
  const id = fc.constantFrom('0', '1', '2', '"1"', '"a"', '1.0', '1e0', '"\\u0061"', '"aggregator/call/1"');
  const step = fc.oneof(
    fc.record({ act: fc.constant('add' as const), id }),
    fc.record({ act: fc.constant('answer' as const), which: fc.nat() }),
    fc.record({ act: fc.constant('cancel' as const), id }),
    fc.record({ act: fc.constant('forge' as const), id: fc.constantFrom('"x"', '77', 'null') }),
    fc.record({ act: fc.constant('all' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const calls = new Calls();
      let pending: Call[] = [];
      const expectTaken = (taken: Call | undefined, candidates: readonly Call[]): void => {
        if (candidates.length === 0) expect(taken).toBeUndefined();
        else expect(candidates).toContain(taken);
        pending = pending.filter((call) => call !== taken);
      };
      for (const next of steps) {
        if (next.act === 'add') {
          pending.push(add(calls, next.id));
          expect(pending.at(-1)?.id).toBe(next.id);
        } else if (next.act === 'answer') {
          const call = pending[next.which % pending.length];
          if (call !== undefined) expectTaken(calls.take(call.sentId), [call]);
        } else if (next.act === 'cancel') {
          expectTaken(
            calls.takeByClientId(next.id),
            pending.filter((call) => call.id === next.id),
          );
        } else if (next.act === 'forge') {
          expectTaken(calls.take(next.id), []);
        } else {
          expect(new Set(calls.takeAll())).toEqual(new Set(pending));
          pending = [];
        }
        expect(calls.size).toBe(pending.length);
        expect(new Set(pending.map(({ sentId }) => sentId)).size).toBe(pending.length);
      }
    }),
  );
});

test('the tokens of the last thousand tasks are remembered, and no more', () => {
  const calls = new Calls();
  for (let n = 0; n <= 1000; n += 1) {
    const call = add(calls, String(n), String(n));
    calls.keepToken(call);
    calls.take(call.sentId);
  }
  expect(['0', '1', '1000'].map((token) => calls.findToken(token))).toEqual([undefined, '1', '1000']);
});
