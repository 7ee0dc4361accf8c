/** Lines that are a little wrong, by the thousand, from both sides: nothing breaks, and no wrong line gets out. */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Envelope, type Malformed } from '../../src/wire/envelope.ts';
import { LineReader } from '../../src/wire/lines.ts';
import { fixture } from '../support/fixture.ts';
import { LENIENT } from '../support/judge.ts';
import { STATELESS } from '../support/schema.ts';
import { readText, startReady } from '../support/session.ts';
import { Arena } from './arena.ts';
import { CLIENT_LINES, SERVER_LINES, STATELESS_CLIENT_LINES, STATELESS_SERVER_LINES } from './messages.ts';
import { cut, mutate } from './mutate.ts';
import { chooseSeed, Random } from './random.ts';
import { PATIENCE_MS, scale } from './scale.ts';

const ALL_LINES = [...CLIENT_LINES, ...SERVER_LINES, ...STATELESS_CLIENT_LINES, ...STATELESS_SERVER_LINES];
const RAW = join(import.meta.dirname, 'children/raw.mjs');
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString());
    return isUtf8(line);
  } catch {
    return false;
  }
}

/** What a reader that takes its time makes of a stream. */
function readSlowly(stream: Buffer): string[] {
  const bytes = stream.subarray(0, 3).equals(MARK) ? stream.subarray(3) : stream;
  const lines = bytes.toString('latin1').split('\n');
  return lines.flatMap((latin1) => {
    const line = Buffer.from(latin1, 'latin1');
    if (/^[ \t\r]*$/.test(latin1)) return [];
    if (!isJson(line)) return ['json'];
    const value: unknown = JSON.parse(line.toString());
    if (Array.isArray(value)) return ['batch'];
    return [typeof value === 'object' && value !== null ? 'object' : 'shape'];
  });
}

function readFast(pieces: readonly Buffer[]): (Envelope | Malformed)[] {
  const read: (Envelope | Malformed)[] = [];
  const add = (line: Envelope | Malformed): void => void read.push(line);
  const reader = new LineReader({ onMessage: add, onMalformed: add });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return read;
}

/** What is found in a message has to be what a parser finds there. */
function expectSameMembers(message: Envelope): void {
  const parsed = JSON.parse(message.line.toString()) as Record<string, unknown>;
  const value = (span: Parameters<Envelope['value']>[0] | undefined): unknown => span && message.value(span);
  expect(value(message.idSpan)).toEqual(parsed['id']);
  expect(message.method).toBe(typeof parsed['method'] === 'string' ? parsed['method'] : undefined);
  for (const name of ['params', 'result', 'error'] as const)
    expect(value(message[name])).toEqual(parsed[name]);
  const params = parsed['params'];
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return;
  for (const name of ['name', 'uri', 'requestId', 'progressToken', '_meta'])
    expect(value(message.param(name))).toEqual((params as Record<string, unknown>)[name]);
}

test(
  'a reader of lines and a parser agree about every line, however spoiled and however cut',
  () => {
    const seed = chooseSeed('lines');
    const random = new Random(seed);
    for (let round = 0; round < scale(3000, 150_000); round += 1) {
      const lines = Array.from({ length: 1 + random.below(4) }, () =>
        mutate(random.pick(ALL_LINES), ALL_LINES, random),
      );
      const stream = Buffer.from(lines.map((line) => line.toString('latin1')).join('\n'), 'latin1');
      const read = readFast(cut(stream, random));
      const kinds = read.map((line) => {
        if (line instanceof Envelope) return 'object';
        return line.detail.includes('twice') ? 'object' : line.problem;
      });
      expect(kinds, `round ${round}: ${JSON.stringify(stream.toString('latin1'))}`).toEqual(
        readSlowly(stream),
      );
      for (const line of read) if (line instanceof Envelope) expectSameMembers(line);
    }
  },
  PATIENCE_MS,
);

/** Fifty lines, each a little wrong. */
function spoil(lines: readonly Buffer[], random: Random): Buffer {
  const spoiled = Array.from({ length: 50 }, () => mutate(random.pick(lines), ALL_LINES, random));
  return Buffer.concat(spoiled.flatMap((line) => [line, Buffer.from('\n')]));
}

test.each([
  ['2025-11-25', false],
  ['2025-03-26', false],
  ['2025-11-25', true],
  ['2026-07-28', false],
  ['2026-07-28', true],
])(
  'spoiled lines of a client of %s and of one server leave the other server alone (servers without a handshake: %s)',
  async (protocolVersion, areServersStateless) => {
    const seed = chooseSeed('arena');
    const random = new Random(seed);
    const arena = new Arena({ keys: ['a', 'b'], protocolVersion, areServersStateless, rules: LENIENT });
    await arena.open();
    const clientLines = protocolVersion === STATELESS ? STATELESS_CLIENT_LINES : CLIENT_LINES;
    const serverLines = areServersStateless ? STATELESS_SERVER_LINES : SERVER_LINES;
    for (let round = 0; round < scale(60, 2000); round += 1) {
      for (let left = 20; left > 0; left -= 1) {
        const line = Buffer.concat([mutate(random.pick(clientLines), ALL_LINES, random), Buffer.from('\n')]);
        for (const piece of cut(line, random)) arena.receive(piece);
        const said = Buffer.concat([mutate(random.pick(serverLines), ALL_LINES, random), Buffer.from('\n')]);
        arena.server('a').stdout.write(said);
      }
      // A string that was opened and never closed ends with its line.
      arena.say('');
      expect(await arena.echo('b'), `round ${round}`).toBe('answered');
    }
    await arena.close();
  },
  PATIENCE_MS,
);

test(
  'the command outlives spoiled lines of the client and of a server, and answers the next request',
  async () => {
    const random = new Random(chooseSeed('command'));
    const servers = { a: { command: 'node', args: [RAW] }, b: fixture({ name: 'b' }) };
    const session = await startReady({ servers, rules: LENIENT });
    for (let round = 0; round < scale(20, 1000); round += 1) {
      session.write(spoil(CLIENT_LINES, random));
      const args = { bytes: spoil(SERVER_LINES, random).toString('base64') };
      await session.request('tools/call', { name: 'a:say', arguments: args }, `"say ${round}"`);
      const nonce = `nonce ${round}`;
      const reply = await session.request(
        'tools/call',
        { name: 'b:echo', arguments: { nonce } },
        `"${nonce}"`,
      );
      expect(readText(reply)).toBe(`b {"nonce":"${nonce}"}`);
    }
    expect(await session.close()).toEqual({ code: 0, signal: null });
  },
  PATIENCE_MS,
);
