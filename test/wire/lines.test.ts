import * as fc from '../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { Envelope, type Malformed } from '../../src/wire/envelope.ts';
import { LineReader } from '../../src/wire/lines.ts';

function readAll(chunks: readonly Buffer[], limit?: number): (Envelope | Malformed)[] {
  const lines: (Envelope | Malformed)[] = [];
  const add = (line: Envelope | Malformed): void => void lines.push(line);
  const reader = new LineReader({ onMessage: add, onMalformed: add }, limit);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

/** The bytes cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
    (a, b) => a - b,
  );
  // Copies, so that every chunk has an alignment of its own.
  return sorted.slice(1).map((end, index) => Buffer.from(bytes.subarray(sorted[index], end)));
}

function readOne(text: string | Buffer): Envelope {
  const [line] = readAll([Buffer.from(text)]);
  if (!(line instanceof Envelope)) throw new Error(`Not read: ${JSON.stringify(line)}`);
  return line;
}

function readMalformed(text: string | Buffer, limit?: number): Malformed {
  const [line] = readAll([Buffer.from(text)], limit);
  if (line === undefined || line instanceof Envelope) throw new Error('It was read');
  return line;
}

const places = fc.array(fc.nat(), { maxLength: 6 });

describe('reading lines', () => {
  it('gives every line back in its own bytes, however the stream is cut', () => {
    const message = fc.record({ id: fc.integer(), method: fc.string(), params: fc.object() });
    fc.assert(
      fc.property(fc.array(message), places, (messages, at) => {
        const lines = messages.map((one) => `${JSON.stringify(one)}\n`);
        const read = readAll(cut(Buffer.from(lines.join('')), at));
        expect(read.map((line) => Buffer.concat([...(line as Envelope).pieces]).toString())).toEqual(lines);
      }),
    );
  });

  it('finds the same id, method, params, result and error that a parser finds', () => {
    const members = fc.record(
      {
        id: fc.oneof(fc.integer(), fc.string()),
        method: fc.string(),
        params: fc.object(),
        result: fc.jsonValue(),
        error: fc.jsonValue(),
        other: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(members, places, (object, at) => {
        const [message] = readAll(cut(Buffer.from(`${JSON.stringify(object)}\n`), at));
        if (!(message instanceof Envelope)) throw new Error('Not read');
        const value = (span: typeof message.params): unknown => span && message.value(span);
        expect(message.method).toBe(object.method);
        expect(message.id).toBe(
          object.id === undefined ? undefined : Buffer.from(JSON.stringify(object.id)).toString('latin1'),
        );
        for (const name of ['params', 'result', 'error'] as const) {
          expect(JSON.stringify(value(message[name]))).toBe(JSON.stringify(object[name]));
        }
      }),
    );
  });

  it('accepts exactly what JSON.parse accepts', () => {
    const json = fc.json().map((text) => `{"result":${text}}`);
    const alphabet = fc.constantFrom(...Array.from('{}[]",:\\ \t0123456789.-+eEtrufalsn/bx\u0001\u007Fé𝄞'));
    const broken = fc
      .tuple(json, fc.nat(), fc.array(alphabet, { maxLength: 3 }), fc.nat({ max: 3 }))
      .map(([text, at, inserted, removed]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + inserted.join('') + text.slice(place + removed);
      });
    fc.assert(
      fc.property(fc.oneof(json, broken), places, (text, at) => {
        const [line] = readAll(cut(Buffer.from(`${text}\n`), at));
        expect(isJson(text)).toBe(
          line === undefined ? false : line instanceof Envelope || line.problem !== 'json',
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('finds quotes, escapes and control characters at every place of a long text', () => {
    for (let length = 40; length < 72; length += 1) {
      const before = 'é'.repeat(3) + 'x'.repeat(length);
      for (const odd of ['\\"', '\\\\', '\\u0041', '\u0001', '"']) {
        const text = `{"result":"${before}${odd}${'y'.repeat(length)}"}`;
        const [line] = readAll([Buffer.from(`${text}\n`)]);
        expect(line instanceof Envelope).toBe(isJson(text));
      }
    }
  });

  it('ignores blank lines and one byte order mark, and takes carriage returns', () => {
    const lines = readAll([Buffer.from('\u{FEFF}{"id":1}\r\n\n  \r\n{"id":2}\r\n')]);
    expect(lines.map((line) => line.id)).toEqual(['1', '2']);
  });

  it('gives the last line out although it has no newline', () => {
    expect(readOne('{"id":1}').pieces.at(-1)?.toString()).toBe('\n');
  });

  it('passes a hundred thousand levels of nesting', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(readOne(`{"id":1,"result":${deep}}\n`).id).toBe('1');
  });

  it('checks UTF-8 across pieces', () => {
    const text = Buffer.from('{"result":"a é ∑ 𝄞 z"}\n');
    for (let at = 0; at < text.length; at += 1) {
      expect(readAll([Buffer.from(text.subarray(0, at)), Buffer.from(text.subarray(at))])[0]).toBeInstanceOf(
        Envelope,
      );
    }
    for (const bytes of [[0xc3], [0xff], [0xe2, 0x88], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const line = Buffer.concat([
        Buffer.from('{"id":7,"result":"'),
        Buffer.from(bytes),
        Buffer.from('"}\n'),
      ]);
      for (let at = 0; at < line.length; at += 1) {
        expect(readAll([Buffer.from(line.subarray(0, at)), Buffer.from(line.subarray(at))])[0]).toMatchObject(
          {
            problem: 'json',
            id: '7',
          },
        );
      }
    }
  });
});

describe('a line that is no message', () => {
  it('is told apart: not JSON, a batch, not an object', () => {
    expect(readMalformed('oops\n').problem).toBe('json');
    expect(readMalformed('[{"id":1}]\n').problem).toBe('batch');
    expect(readMalformed('"text"\n').problem).toBe('shape');
  });

  it('is refused when a member that routing needs stands twice, however it is spelled', () => {
    expect(readMalformed('{"id":1,"method":"a","id":2}\n')).toMatchObject({ problem: 'shape' });
    expect(readMalformed('{"id":1,"params":{"name":"a","n\\u0061me":"b"}}\n').detail).toContain('"name"');
  });

  it('names the request that it was the answer to, wherever its id stands', () => {
    expect(readMalformed('{"jsonrpc":"2.0","id":5,"result":{oops}}\n').id).toBe('5');
    expect(readMalformed('{"result":{oops},"jsonrpc":"2.0","id":"a"}\n').id).toBe('"a"');
  });

  it('is thrown away beyond the limit, and only that line', () => {
    const long = `{"result":"${'x'.repeat(20_000)}","jsonrpc":"2.0","id":3}\n`;
    const [first, second] = readAll(cut(Buffer.from(`${long}{"id":4}\n`), [5000, 9000, 15_000]), 10_000);
    expect(first).toMatchObject({ problem: 'length', id: '3' });
    expect(second?.id).toBe('4');
    expect(readMalformed(`{"id":9,"result":"${'x'.repeat(20_000)}"}\n`, 10_000).id).toBeUndefined();
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
