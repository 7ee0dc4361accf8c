/** What JSON-RPC 2.0 says about requests, as lines of a client and the answers they get; written for this suite. */

export interface RpcCase {
  readonly name: string;
  readonly line: string;
  /** The answer's id, raw, and its error code; no answer at all when absent. */
  readonly answer?: { readonly id: string | undefined; readonly code?: number };
}

const ping = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

/** Ids as they may be, each of which comes back as it was written. */
const IDS = [
  [
    '0',
    '1',
    '-1',
    '9007199254740993',
    '123456789012345678901234567890',
    '1.0',
    '1e3',
    '1E+3',
    '-0',
    '-0.0',
    '0.1',
  ],
  [
    '1e400',
    '""',
    '"a"',
    '"1"',
    '" "',
    '"null"',
    '"\\u0061"',
    '"é"',
    '"𝄞"',
    '"\\ud800"',
    '"\\""',
    '"\\\\"',
    '"\\u0000"',
  ],
  [`"${'x'.repeat(5000)}"`, '"aggregator/1"', '"aggregator/call/1"', '"__proto__"', '"constructor"'],
].flat();
/** Ids as they may not be: refused, and not repeated, because clients cannot read them. */
const WRONG_IDS = ['null', 'true', 'false', '{}', '[]', '[1]', '{"a":1}'];

export const RPC_CASES: readonly RpcCase[] = [
  ...IDS.map((id) => ({ name: `the id ${id.slice(0, 40)}`, line: ping(id), answer: { id } })),
  ...WRONG_IDS.map((id) => ({
    name: `the id ${id}`,
    line: ping(id),
    answer: { id: undefined, code: -32_600 },
  })),
  ...WRONG_IDS.map((id) => ({
    name: `the id ${id} without a method`,
    line: `{"jsonrpc":"2.0","id":${id},"params":{}}`,
    answer: { id: undefined, code: -32_600 },
  })),
  ...WRONG_IDS.map((id) => ({
    name: `the id ${id} and two methods`,
    line: `{"jsonrpc":"2.0","id":${id},"method":"ping","method":"ping"}`,
    answer: { id: undefined, code: -32_600 },
  })),
  { name: 'a notification', line: '{"jsonrpc":"2.0","method":"notifications/vendor/foobar"}' },
  { name: 'a notification with params', line: '{"jsonrpc":"2.0","method":"update","params":{"a":[1,2,3]}}' },
  {
    name: 'a method that does not exist',
    line: '{"jsonrpc":"2.0","method":"foobar","id":"1"}',
    answer: { id: '"1"', code: -32_601 },
  },
  {
    name: 'members in another order, with spaces',
    line: ' { "id" : 7 , "method" : "ping" , "params" : { } , "jsonrpc" : "2.0" } \r',
    answer: { id: '7' },
  },
  {
    name: 'members that nobody knows',
    line: '{"jsonrpc":"2.0","id":8,"method":"ping","extra":[{}]}',
    answer: { id: '8' },
  },
  {
    name: 'JSON that is cut',
    line: '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
    answer: { id: undefined, code: -32_700 },
  },
  {
    name: 'a method that is a number',
    line: '{"jsonrpc":"2.0","id":9,"method":1,"params":"bar"}',
    answer: { id: '9', code: -32_600 },
  },
  { name: 'no method', line: '{"jsonrpc":"2.0","id":10}', answer: { id: '10', code: -32_600 } },
  { name: 'no version', line: '{"id":11,"method":"ping"}', answer: { id: '11', code: -32_600 } },
  {
    name: 'version 1.0',
    line: '{"jsonrpc":"1.0","id":12,"method":"ping"}',
    answer: { id: '12', code: -32_600 },
  },
  { name: 'version 2', line: '{"jsonrpc":2.0,"id":13,"method":"ping"}', answer: { id: '13', code: -32_600 } },
  {
    name: 'params by position',
    line: '{"jsonrpc":"2.0","id":14,"method":"tools/list","params":[42,23]}',
    answer: { id: '14', code: -32_602 },
  },
  {
    name: 'params that are a text',
    line: '{"jsonrpc":"2.0","id":15,"method":"tools/call","params":"bar"}',
    answer: { id: '15', code: -32_602 },
  },
  {
    name: 'an id twice',
    line: '{"jsonrpc":"2.0","id":16,"method":"ping","id":17}',
    answer: { id: '16', code: -32_600 },
  },
  { name: 'a text', line: '"ping"', answer: { id: undefined, code: -32_600 } },
  { name: 'a number', line: '1', answer: { id: undefined, code: -32_600 } },
  { name: 'null', line: 'null', answer: { id: undefined, code: -32_600 } },
  { name: 'an empty object', line: '{}', answer: { id: undefined, code: -32_600 } },
  { name: 'an empty batch', line: '[]', answer: { id: undefined, code: -32_600 } },
  { name: 'a batch of numbers', line: '[1,2,3]', answer: { id: undefined, code: -32_600 } },
  { name: 'a batch', line: `[${ping('18')},${ping('19')}]`, answer: { id: undefined, code: -32_600 } },
  {
    name: 'a batch that is cut',
    line: `[${ping('20')},{"jsonrpc"]`,
    answer: { id: undefined, code: -32_700 },
  },
  { name: 'an answer that nobody waits for', line: '{"jsonrpc":"2.0","id":1,"result":{}}' },
  {
    name: 'an error that nobody waits for',
    line: '{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}',
  },
];
