/** Members put into and taken out of objects: what comes out is JSON, and has what it should have. */
import * as fc from '../support/properties.ts';
import { expect, test } from 'vitest';
import { insertMembers, insertMeta, removeMembers } from '../../src/era/members.ts';
import { splice } from '../../src/wire/splice.ts';

/** Without backslashes: after a name that is one, JSON.parse of Node.js 24 and 26 misreads others (nodejs/node#63785). */
const names = fc.string().filter((name) => !name.includes('\\'));
const objects = fc.dictionary(names, fc.jsonValue(), { maxKeys: 6 });
const spaces = fc.constantFrom(0, 1, 2);

const write = (value: object, space: number): Buffer =>
  Buffer.from(JSON.stringify(value, undefined, space).replaceAll('\n', ' '));
const whole = (bytes: Buffer): { start: number; end: number } => ({ start: 0, end: bytes.length });

test('taking members out leaves the others', () => {
  fc.assert(
    fc.property(objects, spaces, fc.func(fc.boolean()), (object, space, isOut) => {
      const bytes = write(object, space);
      const left = Buffer.concat(splice([bytes], removeMembers(bytes, whole(bytes), isOut)));
      // What the bytes mean: a name like "__proto__" is a member as any other there.
      const meant = JSON.parse(bytes.toString()) as object;
      const expected = Object.fromEntries(Object.entries(meant).filter(([name]) => !isOut(name)));
      expect(JSON.parse(left.toString())).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
  );
});

test('members go to the front', () => {
  fc.assert(
    fc.property(objects, spaces, (object, space) => {
      const bytes = write(object, space);
      const text = Buffer.concat(splice([bytes], [insertMembers(bytes, whole(bytes), '"\\u0000new":1')]));
      expect(JSON.parse(text.toString())).toEqual({
        '\u0000new': 1,
        ...(JSON.parse(bytes.toString()) as object),
      });
    }),
  );
});

test('a member of _meta takes the place of one of its name, and no other', () => {
  fc.assert(
    fc.property(objects, fc.option(objects), spaces, (object, meta, space) => {
      const bytes = write(meta === null ? object : { ...object, _meta: meta }, space);
      const text = Buffer.concat(splice([bytes], insertMeta(bytes, whole(bytes), { a: '1', b: '{"é":2}' })));
      const parsed = JSON.parse(text.toString()) as { _meta: object };
      const before = JSON.parse(bytes.toString()) as { _meta?: unknown };
      if (typeof before._meta === 'object' && before._meta !== null && !Array.isArray(before._meta))
        expect(parsed._meta).toEqual({ ...before._meta, a: 1, b: { é: 2 } });
    }),
  );
});
