/** Writes of one turn leave together, in order, and what is waiting is known. */
import { PassThrough } from 'node:stream';
import * as fc from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { Outlet, type Writable } from '../../src/wire/outlet.ts';

/** Notes every call, and takes nothing off the pile until it is told to. */
class Target implements Writable {
  readonly calls: (Buffer | 'cork' | 'uncork')[] = [];
  writableLength = 0;

  write(bytes: Buffer): boolean {
    this.calls.push(bytes);
    this.writableLength += bytes.length;
    return false;
  }

  cork(): void {
    this.calls.push('cork');
  }

  uncork(): void {
    this.calls.push('uncork');
  }

  get written(): Buffer[] {
    return this.calls.filter((call): call is Buffer => call instanceof Buffer);
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('an outlet', () => {
  test('writes nothing before the turn is over, then everything at once', async () => {
    const target = new Target();
    const outlet = new Outlet(target);
    outlet.push(Buffer.from('one '), Buffer.from('two '));
    outlet.push(Buffer.from('three'));
    expect(target.calls).toEqual([]);
    await nextTurn();
    expect(target.calls.map(String)).toEqual(['one two three']);
  });

  test('hands a single piece on without copying it', async () => {
    const target = new Target();
    const piece = Buffer.from('whole');
    new Outlet(target).push(piece);
    await nextTurn();
    expect(target.calls[0]).toBe(piece);
  });

  test('does not copy long pieces together, and still has them leave together', async () => {
    const target = new Target();
    const pieces = [Buffer.from('head'), Buffer.alloc(1024 * 1024, 'x'), Buffer.from('tail')];
    new Outlet(target).push(...pieces);
    await nextTurn();
    expect(target.calls).toHaveLength(5);
    expect([target.calls[0], target.calls[4]]).toEqual(['cork', 'uncork']);
    target.written.forEach((piece, index) => expect(piece).toBe(pieces[index]));
  });

  test('can be made to write at once, and then does not write again', async () => {
    const target = new Target();
    const outlet = new Outlet(target);
    outlet.push(Buffer.from('now'));
    outlet.flush();
    outlet.flush();
    await nextTurn();
    expect(target.calls.map(String)).toEqual(['now']);
  });

  test('counts what it holds and what the stream has not passed on', async () => {
    const target = new Target();
    const outlet = new Outlet(target);
    expect(outlet.waitingBytes).toBe(0);
    outlet.push(Buffer.alloc(10));
    expect(outlet.waitingBytes).toBe(10);
    await nextTurn();
    outlet.push(Buffer.alloc(5));
    expect(outlet.waitingBytes).toBe(15);
    target.writableLength = 0;
    expect(outlet.waitingBytes).toBe(5);
    outlet.flush();
  });

  test('loses, repeats and reorders nothing, whatever is pushed and whenever the turn ends', async () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 20 }).map((text) => Buffer.from(text)),
      fc
        .tuple(fc.nat(255), fc.integer({ min: 30_000, max: 90_000 }))
        .map(([byte, size]) => Buffer.alloc(size, byte)),
    );
    const step = fc.oneof(
      fc.array(piece, { maxLength: 4 }),
      fc.constant('turn' as const),
      fc.constant('flush' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const [target, pushed]: [Target, Buffer[]] = [new Target(), []];
        const outlet = new Outlet(target);
        for (const action of steps) {
          if (action === 'turn') await nextTurn();
          else if (action === 'flush') outlet.flush();
          else {
            pushed.push(...action);
            outlet.push(...action);
          }
          expect(outlet.waitingBytes).toBe(pushed.reduce((sum, { length }) => sum + length, 0));
        }
        await nextTurn();
        expect(Buffer.concat(target.written).equals(Buffer.concat(pushed))).toBe(true);
        const corks = target.calls.filter((call) => typeof call === 'string');
        expect(corks).toEqual(corks.map((_, index) => (index % 2 === 0 ? 'cork' : 'uncork')));
      }),
      { numRuns: 50 },
    );
  });

  test('fills a real stream', async () => {
    const stream = new PassThrough();
    const outlet = new Outlet(stream);
    outlet.push(Buffer.from('a'), Buffer.alloc(100_000, 'b'), Buffer.from('c'));
    outlet.flush();
    stream.end();
    const chunks = await stream.toArray();
    expect(Buffer.concat(chunks).toString()).toBe(`a${'b'.repeat(100_000)}c`);
  });
});
