/** How the client's `initialize` is read, answered and passed on. */
import { describe, expect, test } from 'vitest';
import {
  type Opening,
  readOpening,
  type Summary,
  summarize,
  unite,
  writeWelcome,
} from '../../src/protocol/handshake.ts';
import { readRequest } from '../support/message.ts';

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

const IDENTITY = { identity: { name: 'me "quoted"', version: '1.2' } };

function open(params: string): Opening {
  const opening = readOpening(readRequest('1', 'initialize', params), {});
  if (typeof opening === 'string') throw new Error(opening);
  return opening;
}

interface Welcome {
  protocolVersion: string;
  capabilities: Record<string, { listChanged?: boolean }>;
  serverInfo: { name: string; version: string };
}

function welcome(params: string): Welcome {
  const description = {
    ...IDENTITY,
    summary: summarize([]),
    isComplete: false,
  };
  return JSON.parse(writeWelcome(open(params), description)) as Welcome;
}

describe('the version', () => {
  test.each(VERSIONS)('%s is agreed to', (version) => {
    expect(welcome(`{"protocolVersion":"${version}"}`).protocolVersion).toBe(version);
  });

  test.each(['2023-01-01', '2099-01-01', '', 'DRAFT'])(
    '"%s" is answered with the latest of the era, and so are the servers asked',
    (version) => {
      const params = `{"protocolVersion":"${version}","capabilities":{}}`;
      expect(welcome(params).protocolVersion).toBe('2025-11-25');
      expect(open(params).params.toString()).toBe('{"protocolVersion":"2025-11-25","capabilities":{}}');
    },
  );

  test.each([undefined, '{}', '{"protocolVersion":null}', '{"protocolVersion":20250326}', '[]', '"x"'])(
    'must be there: %s',
    (params) => {
      const opening = readOpening(readRequest('1', 'initialize', params), {});
      expect(opening).toMatch(/"protocolVersion"/);
    },
  );
});

describe('what the servers are told', () => {
  test('is what the client said, byte for byte', () => {
    const params =
      '{ "clientInfo":{"version":"1.0","name":"t\\u0065st","x":1.0}, "unknown":12345678901234567890,\t"protocolVersion" : "2025-06-18","capabilities":{"roots":{"listChanged":true},"experimental":{"ü":{}}},"_meta":{} }';
    expect(open(params).params.toString()).toBe(params);
  });
});

describe('what is known of the client', () => {
  test('are its name and its capabilities', () => {
    const opening = open(
      '{"protocolVersion":"2025-06-18","capabilities":{"roots":{},"sampling":{}},"clientInfo":{"name":"cl\\u0061ude-ai"}}',
    );
    expect(opening.clientName).toBe('claude-ai');
    expect(opening.capabilities).toEqual(new Set(['roots', 'sampling']));
  });

  test.each([
    '',
    ',"clientInfo":null,"capabilities":null',
    ',"clientInfo":{},"capabilities":{}',
    ',"clientInfo":{"name":5},"capabilities":5',
    ',"clientInfo":"","capabilities":"","name":"claude-ai"',
    ',"clientInfo":5,"capabilities":true',
  ])('may be nothing at all: {…%s}', (rest) => {
    const opening = open(`{"protocolVersion":"2025-06-18"${rest}}`);
    expect(opening.clientName).toBeUndefined();
    expect(opening.capabilities.size).toBe(0);
  });

  test('survives a long text with a raw control character in it', () => {
    const long = `${'x'.repeat(10_000)}\u0001\\n`;
    const opening = open(
      `{"protocolVersion":"2025-06-18","capabilities":{"roots":{"why":"${long}"}},"clientInfo":{"name":"${long}"}}`,
    );
    expect(opening.capabilities).toEqual(new Set(['roots']));
    expect(opening.clientName).toBe(`${'x'.repeat(10_000)}\u0001\n`);
  });
});

describe('what all servers together can do', () => {
  const summarizeAll = (...capabilities: object[]): Summary =>
    summarize(capabilities.map((one) => ['k', Buffer.from(JSON.stringify({ capabilities: one }))]));

  test('is what one of them can do, as soon as all are known', () => {
    const summary = summarizeAll(
      { tools: {}, resources: { subscribe: true }, experimental: { x: {} } },
      { resources: { subscribe: false }, experimental: { y: {} }, vendor: {} },
    );
    expect(unite({ ...IDENTITY, summary, isComplete: true }).capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      experimental: { x: {}, y: {} },
    });
  });

  test('leaves subscriptions out where no server has them', () => {
    const summary = summarizeAll({ resources: { listChanged: true } }, { resources: { subscribe: false } });
    const { capabilities } = unite({ ...IDENTITY, summary, isComplete: true });
    expect(capabilities).toEqual({ resources: { listChanged: true } });
    const before = unite({ ...IDENTITY, summary, isComplete: false });
    expect(before.capabilities['resources']).toEqual({ listChanged: true, subscribe: true });
  });

  test.each([null, true, 5, 'x'])('survives capabilities that are %j', (odd) => {
    const summary = summarizeAll({ tools: odd, resources: odd, experimental: odd });
    const { capabilities } = unite({ ...IDENTITY, summary, isComplete: true });
    expect(capabilities).toMatchObject({ tools: { listChanged: true }, resources: { listChanged: true } });
  });
});

test.each(VERSIONS)('the welcome in %s has our name and announces changes of every list', (version) => {
  const { serverInfo, capabilities } = welcome(`{"protocolVersion":"${version}"}`);
  expect(serverInfo).toEqual({ name: 'me "quoted"', version: '1.2' });
  for (const kind of ['tools', 'prompts', 'resources']) expect(capabilities[kind]?.listChanged).toBe(true);
  expect(Object.keys(capabilities)).toEqual(expect.arrayContaining(['completions', 'logging']));
});
