import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { StderrReader } from '../../src/process/stderr.ts';
import { ManualClock } from '../support/manual-clock.ts';
import * as fc from '../support/properties.ts';

const KIB = 1024;
const CUT = ' … (line cut at 8 KiB)';

function open(): { reader: StderrReader; lines: string[]; clock: ManualClock } {
  const lines: string[] = [];
  const clock = new ManualClock();
  return { reader: new StderrReader({ onLine: (line) => lines.push(line), clock }), lines, clock };
}

function read(...chunks: (string | Uint8Array)[]): string[] {
  const { reader, lines } = open();
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.flush();
  return lines;
}

describe('cutting stderr into lines', () => {
  it('gives out each line once it has ended', () => {
    const { reader, lines } = open();
    reader.push(Buffer.from('one\ntwo\nthr'));
    expect(lines).toEqual(['one', 'two']);
    reader.push(Buffer.from('ee\n'));
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('gives out a last line without an end when it is flushed, and only once', () => {
    const { reader, lines } = open();
    reader.push(Buffer.from('Error: no token'));
    expect(lines).toEqual([]);
    reader.flush();
    reader.flush();
    expect(lines).toEqual(['Error: no token']);
  });

  it('keeps empty lines', () => {
    expect(read('\n\na\n\n')).toEqual(['', '', 'a', '']);
  });

  it('takes CRLF for one end of a line, wherever the chunks meet', () => {
    expect(read('a\r\nb\r', '\nc', '\r\r\nd\r\n')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('shows of a progress bar what a terminal would show last', () => {
    expect(read('10%\r50%', '\r', '100%', '\r', 'done\r\n', 'next\n')).toEqual(['done', 'next']);
  });

  it('puts characters together that arrive in pieces, and survives bytes that are none', () => {
    const text = Buffer.from('grüße 🎉\n');
    expect(read(...Array.from(text, (byte) => Uint8Array.of(byte)))).toEqual(['grüße 🎉']);
    expect(read(Uint8Array.of(0x61, 0xff, 0x0a))).toEqual(['a\ufffd']);
  });

  it('gives the same lines however the bytes are cut', () => {
    const piece = fc.constantFrom('a', 'é', '🎉', ' ', '\r', '\n', '\r\n', 'x'.repeat(5000));
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join('')));
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (bytes, numbers) => {
        const cuts = numbers.map((number) => number % (bytes.length + 1)).sort((a, b) => a - b);
        const ends = [...cuts, bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(read(...chunks)).toEqual(read(bytes));
      }),
    );
  });
});

describe('the longest line', () => {
  it('is passed whole at 8 KiB and cut beyond', () => {
    const full = 'x'.repeat(8 * KIB);
    expect(read(`${full}\n`, `${full}y\n`)).toEqual([full, full + CUT]);
  });

  it('is cut in front of a character that does not fit', () => {
    const start = 'x'.repeat(8 * KIB - 1);
    expect(read(`${start}é tail\nnext\n`)).toEqual([start + CUT, 'next']);
  });

  it('costs no memory beyond its beginning, and the next line arrives', () => {
    const { reader, lines } = open();
    const chunk = Buffer.alloc(64 * KIB, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 1600; count += 1) reader.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * KIB * KIB);
    reader.push(Buffer.from('\nnext\n'));
    expect(lines).toEqual(['x'.repeat(8 * KIB) + CUT, 'next']);
  });

  it('starts over at a carriage return even past its limit', () => {
    expect(read('x'.repeat(9 * KIB), '\rshort\n')).toEqual(['short']);
  });
});

describe('a flood', () => {
  const line = Buffer.from(`${'x'.repeat(KIB - 1)}\n`);

  it('is let through up to 64 KiB in a second, and what was dropped is told when the second is over', () => {
    const { reader, lines, clock } = open();
    for (let count = 0; count < 100; count += 1) reader.push(line);
    expect(lines).toHaveLength(64);
    clock.advance(999);
    expect(lines).toHaveLength(64);
    clock.advance(1);
    expect(lines.slice(64)).toEqual([`… ${36 * KIB} bytes of stderr dropped`]);
  });

  it('leaves no gaps: after a line that did not fit, a short one waits for the next second too', () => {
    const { reader, lines, clock } = open();
    for (let count = 0; count < 65; count += 1) reader.push(line);
    reader.push(Buffer.from('short\n'));
    expect(lines).toHaveLength(64);
    clock.advance(1000);
    reader.push(Buffer.from('after\n'));
    expect(lines.slice(64)).toEqual([`… ${KIB + 6} bytes of stderr dropped`, 'after']);
  });

  it('tells what was dropped before the lines of the next second even if no timer has run', () => {
    const lines: string[] = [];
    let now = 0;
    const clock: Clock = { now: () => now, later: () => () => {} };
    const reader = new StderrReader({ onLine: (text) => lines.push(text), clock });
    for (let count = 0; count < 66; count += 1) reader.push(line);
    now = 1500;
    reader.push(Buffer.from('after\n'));
    expect(lines.slice(64)).toEqual([`… ${2 * KIB} bytes of stderr dropped`, 'after']);
  });

  it('is told at once when the child ends, and leaves no timer behind', () => {
    const { reader, lines, clock } = open();
    for (let count = 0; count < 70; count += 1) reader.push(line);
    expect(clock.pending).toBe(1);
    reader.flush();
    expect(lines.at(-1)).toBe(`… ${6 * KIB} bytes of stderr dropped`);
    expect(clock.pending).toBe(0);
  });

  it('says nothing when nothing was dropped', () => {
    const { reader, lines, clock } = open();
    for (let count = 0; count < 64; count += 1) reader.push(line);
    clock.advance(1000);
    for (let count = 0; count < 64; count += 1) reader.push(line);
    reader.flush();
    expect(lines).toHaveLength(128);
  });
});

describe('the last lines', () => {
  it('are the last twenty', () => {
    const { reader } = open();
    for (let count = 1; count <= 25; count += 1) reader.push(Buffer.from(`line ${count}\n`));
    expect(reader.tail()).toHaveLength(20);
    expect(reader.tail()[0]).toBe('line 6');
    expect(reader.tail().at(-1)).toBe('line 25');
  });

  it('hold the line that has no end yet, which stays to be given out', () => {
    const { reader, lines } = open();
    for (let count = 1; count <= 20; count += 1) reader.push(Buffer.from(`line ${count}\n`));
    reader.push(Buffer.from('Password:'));
    expect(reader.tail()).toHaveLength(20);
    expect(reader.tail().at(-1)).toBe('Password:');
    reader.push(Buffer.from(' thanks\n'));
    expect(lines.at(-1)).toBe('Password: thanks');
  });

  it('hold also what a flood kept from being given out', () => {
    const { reader, lines } = open();
    for (let count = 0; count < 100; count += 1) reader.push(Buffer.from(`${'x'.repeat(KIB)}\n`));
    reader.push(Buffer.from('fatal: the reason\n'));
    expect(lines).not.toContain('fatal: the reason');
    expect(reader.tail().at(-1)).toBe('fatal: the reason');
  });

  it('cannot be changed from outside', () => {
    const { reader } = open();
    reader.push(Buffer.from('one\n'));
    reader.tail().push('two');
    expect(reader.tail()).toEqual(['one']);
  });
});

describe('a real child', () => {
  it('that floods stderr is drained to its end, and its last words are kept', async () => {
    const script = `for (let i = 0; i < 2000; i++) process.stderr.write('noise '.repeat(200) + '\\n');
      process.stderr.write('fatal: no database', () => process.exit(3))`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'pipe'] });
    const lines: string[] = [];
    const reader = new StderrReader({ onLine: (line) => lines.push(line) });
    child.stderr.on('data', (chunk: Buffer) => reader.push(chunk));
    const [code] = await once(child, 'close');
    reader.flush();
    expect(code).toBe(3);
    expect(lines.some((line) => /^… \d+ bytes of stderr dropped$/.test(line))).toBe(true);
    expect(reader.tail().at(-1)).toBe('fatal: no database');
  });
});
