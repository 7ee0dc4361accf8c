/** Errors of servers with a handshake that are not as they should be, for a client without one: whatever they are, it stays with the one call. */
import { expect, test } from 'vitest';
import { LENIENT } from '../../support/judge.ts';
import { startModern } from '../../support/modern.ts';
import { passing } from '../../support/passing.ts';

/** What the client is told when the server fails a call like this. */
async function fail(error: unknown): Promise<unknown> {
  const reply = `"error":${JSON.stringify(error)}`;
  const servers = { a: passing({ replies: { 'tools/call': reply } }), b: passing() };
  const session = startModern({ servers, rules: LENIENT });
  const answer = await session.call('a:echo');
  // Nothing else has come to harm.
  expect((await session.call('b:echo')).result).toBeDefined();
  return answer.error;
}

test.each([
  [undefined],
  [null],
  [{ elicitations: 5 }],
  [{ elicitations: [null, 5, {}, [1], { url: 'https://example.com' }] }],
])('a demand for visits to URLs that names none is an error like any other: %j', async (data) => {
  const error = await fail({ code: -32_042, message: 'Visit', data });
  expect(error).toEqual({ code: -32_603, message: 'Visit', ...(data !== undefined && { data }) });
});

test.each([-32_022, -32_020, -32_099])(
  'a code that has come to mean something is not passed: %j',
  async (code) => {
    expect(await fail({ code, message: 'No', data: 1 })).toEqual({ code: -32_603, message: 'No', data: 1 });
  },
);

test.each([-32_000, -32_019, -32_100, 7])('any other code is passed as it is: %j', async (code) => {
  expect(await fail({ code, message: 'No' })).toEqual({ code, message: 'No' });
});

test.each([['-32002'], ['x'], [null], [1.5]])('a code that is none is passed as it is: %j', async (code) => {
  expect(await fail({ code, message: 'No' })).toEqual({ code, message: 'No' });
});
