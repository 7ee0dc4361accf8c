import * as fc from '../support/properties.ts';
import { expect, it } from 'vitest';
import { splice } from '../../src/wire/splice.ts';

it('puts other bytes in the place of spans and leaves the rest, however the line is cut', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat(), fc.nat(), fc.string(), (text, a, b, c, other) => {
      const bytes = Buffer.from(text);
      const [start = 0, middle = 0, end = 0] = [a, b, c]
        .map((n) => n % (bytes.length + 1))
        .toSorted((x, y) => x - y);
      const splices = [
        { span: { start, end: start }, bytes: Buffer.from('<>') },
        { span: { start: middle, end }, bytes: Buffer.from(other) },
      ];
      // Of two that only put in at the same place the order is the caller's; otherwise it must not matter.
      if (start < middle || middle < end) splices.reverse();
      const expected = Buffer.concat([
        bytes.subarray(0, start),
        Buffer.from('<>'),
        bytes.subarray(start, middle),
        Buffer.from(other),
        bytes.subarray(end),
      ]);
      const pieces = [bytes.subarray(0, middle), bytes.subarray(middle)];
      expect(Buffer.concat([...splice(pieces, splices)]).equals(expected)).toBe(true);
    }),
  );
});
