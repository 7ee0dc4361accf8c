import * as fc from '../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { Envelope } from '../../src/wire/envelope.ts';
import { LineReader } from '../../src/wire/lines.ts';
import { failure } from '../../src/wire/messages.ts';
import { Pieces } from '../../src/wire/pieces.ts';

describe('the pieces of a line', () => {
  it('are the same bytes in the same order, and few, however the line is cut', () => {
    const lengths = fc.array(fc.oneof(fc.constant(1), fc.nat({ max: 50 }), fc.constant(20_000)), {
      minLength: 1,
      maxLength: 5000,
      size: 'max',
    });
    fc.assert(
      fc.property(lengths, (all) => {
        const given = all.map((length, n) => Buffer.alloc(length, n));
        const pieces = new Pieces();
        for (const piece of given) pieces.add(piece);
        const taken = pieces.take();
        expect(Buffer.concat(taken).equals(Buffer.concat(given))).toBe(true);
        expect(taken.length).toBeLessThan(1024 + all.length / 100);
        expect(pieces.all).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('stay as they are when they are long', () => {
    const pieces = new Pieces();
    const piece = Buffer.alloc(64 * 1024);
    for (let n = 0; n < 3000; n += 1) pieces.add(piece);
    expect(pieces.all).toHaveLength(3000);
    expect(pieces.all.every((one) => one === piece)).toBe(true);
  });
});

function readOne(pieces: readonly Buffer[]): Envelope {
  const read: Envelope[] = [];
  const reader = new LineReader({ onMessage: (message) => void read.push(message), onMalformed() {} });
  for (const piece of pieces) reader.push(piece);
  if (read[0] === undefined) throw new Error('Not read');
  return read[0];
}

describe('a line that comes in drops', () => {
  it('can be passed on in one call', () => {
    const line = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(300_000)}"}\n`);
    const message = readOne(Array.from(line, (_, at) => line.subarray(at, at + 1)));
    const count = (...pieces: readonly Buffer[]): number => pieces.length;
    expect(count(...message.pieces)).toBeLessThan(10_000);
    expect(message.line.equals(line)).toBe(true);
  });

  it('has a name in it that is as long as a document, which is nobody’s', () => {
    const key = Buffer.alloc(64 * 1024, 'k');
    const keys = Array.from({ length: 500 }, () => key);
    const message = readOne([Buffer.from('{"id":7,"'), ...keys, Buffer.from('":1,"method":"m"}\n')]);
    expect([message.id, message.method]).toEqual(['7', 'm']);
  });

  it.each([1, 2, 5, 100])('has its names found although they are cut every %i bytes', (length) => {
    const line = Buffer.from('{"\\u0069d":7,"meth\\u006fd":"m","params":{"na\\u006de":"x"}}\n');
    const cuts = Array.from({ length: Math.ceil(line.length / length) }, (_, n) =>
      line.subarray(n * length, (n + 1) * length),
    );
    const message = readOne(cuts);
    expect([message.id, message.method, message.string(message.param('name'))]).toEqual(['7', 'm', 'x']);
  });
});

describe('a byte order mark', () => {
  it('is taken off the first line however it is cut', () => {
    const line = Buffer.from('{"id":1}\n');
    const stream = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), line]);
    for (let at = 0; at <= stream.length; at += 1) {
      const message = readOne([stream.subarray(0, at), stream.subarray(at)]);
      expect(message.line.equals(line)).toBe(true);
    }
    expect(readOne(Array.from(stream, (byte) => Buffer.from([byte]))).line.equals(line)).toBe(true);
  });

  it('that is not whole makes the line wrong', () => {
    for (const bytes of [[0xef], [0xef, 0xbb]]) {
      expect(() => readOne([Buffer.from(bytes), Buffer.from('{"id":1}\n')])).toThrow('Not read');
    }
  });
});

describe('an error', () => {
  it.each(['null', 'true', '{}', '[1]', undefined])('has no id where that is %s', (id) => {
    expect(failure(id, { code: 1, message: 'm' }).toString()).toBe(
      '{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}\n',
    );
  });

  it.each(['1', '-0.5', '"a"'])('has the id %s as it is written', (id) => {
    expect(failure(id, { code: 1, message: 'm' }).toString()).toContain(`"id":${id},`);
  });
});
