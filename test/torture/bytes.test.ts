/** Bytes that parsers disagree about, as arguments and as results: what is JSON crosses untouched, what is not is refused. */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { JSON_CASES, type JsonCase } from '../data/json-cases.ts';
import { RPC_CASES } from '../data/json-rpc-cases.ts';
import { LENIENT } from '../support/judge.ts';
import { startModern } from '../support/modern.ts';
import { readText, type ServerEntry, type Session, startReady } from '../support/session.ts';
import { readJsonTestSuite, readProtocolExamples } from './foreign.ts';
import { PATIENCE_MS } from './scale.ts';

const RAW = join(import.meta.dirname, 'children/raw.mjs');
const raw = (): ServerEntry => ({ command: 'node', args: [RAW] });

const CASES = [...JSON_CASES, ...readJsonTestSuite(), ...readProtocolExamples()].map((one) => ({
  ...one,
  bytes: withoutNewlines(one.bytes),
}));

/** A message is one line, so a newline cannot be in it; the other end of a line is as good a space. */
function withoutNewlines(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x0d : byte)));
}

function isJson({ bytes }: JsonCase): boolean {
  try {
    JSON.parse(bytes.toString());
    return isUtf8(bytes);
  } catch {
    return false;
  }
}

function startRaw(): Promise<Session> {
  return startReady({ servers: { a: raw(), b: raw() }, rules: LENIENT });
}

/** Everything that was said in between is forgotten, so that hundreds of cases do not make each other slow. */
async function expectWell(session: Session): Promise<void> {
  expect((await session.request('ping')).result).toEqual({});
  expect(session.inbox.listImpurities()).toEqual([]);
  session.inbox.messages.length = 0;
}

test('the cases are what they say they are', () => {
  for (const one of CASES) if (one.isJson !== undefined) expect(isJson(one), one.name).toBe(one.isJson);
});

test(
  `${CASES.length} texts as arguments`,
  async () => {
    const session = await startRaw();
    for (const one of CASES) {
      const start = Buffer.from(
        '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"a:take","arguments":{"v":',
      );
      session.write(Buffer.concat([start, one.bytes, Buffer.from('}}}\n')]));
      if (isJson(one)) {
        const taken = Buffer.from(readText(await session.reply('"c"')), 'base64').toString();
        expect(taken.includes(`"arguments":{"v":${one.bytes.toString()}}}}`), one.name).toBe(true);
      } else {
        expect((await session.reply(undefined)).error?.code, one.name).toBe(-32_700);
      }
      await expectWell(session);
    }
    expect(await session.close()).toEqual({ code: 0, signal: null });
  },
  PATIENCE_MS,
);

test(
  `${CASES.length} texts as results`,
  async () => {
    const session = await startRaw();
    for (const one of CASES) {
      const reply = await session.call('a:give', { bytes: one.bytes.toString('base64') });
      if (isJson(one)) {
        expect(reply.raw.endsWith(`"result":{"content":[],"v":${one.bytes.toString()}}}`), one.name).toBe(
          true,
        );
      } else {
        expect(reply.error?.code, one.name).toBe(-32_603);
      }
      await expectWell(session);
    }
    expect(await session.close()).toEqual({ code: 0, signal: null });
  },
  PATIENCE_MS,
);

test(
  `${CASES.length} texts as arguments and results, between a client without a handshake and a server with one`,
  async () => {
    const session = startModern({ servers: { a: raw() }, rules: LENIENT });
    await session.listTools();
    const meta = JSON.stringify(session.meta);
    for (const one of CASES.filter(isJson)) {
      const text = one.bytes.toString();
      const taken = await session.exchange(
        `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"a:take","_meta":${meta},"arguments":{"v":${text}}}}`,
        '"c"',
      );
      const line = Buffer.from(readText(taken), 'base64').toString();
      expect(line.includes(`"arguments":{"v":${text}}}}`), one.name).toBe(true);
      const { raw: given } = await session.call('a:give', { bytes: one.bytes.toString('base64') });
      expect(given.includes(`"content":[],"v":${text}`), one.name).toBe(true);
      session.inbox.messages.length = 0;
    }
    expect(session.inbox.listImpurities()).toEqual([]);
    expect(await session.close()).toEqual({ code: 0, signal: null });
  },
  PATIENCE_MS,
);

test(
  `${CASES.length} texts as whole lines of a server, and of the client`,
  async () => {
    const session = await startRaw();
    for (const { bytes } of CASES) {
      const line = Buffer.concat([bytes, Buffer.from('\n')]);
      expect(await session.callText('a:say', { bytes: line.toString('base64') })).toBe('said');
      session.write(line);
      await expectWell(session);
    }
    expect(await session.callText('b:echo')).toBe('{}');
    expect(await session.close()).toEqual({ code: 0, signal: null });
  },
  PATIENCE_MS,
);

test(
  `${RPC_CASES.length} requests, each as JSON-RPC 2.0 has it`,
  async () => {
    const session = await startRaw();
    for (const { name, line, answer } of RPC_CASES) {
      const before = session.inbox.messages.length;
      session.write(`${line}\n`);
      if (answer !== undefined) {
        const reply = await session.reply(answer.id);
        expect(reply.error?.code, name).toBe(answer.code);
      }
      await session.request('ping');
      expect(session.inbox.messages.length - before, name).toBe(answer === undefined ? 1 : 2);
    }
  },
  PATIENCE_MS,
);

describe('lines that are cut and ended in every way', () => {
  const call = (id: number): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a:echo","arguments":{"é":"𝄞∑"}}}`;

  test('a byte order mark, carriage returns, blank lines, and a last line without an end', async () => {
    const session = await startRaw();
    session.write(`\r\n\r\n \t\r\n${call(1001)}\r\n\n${call(1002)}  \r\n\n\n${call(1003)}`);
    session.child.stdin.end();
    for (const id of ['1001', '1002', '1003']) expect(readText(await session.reply(id))).toBe('{"é":"𝄞∑"}');
    expect(await session.exit()).toEqual({ code: 0, signal: null });
  });

  test('characters and lines cut at every byte', async () => {
    const session = await startRaw();
    const bytes = Buffer.from(`${call(1001)}\n${call(1002)}\n`);
    for (const byte of bytes) {
      session.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const id of ['1001', '1002']) expect(readText(await session.reply(id))).toBe('{"é":"𝄞∑"}');
  });

  test('a byte order mark before the first line of a server, and only there', async () => {
    const session = await startRaw();
    const line = Buffer.from('\u{FEFF}{"jsonrpc":"2.0","method":"notifications/vendor/marked"}\n');
    await session.callText('a:say', { bytes: line.toString('base64') });
    await session.stderrMatches(/\[a\] A line of its stdout was dropped/);
    expect(session.inbox.messages.filter(({ raw: text }) => text.includes('marked'))).toEqual([]);
  });
});
