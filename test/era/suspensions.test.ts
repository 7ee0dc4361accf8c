/** Calls whose client is away with a question: how many, how long, and what becomes of them. */
import { expect, test } from 'vitest';
import { Suspensions } from '../../src/era/suspensions.ts';
import type { Claim } from '../../src/era/types.ts';
import { Calls, type Call } from '../../src/protocol/calls.ts';
import type { Conversation } from '../../src/protocol/conversation.ts';
import type { Peer } from '../../src/protocol/peer.ts';
import { readRequest } from '../support/message.ts';

const CLAIM: Claim = {
  capabilities: { elicitation: {} },
  rawCapabilities: Buffer.from('{"elicitation":{}}'),
  rawClient: undefined,
  logLevel: undefined,
};

interface Line {
  id?: unknown;
  method?: string;
  result?: { resultType: string; requestState: string; inputRequests: Record<string, unknown> };
  error?: { code: number; message: string };
  params?: unknown;
}

/** A server and a client as far as they are written to, and clocks that go off when they are told to. */
class Stage {
  readonly toServer: Line[] = [];
  readonly toClient: Line[] = [];
  readonly clocks = new Set<() => void>();
  readonly calls: Calls = new Calls();
  readonly peer = {
    key: 'a',
    calls: this.calls,
    send: (...pieces: Buffer[]) => void this.toServer.push(read(pieces)),
  } as unknown as Peer;
  readonly suspensions: Suspensions;
  #secret = 0;

  constructor() {
    const shared = { answer: (_: string, ...pieces: Buffer[]) => void this.toClient.push(read(pieces)) };
    this.suspensions = new Suspensions(shared as unknown as Conversation, {
      now: () => 0,
      later: (_, act) => {
        this.clocks.add(act);
        return () => void this.clocks.delete(act);
      },
      createSecret: () => String((this.#secret += 1)),
    });
  }

  call(id: string, target = 'a:t'): Call {
    const bridge = { target, raise: () => [], cancel: () => false };
    return this.calls.add(readRequest(id, 'tools/call', `{"name":"${target}"}`), true, CLAIM, bridge);
  }

  ask(id: string): boolean {
    return this.suspensions.ask(this.peer, readRequest(id, 'elicitation/create', '{"message":"?"}'));
  }

  comeBack(id: string, state: string, responses = '{}'): boolean {
    const params = `{"name":"a:t","requestState":${JSON.stringify(state)},"inputResponses":${responses}}`;
    return this.suspensions.resume(readRequest(id, 'tools/call', params), CLAIM);
  }

  get lastState(): string {
    return this.toClient.at(-1)?.result?.requestState ?? '';
  }
}

function read(pieces: readonly Buffer[]): Line {
  return JSON.parse(Buffer.concat(pieces).toString()) as Line;
}

test('the newest call is asked with, and a second question finds the other', () => {
  const stage = new Stage();
  stage.call('1');
  stage.call('2');
  expect([stage.ask('"x"'), stage.ask('"y"'), stage.ask('"z"')]).toEqual([true, true, true]);
  expect(stage.toClient.map(({ id }) => id)).toEqual([2, 1]);
});

test('without a call there is nobody to ask', () => {
  expect(new Stage().ask('1')).toBe(false);
});

test('a client that does not come back in time is given up: the server hears it, the call is cancelled', () => {
  const stage = new Stage();
  stage.call('1');
  stage.ask('"x"');
  for (const act of stage.clocks) act();
  expect(stage.toServer).toEqual([
    { jsonrpc: '2.0', id: 'x', error: expect.objectContaining({ code: -32_603 }) as unknown },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  ]);
  expect(stage.calls.size).toBe(0);
  expect(stage.comeBack('2', stage.lastState)).toBe(false);
});

test('more than a hundred are not suspended', () => {
  const stage = new Stage();
  for (let id = 1; id <= 101; id += 1) {
    stage.call(String(id));
    stage.ask(`"q${id}"`);
  }
  expect(stage.toClient).toHaveLength(100);
  expect(stage.toServer).toMatchObject([{ id: 'q101', error: { code: -32_603 } }]);
});

test('the answer of a server that did not wait is kept for the client', () => {
  const stage = new Stage();
  const call = stage.call('1');
  stage.ask('"x"');
  call.hold?.((id) => [Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"resultType":"done"}}`)]);
  stage.comeBack('9', stage.lastState);
  expect(stage.toClient.at(-1)).toMatchObject({ id: 9, result: { resultType: 'done' } });
  expect(stage.toServer).toMatchObject([{ id: 'x', error: {} }]);
  expect(stage.clocks.size).toBe(0);
});

test('a question that the server takes back is not asked again', () => {
  const stage = new Stage();
  stage.call('1');
  stage.ask('"x"');
  expect(stage.suspensions.takeBack(stage.peer, '"x"')).toBe(true);
  expect(stage.suspensions.takeBack(stage.peer, '"x"')).toBe(false);
  stage.comeBack('2', stage.lastState);
  expect(stage.toClient).toHaveLength(1);
  expect([...stage.calls.inFlight].map(({ id }) => id)).toEqual(['2']);
});

test('answers for a process that is gone go nowhere', () => {
  const stage = new Stage();
  stage.call('1');
  stage.ask('"x"');
  const [name = ''] = Object.keys(stage.toClient[0]?.result?.inputRequests ?? {});
  const state = stage.lastState;
  for (const call of stage.calls.takeAll())
    call.hold?.((id) => [Buffer.from(`{"id":${id},"error":{"code":1}}`)]);
  stage.suspensions.down(stage.peer);
  stage.comeBack('2', state, `{"${name}":{"action":"accept"}}`);
  expect(stage.toServer).toEqual([]);
  expect(stage.toClient.at(-1)).toMatchObject({ id: 2, error: { code: 1 } });
});

test('a client that cancels the request it was asked with ends the call at the server', () => {
  const stage = new Stage();
  stage.call('1');
  stage.ask('"x"');
  const state = stage.lastState;
  expect(stage.suspensions.cancel('2')).toBe(false);
  expect(stage.suspensions.cancel('1')).toBe(true);
  expect(stage.toServer).toMatchObject([
    { id: 'x', error: {} },
    { method: 'notifications/cancelled', params: { requestId: 1 } },
  ]);
  expect([stage.calls.size, stage.clocks.size]).toEqual([0, 0]);
  expect(stage.comeBack('3', state)).toBe(false);
});

test('a server that asks and asks while the client is away is refused at some point', () => {
  const stage = new Stage();
  stage.call('1');
  for (let id = 1; id <= 21; id += 1) expect(stage.ask(`"q${id}"`)).toBe(true);
  expect(stage.toServer).toMatchObject([{ id: 'q21', error: { code: -32_603 } }]);
  stage.comeBack('2', stage.lastState);
  expect(Object.keys(stage.toClient.at(-1)?.result?.inputRequests ?? {})).toHaveLength(20);
});

test('a server holds nobody any more when it has answered', () => {
  const stage = new Stage();
  const call = stage.call('1');
  stage.ask('"x"');
  expect(stage.suspensions.has('a')).toBe(true);
  call.hold?.(() => []);
  expect(stage.suspensions.has('a')).toBe(false);
});

test('what means nothing without a handshake is not asked', () => {
  const stage = new Stage();
  stage.call('1');
  const params = '{"elicitationId":"e","message":"?","_meta":{"progressToken":1,"x":2}}';
  stage.suspensions.ask(stage.peer, readRequest('"x"', 'elicitation/create', params));
  expect(Object.values(stage.toClient[0]?.result?.inputRequests ?? {})).toEqual([
    { method: 'elicitation/create', params: { message: '?', _meta: { x: 2 } } },
  ]);
});

test('a state of another is not ours to judge', () => {
  expect(new Stage().comeBack('1', 'another’s')).toBe(false);
});
