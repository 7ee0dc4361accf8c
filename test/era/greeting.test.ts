/** How servers of all characters are met; a server is played by what it answers, and time by a function. */
import { expect, test } from 'vitest';
import { Greeter, type Greeting } from '../../src/era/greeting.ts';
import type { Opening } from '../../src/protocol/handshake.ts';
import type { Answer } from '../../src/wire/envelope.ts';
import { McpError } from '../../src/wire/error.ts';
import { readMessage } from '../support/message.ts';

const OPENING: Opening = {
  era: 'modern',
  protocolVersion: '2026-07-28',
  clientName: undefined,
  capabilities: new Set(),
  declared: {},
  params: Buffer.from('{}'),
  meta: { 'io.modelcontextprotocol/protocolVersion': '"2026-07-28"' },
};
const DISCOVERED = '{"supportedVersions":["2026-07-28"]}';
const REFUSED = new McpError({ code: -32_601, message: 'No' });

/** A server that answers when the test says so. */
class Stage {
  readonly asked: string[] = [];
  readonly sent: string[] = [];
  readonly greeter: Greeter;
  readonly greeting: Promise<Greeting>;
  #waiting = new Map<string, { answer: (answer: Answer) => void; refuse: (error: Error) => void }>();
  #clocks: (() => void)[] = [];

  constructor({ era = 'modern', avoidsProbe = false }: { era?: 'modern' | 'legacy'; avoidsProbe?: boolean }) {
    const line = {
      request: async (method: string) => {
        this.asked.push(method);
        return new Promise<Answer>((answer, refuse) => this.#waiting.set(method, { answer, refuse }));
      },
      send: (...pieces: readonly Buffer[]) => void this.sent.push(Buffer.concat(pieces).toString()),
    };
    const clock = {
      now: () => 0,
      later: (_: number, act: () => void) => {
        this.#clocks.push(act);
        return () => {};
      },
    };
    this.greeter = new Greeter(line, { ...OPENING, era }, clock, avoidsProbe);
    this.greeting = this.greeter.greet();
  }

  /** Lets everything happen that follows from what has happened. */
  async settle(): Promise<this> {
    await new Promise((resolve) => setImmediate(resolve));
    return this;
  }

  answer(method: string, result: string): void {
    const message = readMessage(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
    this.#waiting.get(method)?.answer(message as Answer);
  }

  refuse(method: string, error: Error = REFUSED): void {
    this.#waiting.get(method)?.refuse(error);
  }

  passTime(): void {
    for (const act of this.#clocks.splice(0)) act();
  }
}

test('a server that answers in the client’s era is asked nothing more', async () => {
  const stage = new Stage({});
  stage.answer('server/discover', DISCOVERED);
  expect(await stage.greeting).toMatchObject({ era: 'modern', avoidsProbe: false });
  expect(stage.asked).toEqual(['server/discover']);
  expect(stage.greeter.isProbing).toBe(false);
});

test('a server that errs on the question shakes hands, and may be asked again next time', async () => {
  const stage = new Stage({});
  stage.refuse('server/discover');
  await stage.settle();
  stage.answer('initialize', '{"x":1}');
  expect(await stage.greeting).toMatchObject({ era: 'legacy', avoidsProbe: false });
  expect(stage.sent.join('')).toContain('notifications/initialized');
});

test('a server of other versions shakes hands', async () => {
  const stage = new Stage({});
  stage.answer('server/discover', '{"supportedVersions":["2099-01-01"]}');
  await stage.settle();
  stage.answer('initialize', '{}');
  expect(await stage.greeting).toMatchObject({ era: 'legacy' });
});

test('a server that ignores the question shakes hands after a while, and is not asked again', async () => {
  const stage = new Stage({});
  expect((await stage.settle()).asked).toEqual(['server/discover']);
  stage.passTime();
  expect((await stage.settle()).asked).toEqual(['server/discover', 'initialize']);
  // It may still die of it, when it comes to read it.
  expect(stage.greeter.isProbing).toBe(true);
  stage.answer('initialize', '{}');
  expect(await stage.greeting).toMatchObject({ era: 'legacy', avoidsProbe: true });
  const next = new Stage({ avoidsProbe: true });
  next.answer('initialize', '{}');
  expect(await next.greeting).toMatchObject({ era: 'legacy', avoidsProbe: true });
  expect(next.asked).toEqual(['initialize']);
});

test.each([
  ['answers both questions', (stage: Stage) => stage.answer('initialize', '{}')],
  ['refuses the handshake then', (stage: Stage) => stage.refuse('initialize')],
  ['ignores the handshake then', () => {}],
])('a slow server that %s is met in the client’s era', async (_, answerSecond) => {
  const stage = new Stage({});
  stage.passTime();
  await stage.settle();
  stage.answer('server/discover', DISCOVERED);
  answerSecond(stage);
  expect(await stage.greeting).toMatchObject({ era: 'modern' });
  expect(stage.sent).toEqual([]);
});

test('a slow server that errs on the question is asked again next time', async () => {
  const stage = new Stage({});
  stage.passTime();
  await stage.settle();
  stage.refuse('server/discover');
  stage.answer('initialize', '{}');
  expect(await stage.greeting).toMatchObject({ era: 'legacy', avoidsProbe: false });
});

test('a server that refuses the handshake of a client is asked in the other era', async () => {
  const stage = new Stage({ era: 'legacy' });
  stage.refuse('initialize');
  await stage.settle();
  stage.answer('server/discover', DISCOVERED);
  expect(await stage.greeting).toMatchObject({ era: 'modern' });
  const neither = new Stage({ era: 'legacy' });
  neither.refuse('initialize', new McpError({ code: -1, message: 'First' }));
  await neither.settle();
  neither.refuse('server/discover');
  await expect(neither.greeting).rejects.toThrow('First');
});

test('a server that refuses both is not asked a third time, and is as one that has not been met', async () => {
  const stage = new Stage({});
  stage.refuse('server/discover');
  await stage.settle();
  stage.refuse('initialize', new McpError({ code: -1, message: 'Not any more' }));
  await expect(stage.greeting).rejects.toThrow('Not any more');
  expect(stage.asked).toEqual(['server/discover', 'initialize']);
  expect(stage.greeter.isProbing).toBe(true);
});

test('a connection that ends is no refusal', async () => {
  const stage = new Stage({});
  stage.refuse('server/discover', new Error('gone'));
  await stage.settle();
  stage.refuse('initialize', new Error('gone'));
  await expect(stage.greeting).rejects.toThrow('gone');
  expect(stage.asked).toEqual(['server/discover', 'initialize']);
});
