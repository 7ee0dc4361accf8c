/** Prompts, and completion for them and for resource templates. */
import { expect, test } from 'vitest';
import type { Message } from '../../support/inbox.ts';
import { passing, Recording } from '../../support/passing.ts';
import { elementTexts, memberText } from '../../support/raw.ts';
import { startReady } from '../../support/session.ts';

function readPrompt(message: Message): string {
  const { messages } = message.result as { messages: { content: { text: string } }[] };
  return messages[0]?.content.text ?? '';
}

function readCompletion(message: Message): { server: string | undefined; params: unknown } {
  const { completion } = message.result as { completion: { values: string[] } };
  const [server, params = 'null'] = completion.values;
  return { server, params: JSON.parse(params) };
}

test('lists the prompts of all servers under their keys, page by page, as they were written', async () => {
  const prompt = { title: 'T', arguments: [{ name: 'x', required: true }], vendor: { a: 1 }, name: 'p' };
  const servers = {
    a: passing({ prompts: [prompt, 'q', 'r'], pageSize: 1 }),
    b: passing({ prompts: ['p'], tools: [] }),
  };
  const session = await startReady({ servers });
  const { raw } = await session.request('prompts/list');
  const listed = elementTexts(memberText(raw, 'result', 'prompts') ?? '');
  expect(listed[0]).toBe(JSON.stringify({ ...prompt, name: 'a:p' }));
  expect(listed.map((one) => memberText(one, 'name'))).toEqual(['"a:p"', '"a:q"', '"a:r"', '"b:p"']);
});

test('gets a prompt from its server with its own name and untouched arguments', async () => {
  const record = new Recording();
  const servers = { a: passing({ prompts: ['p'] }), b: passing({ prompts: ['p'], record: record.file }) };
  const session = await startReady({ servers });
  const params = '{"arguments":{"n":"1.0","name":"b:p"},"name":"b:p","_meta":{"v":12345678901234567890}}';
  const line = `{"jsonrpc":"2.0","id":"g","method":"prompts/get","params":${params}}`;
  expect(JSON.parse(readPrompt(await session.exchange(line, '"g"')))).toMatchObject({ name: 'p' });
  const { raw } = await record.first('prompts/get');
  expect(memberText(raw, 'params')).toBe(params.replace('"name":"b:p","_meta"', '"name":"p","_meta"'));
});

test('refuses a prompt that nobody has', async () => {
  const session = await startReady({ servers: { a: passing({ prompts: ['p'] }) } });
  const { error } = await session.request('prompts/get', { name: 'a:nothing' });
  expect(error).toMatchObject({ code: -32602, message: 'Prompt not found: a:nothing' });
});

test('passes on what a server refuses a prompt with', async () => {
  const refusal = { code: -32099, message: 'Not today', data: { when: 'tomorrow' } };
  const replies = { 'prompts/get': `"error":${JSON.stringify(refusal)}` };
  const session = await startReady({ servers: { a: passing({ prompts: ['p'], replies }) } });
  expect((await session.request('prompts/get', { name: 'a:p' })).error).toEqual(refusal);
});

test('completes an argument of a prompt at its server, under the name that the server knows', async () => {
  const servers = {
    a: passing({ name: 'A', prompts: ['p'] }),
    b: passing({ name: 'B', prompts: ['p'] }),
  };
  const session = await startReady({ servers });
  const argument = { name: 'x', value: 'b:p' };
  const context = { arguments: { y: 'z' } };
  const ref = { type: 'ref/prompt', name: 'b:p' };
  const reply = await session.request('completion/complete', { ref, argument, context });
  expect(readCompletion(reply)).toEqual({
    server: 'B',
    params: { ref: { type: 'ref/prompt', name: 'p' }, argument, context },
  });
});

test('completes a template at its server, and at both servers that have the same', async () => {
  const servers = {
    a: passing({ name: 'A', resourceTemplates: ['one://{x}'] }),
    b: passing({ name: 'B', resourceTemplates: ['one://{x}', 'two://{x}'] }),
  };
  const session = await startReady({ servers });
  const complete = async (uri: string): Promise<unknown> => {
    const ref = { type: 'ref/resource', uri };
    return readCompletion(await session.request('completion/complete', { ref, argument: { name: 'x' } }));
  };
  const asked = (uri: string): object => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'x' } });
  expect(await complete('one://{x}')).toEqual({ server: 'A', params: asked('one://{x}') });
  expect(await complete('b+one://{x}')).toEqual({ server: 'B', params: asked('one://{x}') });
  expect(await complete('two://{x}')).toEqual({ server: 'B', params: asked('two://{x}') });
});

test('completes for a URI that is a resource and no template', async () => {
  const servers = {
    a: passing({ name: 'A', resourceTemplates: ['one://{x}'] }),
    b: passing({ name: 'B', resources: ['two://b'], resourceTemplates: ['three://{x}'] }),
  };
  const session = await startReady({ servers });
  for (const uri of ['two://b', 'three://filled']) {
    const params = { ref: { type: 'ref/resource', uri }, argument: { name: 'x', value: '' } };
    const reply = await session.request('completion/complete', params);
    expect(readCompletion(reply)).toEqual({ server: 'B', params });
  }
});

test.each([
  { type: 'ref/prompt', name: 'a:nothing' },
  { type: 'ref/resource', uri: 'nothing://{x}' },
  { type: 'ref/prompt' },
  undefined,
])('refuses to complete for %j', async (ref) => {
  const session = await startReady({ servers: { a: passing({ prompts: ['p'] }) } });
  const { error } = await session.request('completion/complete', { ref, argument: { name: 'x', value: '' } });
  expect(error?.code).toBe(-32602);
});
