/** The claim of a request: read from its own `_meta`, and the same object while the client says the same. */
import { expect, test } from 'vitest';
import { Claims } from '../../src/era/claim.ts';
import type { Claim } from '../../src/era/types.ts';
import { declares } from '../../src/protocol/declared.ts';
import { readRequest } from '../support/message.ts';

const VERSION = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"';
const CAPABILITIES = '"io.modelcontextprotocol/clientCapabilities"';

const read = (claims: Claims, meta: string): ReturnType<Claims['read']> =>
  claims.read(readRequest('1', 'tools/list', `{"_meta":{${meta}}}`));

test('a request without a version claims nothing', () => {
  expect(new Claims().read(readRequest('1', 'tools/list'))).toBeUndefined();
  expect(read(new Claims(), `"progressToken":1,${CAPABILITIES}:{}`)).toBeUndefined();
  expect(new Claims().read(readRequest('1', 'tools/list', '{"_meta":7}'))).toBeUndefined();
});

test('a claim has capabilities, as the client wrote them', () => {
  const claim = read(new Claims(), `${VERSION},${CAPABILITIES}:{"sampling":{"n":1.0}}`) as Claim;
  expect(claim.rawCapabilities.toString()).toBe('{"sampling":{"n":1.0}}');
  expect(claim.capabilities).toEqual({ sampling: { n: 1 } });
});

test('what is said of the client is optional', () => {
  const claim = read(new Claims(), `${VERSION},${CAPABILITIES}:{}`) as Claim;
  expect([claim.rawClient, claim.logLevel]).toEqual([undefined, undefined]);
  const meta = `${VERSION},${CAPABILITIES}:{},"io.modelcontextprotocol/clientInfo":{"name":"\\u00e9"},"io.modelcontextprotocol/logLevel":"info"`;
  const whole = read(new Claims(), meta) as Claim;
  expect([whole.rawClient?.toString(), whole.logLevel]).toEqual(['{"name":"\\u00e9"}', 'info']);
});

test('the same claim is the same object, whatever else the request has', () => {
  const claims = new Claims();
  const first = read(claims, `${VERSION},${CAPABILITIES}:{}`);
  expect(read(claims, `${VERSION},${CAPABILITIES}:{}`)).toBe(first);
  expect(read(claims, `"progressToken":3,${VERSION},${CAPABILITIES}:{}`)).toBe(first);
  const other = read(claims, `${VERSION},${CAPABILITIES}:{"roots":{}}`);
  expect(other).not.toBe(first);
  expect(read(claims, `${VERSION},${CAPABILITIES}:{}`)).toEqual(first);
});

test.each([
  ['"io.modelcontextprotocol/protocolVersion":7', -32_602],
  [VERSION, -32_602],
  [`${VERSION},${CAPABILITIES}:[]`, -32_602],
  [`"io.modelcontextprotocol/protocolVersion":"2025-11-25",${CAPABILITIES}:{}`, -32_022],
  [`${VERSION},${CAPABILITIES}:{},"io.modelcontextprotocol/clientInfo":"me"`, -32_602],
  [`${VERSION},${CAPABILITIES}:{},"io.modelcontextprotocol/logLevel":"loud"`, -32_602],
  [`${VERSION},${CAPABILITIES}:{},"io.modelcontextprotocol/logLevel":3`, -32_602],
])('refuses %s', (meta, code) => {
  const claims = new Claims();
  read(claims, `${VERSION},${CAPABILITIES}:{}`);
  expect(read(claims, meta)).toMatchObject({ code });
});

test.each([
  [{ elicitation: {} }, true, false],
  [{ elicitation: { form: {} } }, true, false],
  [{ elicitation: { url: {} } }, false, true],
  [{ elicitation: { form: {}, url: {} } }, true, true],
  [{}, false, false],
  [{ elicitation: null }, false, false],
])('%j can be asked forms: %s, URLs: %s', (capabilities, forms, urls) => {
  expect(declares(capabilities, 'elicitation/create', false)).toBe(forms);
  expect(declares(capabilities, 'elicitation/create', true)).toBe(urls);
});
