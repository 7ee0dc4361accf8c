/** Lists that change: read again, and the client hears of it once, however often the server says it. */
import { expect, test } from 'vitest';
import { passing, Recording } from '../../support/passing.ts';
import { type Session, startReady } from '../../support/session.ts';

const KINDS: [what: string, member: string, list: string, item: string, listed: string][] = [
  ['tools', 'tools', 'tools/list', 'new', '"a:new"'],
  ['prompts', 'prompts', 'prompts/list', 'new', '"a:new"'],
  ['resources', 'resources', 'resources/list', 'x://new', '"x://new"'],
  ['resources', 'resourceTemplates', 'resources/templates/list', 'x://{new}', '"x://{new}"'],
];

const count = (session: Session, what: string): number =>
  session.inbox.messages.filter(({ method }) => method === `notifications/${what}/list_changed`).length;

/** Another change, announced after all that came before it. */
async function sayAnother(session: Session, key: string, what: string): Promise<void> {
  await session.call(`${key}:change`, { what });
  await session.notification(`notifications/${what}/list_changed`);
}

test.each(KINDS)('reads a changed list of %s again (%s)', async (what, member, list, item, listed) => {
  const record = new Recording();
  const servers = { a: passing({ record: record.file }), b: passing() };
  const session = await startReady({ servers });
  expect((await session.request(list)).raw).not.toContain(listed);
  await session.call('a:change', { what, have: { [member]: [item] } });
  await session.notification(`notifications/${what}/list_changed`);
  expect((await session.request(list)).raw).toContain(listed);
  expect(record.of(list)).toHaveLength(2);
});

test.each(['tools', 'prompts', 'resources'])('says once that %s have changed after a burst', async (what) => {
  const other = what === 'prompts' ? 'resources' : 'prompts';
  const session = await startReady({ servers: { a: passing(), b: passing() } });
  await session.call('a:change', { what, times: 100 });
  await session.notification(`notifications/${what}/list_changed`);
  await sayAnother(session, 'b', other);
  expect(count(session, what)).toBe(1);
  expect(count(session, other)).toBe(1);
});

test('has the last of many lists in the end', async () => {
  const session = await startReady({ servers: { a: passing() } });
  for (let round = 0; round < 20; round += 1) {
    const have = { prompts: [`p${round}`] };
    session.write(
      `{"jsonrpc":"2.0","id":"c${round}","method":"tools/call","params":${JSON.stringify({
        name: 'a:change',
        arguments: { what: 'prompts', have },
      })}}\n`,
    );
  }
  const names = async (): Promise<string> => (await session.request('prompts/list')).raw;
  await session.reply('"c19"');
  await session.notification('notifications/prompts/list_changed');
  while (!(await names()).includes('"a:p19"'))
    await session.notification('notifications/prompts/list_changed');
  expect(await names()).toContain('[{"name":"a:p19"}]');
});

test('calls what is new and refuses what is gone after a change', async () => {
  const session = await startReady({ servers: { a: passing({ name: 'A', tools: ['change', 'old'] }) } });
  expect(await session.callText('a:old')).toContain('A ');
  await session.call('a:change', { what: 'tools', have: { tools: ['change', 'new'] } });
  await session.notification('notifications/tools/list_changed');
  expect(await session.callText('a:new')).toContain('A ');
  expect((await session.call('a:old')).error).toMatchObject({ code: -32602 });
});

test('says that all lists of a server that dies have changed', async () => {
  const servers = {
    a: passing({ prompts: ['p'], resources: ['x://1'] }),
    b: passing({ prompts: ['p'], resources: ['x://1'] }),
  };
  const session = await startReady({ servers });
  const [prompts, resources] = ['prompts/list', 'resources/list'];
  await session.request(prompts);
  expect((await session.request(resources)).raw).toContain('"b+x://1"');
  await session.call('a:crash', { code: 1 });
  for (const what of ['tools', 'prompts', 'resources'])
    await session.notification(`notifications/${what}/list_changed`);
  expect((await session.request(prompts)).result).toEqual({ prompts: [{ name: 'b:p' }] });
  expect((await session.request(resources)).result).toEqual({
    resources: [{ uri: 'x://1', name: 'x://1' }],
  });
});

test('has the tools of a server that does not give its other lists, and says so when they come', async () => {
  const session = await startReady({ servers: { a: passing({ name: 'A', hold: ['prompts/list'] }) } });
  expect(await session.callText('a:echo')).toContain('A ');
  expect((await session.request('prompts/list')).result).toEqual({ prompts: [] });
  await session.call('a:release');
  await session.notification('notifications/prompts/list_changed');
});
