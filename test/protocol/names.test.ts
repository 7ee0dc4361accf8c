/** How a key and a name become one, in both forms. */
import * as fc from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { chooseNaming, mayBelongTo, qualify, qualifyStrictly } from '../../src/protocol/names.ts';

const free = (): boolean => false;
/** Long, empty, of any script, and full of what joins and replaces: all that tends to end up the same. */
const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: fc.constantFrom('a', '_', '-', ':', '.', ' ', 'ü'), maxLength: 70 }),
);

describe('choosing how names are written', () => {
  test.each([
    [undefined, undefined, { separator: ':', isStrict: false }],
    ['some-client', undefined, { separator: ':', isStrict: false }],
    ['claude-ai', undefined, { separator: ':', isStrict: true }],
    ['claude-ai', '.', { separator: '.', isStrict: false }],
    [undefined, '__', { separator: '__', isStrict: false }],
  ])('for the client %s and the separator %s', (client, separator, naming) => {
    expect(chooseNaming(client, separator)).toEqual(naming);
  });
});

test('a qualified name is key, separator and name, whatever is in them', () => {
  expect(qualify('a:b', 'c:d', ':')).toBe('a:b:c:d');
  expect(qualify('', '', '__')).toBe('__');
});

describe('a strict name', () => {
  test.each([
    ['github', 'create_issue', 'github__create_issue'],
    ['my server', 'a/b.c', 'my_server__a_b_c'],
    ['ünï', 'x:y', '_n___x_y'],
  ])('of "%s" and "%s" is readable', (key, name, expected) => {
    expect(qualifyStrictly(key, name, free)).toBe(expected);
  });

  test('has only what strict clients take, and is always another', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyName, anyName), { maxLength: 30 }), (pairs) => {
        const taken = new Set<string>();
        for (const [key, name] of pairs) {
          const strict = qualifyStrictly(key, name, (candidate) => taken.has(candidate));
          expect(strict).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(taken.has(strict)).toBe(false);
          taken.add(strict);
        }
      }),
    );
  });

  test('that is too long keeps its beginning and differs from others that begin alike', () => {
    const long = 'x'.repeat(100);
    const names = ['one', 'two'].map((end) => qualifyStrictly('key', long + end, free));
    expect(new Set(names).size).toBe(2);
    for (const name of names) {
      expect(name).toHaveLength(64);
      expect(name).toMatch(/^key__x+_[0-9a-f]{8}$/);
    }
  });

  test('is the same every time', () => {
    fc.assert(
      fc.property(anyName, anyName, (key, name) => {
        expect(qualifyStrictly(key, name, free)).toBe(qualifyStrictly(key, name, free));
      }),
    );
  });
});

describe('whose a name may be', () => {
  test('is never denied to its owner, in either form', () => {
    const key = fc.oneof(
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.string({ minLength: 50, maxLength: 90 }),
    );
    const separator = fc.constantFrom(':', '__', '.', '::');
    fc.assert(
      fc.property(key, anyName, separator, fc.nat(3), (owner, name, join, collisions) => {
        let left = collisions;
        const strict = qualifyStrictly(owner, name, () => left-- > 0);
        expect(mayBelongTo(owner, qualify(owner, name, join), join)).toBe(true);
        expect(mayBelongTo(owner, strict, join)).toBe(true);
      }),
    );
  });

  test('is denied to those whose key it does not begin with', () => {
    expect(mayBelongTo('git', 'github:x', ':')).toBe(false);
    expect(mayBelongTo('git', 'x', ':')).toBe(false);
  });
});
