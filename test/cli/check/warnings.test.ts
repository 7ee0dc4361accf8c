/** What is said of all servers together, in words that fit their number. */
import { expect, test } from 'vitest';
import { findRemarks, type Listed } from '../../../src/cli/check/warnings.ts';

/** A server with one tool. */
function serve(key: string, name: string): Listed {
  const start = '{"name":'.length;
  const nameSpan = { start, end: start + JSON.stringify(name).length };
  const tool = { name, bytes: Buffer.from(JSON.stringify({ name })), nameSpan };
  return { key, tools: [tool], prompts: [], findings: [], strayCount: 0 };
}

test('warns of names that the protocol advises against, and says the same of a server once', () => {
  const one = { ...serve('a', 'b c'), findings: ['no name', 'no name'] };
  const { warnings } = findRemarks([one, serve('d', 'e.f')], { separator: undefined, tools: false });
  expect(warnings).toEqual([
    'a: no name',
    expect.stringMatching(/^1 tool name with characters that the protocol advises against .*: "a:b c";/),
  ]);
});

test.each([
  [2, '"s1" and "s2" both have "t"'],
  [3, '"s1", "s2" and "s3" all have "t"'],
  [20, '20 servers ("s1", "s2", "s3" and 17 more) have "t"'],
])('tells in few words that %i servers have one tool', (count, words) => {
  const servers = Array.from({ length: count }, (_, index) => serve(`s${index + 1}`, 't'));
  const { warnings, notes } = findRemarks(servers, { separator: undefined, tools: false });
  expect(warnings).toEqual([]);
  expect(notes).toEqual([
    `${words}: a model may take one for the other; disable a server that is there twice`,
  ]);
});
