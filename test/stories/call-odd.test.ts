/** `call` with servers that do not keep to what is agreed: what they give is shown, and nothing of our own breaks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { type Outcome, run } from '../support/run.ts';
import { makeFolder } from '../support/session.ts';

async function call(result: string): Promise<Outcome> {
  const file = join(makeFolder(), 'config.json');
  const server = fixture({ tools: ['x'], replies: { x: `"result":${result}` } });
  writeFileSync(file, JSON.stringify({ mcpServers: { a: server } }));
  return run(['call', 'a:x', '--config', file]);
}

test.each<[string, string, string]>([
  ['nothing', 'null', 'null\n'],
  ['a number', '12345678901234567890', '12345678901234567890\n'],
  ['content that is a text', '{"content":"x"}', '{\n  "content": "x"\n}\n'],
  ['pieces that are no objects', '{"content":[null,5]}', 'null\n5\n'],
  [
    'a resource that is null',
    '{"content":[{"type":"resource","resource":null}]}',
    '{\n  "type": "resource",\n  "resource": null\n}\n',
  ],
  [
    'a text that is a number',
    '{"content":[{"type":"text","text":1.0}]}',
    '{\n  "type": "text",\n  "text": 1.0\n}\n',
  ],
])('shows %s as it is', async (_, result, shown) => {
  expect(await call(result)).toEqual({ code: 0, stdout: shown, stderr: '' });
});

test('shows structured content in the digits of the server, and its letters readably', async () => {
  const structured = '{"id":12345678901234567890,"one":1.0,"city":"Z\\u00fcrich","none":[],"list":[{},true]}';
  const { stdout } = await call(`{"content":[],"structuredContent":${structured}}`);
  expect(stdout).toBe(
    '{\n  "id": 12345678901234567890,\n  "one": 1.0,\n  "city": "Zürich",\n  "none": [],\n  "list": [\n    {},\n    true\n  ]\n}\n',
  );
});

test.each([
  ['{"resultType":"input_required"}', 'wants to know more after 8 rounds of questions: given up'],
  ['{"resultType":"input_required","inputRequests":{"a":null}}', 'which "call" cannot answer'],
])('does not take %s for a result', async (result, words) => {
  const { code, stdout, stderr } = await call(result);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
});
