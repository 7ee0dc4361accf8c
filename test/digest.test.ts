import * as fc from './support/properties.ts';
import { expect, test } from 'vitest';
import { digest, longDigest } from '../src/digest.ts';

test('gives the values that FNV-1a is known by', () => {
  expect(digest('')).toBe('811c9dc5');
  expect(digest('a')).toBe('e40c292c');
  expect(digest('foobar')).toBe('bf9cf968');
});

test('is as long for every text, and safe in a file name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(longDigest(text)).toMatch(/^[0-9a-f]{16}$/);
      expect(longDigest(text)).toBe(longDigest(text));
    }),
  );
});

test('is another for every text that differs in little', () => {
  const seen = new Set<string>();
  for (let number = 0; number < 50_000; number += 1)
    seen.add(longDigest(`["node",["server.js","${number}"]]`));
  expect(seen.size).toBe(50_000);
});
