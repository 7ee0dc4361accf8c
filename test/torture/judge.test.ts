/** The judge that reads every line on stdout: takes what the schemas take, and refuses the rest. */
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Judge, LENIENT } from '../support/judge.ts';
import { Schema, STATELESS, type Version, VERSIONS } from '../support/schema.ts';
import { readProtocolExamples } from './foreign.ts';

/** A judge that has heard the handshake, or a request without one, and this request with the id 1. */
function makeJudge(version: Version, method: string, rules = {}): Judge {
  const judge = new Judge({ serversAreSane: true, ...rules });
  const meta = version === STATELESS ? { 'io.modelcontextprotocol/protocolVersion': version } : undefined;
  if (meta === undefined) {
    judge.hear('{"jsonrpc":"2.0","id":0,"method":"initialize"}\n');
    const serverInfo = { name: 'x', version: '1' };
    const result = { protocolVersion: version, capabilities: {}, serverInfo };
    expect(judge.findProblem({ jsonrpc: '2.0', id: 0, result })).toBeUndefined();
  }
  judge.hear(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta } })}\n`);
  return judge;
}

const answer = (result: unknown): object => ({ jsonrpc: '2.0', id: 1, result });

test('every example of the schema follows its definition', () => {
  const schema = new Schema(STATELESS);
  const problems = readProtocolExamples().flatMap(({ name, bytes }) => {
    const problem = schema.findProblem(dirname(name), JSON.parse(bytes.toString()));
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
  expect(problems).toEqual([]);
});

describe.each(VERSIONS)('%s', (version) => {
  const whole = version === STATELESS ? { resultType: 'complete', ttlMs: 0, cacheScope: 'public' } : {};
  const tool = { name: 'a:b', inputSchema: { type: 'object' } };

  test('takes what is right', () => {
    const list = answer({ ...whole, tools: [tool] });
    expect(makeJudge(version, 'tools/list').findProblem(list)).toBeUndefined();
    const called = answer({ ...whole, content: [{ type: 'text', text: 'x' }] });
    expect(makeJudge(version, 'tools/call').findProblem(called)).toBeUndefined();
    const error = { jsonrpc: '2.0', error: { code: -32_700, message: 'x' } };
    expect(makeJudge(version, 'tools/call').findProblem(error)).toBeUndefined();
    expect(makeJudge(version, 'vendor/x').findProblem(answer({}))).toBeUndefined();
  });

  test.each<[string, string, object]>([
    ['a tool without a schema', 'tools/list', answer({ ...whole, tools: [{ name: 'x' }] })],
    ['a list of something else', 'tools/list', answer({ ...whole, prompts: [] })],
    ['a text that is none', 'tools/call', answer({ ...whole, content: [{ type: 'text', text: 1 }] })],
    ['a prompt without messages', 'prompts/get', answer({ ...whole, description: 'x' })],
    ['progress without a token', 'x', { jsonrpc: '2.0', method: 'notifications/progress', params: {} }],
    ['an error without a code', 'x', { jsonrpc: '2.0', id: 1, error: { message: 'x' } }],
    ['neither result nor error', 'x', { jsonrpc: '2.0', id: 1 }],
    ['an id that is null', 'x', { jsonrpc: '2.0', id: null, result: {} }],
    ['another protocol', 'x', { jsonrpc: '1.0', id: 1, result: {} }],
  ])('refuses %s', (_, method, message) => {
    expect(makeJudge(version, method).findProblem(message)).toBeDefined();
  });

  test('takes arrays and questions only where the version has them', () => {
    const batch = [answer({ ...whole })];
    const isWrong = makeJudge(version, 'vendor/x').findProblem(batch) !== undefined;
    expect(isWrong).toBe(version !== '2025-03-26');
    const question = { jsonrpc: '2.0', id: 1, method: 'roots/list' };
    expect(makeJudge(version, 'x').findProblem(question) !== undefined).toBe(version === STATELESS);
  });

  test('where servers talk nonsense, only what is ours is judged', () => {
    const judge = makeJudge(version, 'tools/call', LENIENT);
    expect(judge.findProblem(answer({ nonsense: 1 }))).toBeUndefined();
    expect(judge.findProblem({ jsonrpc: '2.0', id: 1, method: 1 })).toBeDefined();
    const method = version === STATELESS ? 'server/discover' : 'ping';
    expect(makeJudge(version, method, LENIENT).findProblem(answer([]))).toBeDefined();
  });
});
