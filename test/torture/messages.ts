/** One of each message that the two sides say, for spoiling. */

const line = (message: object): Buffer => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
const raw = (text: string): Buffer => Buffer.from(text);

const KEY = 'io.modelcontextprotocol/';

/** What every request says where there is no handshake. */
export const STATELESS_META: Readonly<Record<string, unknown>> = {
  [`${KEY}protocolVersion`]: '2026-07-28',
  [`${KEY}clientInfo`]: { name: 'arena', version: '1' },
  [`${KEY}clientCapabilities`]: { elicitation: { form: {} }, sampling: {}, roots: {} },
};

const stateless = (id: number, method: string, params: object = {}): Buffer =>
  line({ id, method, params: { ...params, _meta: STATELESS_META } });

export const STATELESS_CLIENT_LINES: readonly Buffer[] = [
  stateless(1, 'server/discover'),
  stateless(2, 'tools/list'),
  stateless(3, 'tools/call', { name: 'a:echo', arguments: { text: 'é 𝄞 \\ "' } }),
  stateless(4, 'tools/call', { name: 'a:echo', requestState: 'opaque', inputResponses: { x: {} } }),
  stateless(5, 'tools/call', { name: 'a:echo', requestState: 'aggregator-1', inputResponses: {} }),
  stateless(6, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
  stateless(7, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['file:///a'] } }),
  stateless(8, 'resources/read', { uri: 'file:///a' }),
  stateless(9, 'tasks/get', { taskId: 'a:1' }),
  line({ id: 10, method: 'tools/call', params: { name: 'a:echo' } }),
  line({ id: 11, method: 'tools/list', params: { _meta: { [`${KEY}protocolVersion`]: '1999-01-01' } } }),
  line({ method: 'notifications/cancelled', params: { requestId: 3 } }),
  line({ method: 'notifications/cancelled', params: { requestId: 6 } }),
];

export const STATELESS_SERVER_LINES: readonly Buffer[] = [
  line({ id: 3, result: { resultType: 'complete', content: [] } }),
  line({
    id: 3,
    result: {
      resultType: 'input_required',
      requestState: 's',
      inputRequests: { q: { method: 'elicitation/create', params: { message: '?' } } },
    },
  }),
  line({ id: 3, result: { resultType: 'task', taskId: '1', status: 'working' } }),
  line({ id: 4, error: { code: -32_022, message: 'no', data: { supported: ['2026-07-28'] } } }),
  line({
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { [`${KEY}subscriptionId`]: 1 }, notifications: {} },
  }),
  line({
    method: 'notifications/tools/list_changed',
    params: { _meta: { [`${KEY}subscriptionId`]: 1 } },
  }),
  line({
    method: 'notifications/resources/updated',
    params: { uri: 'file:///a', _meta: { [`${KEY}subscriptionId`]: 'x' } },
  }),
];

export const CLIENT_LINES: readonly Buffer[] = [
  line({ id: 1, method: 'ping' }),
  line({ id: 'list', method: 'tools/list', params: {} }),
  line({ id: 2, method: 'tools/call', params: { name: 'a:echo', arguments: { text: 'é 𝄞 \\ "' } } }),
  line({ id: 3, method: 'tools/call', params: { name: 'b:echo', _meta: { progressToken: 'p' } } }),
  line({ id: '4', method: 'tools/call', params: { name: 'nobody:echo', arguments: null } }),
  line({ id: 5, method: 'resources/read', params: { uri: 'file:///a' } }),
  line({ id: 6, method: 'resources/subscribe', params: { uri: 'a+file:///a' } }),
  line({ id: 7, method: 'prompts/get', params: { name: 'a:p', arguments: { x: 'y' } } }),
  line({ id: 8, method: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'a:p' } } }),
  line({ id: 9, method: 'logging/setLevel', params: { level: 'debug' } }),
  line({ id: 10, method: 'tasks/get', params: { taskId: 'a:1' } }),
  line({ id: 11, method: 'tasks/list' }),
  line({
    id: 12,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { roots: {} } },
  }),
  line({ method: 'notifications/cancelled', params: { requestId: 2, reason: 'no' } }),
  line({ method: 'notifications/progress', params: { progressToken: 1, progress: 0.5 } }),
  line({ method: 'notifications/roots/list_changed' }),
  line({ id: 1, result: { roots: [] } }),
  line({ id: 2, error: { code: -1, message: 'no' } }),
  raw(
    '[{"jsonrpc":"2.0","id":20,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":21,"method":"tools/list"}]',
  ),
  raw(' { "params" : { "name" : "b:echo" } , "method" : "tools/call" , "id" : -0.0 , "jsonrpc" : "2.0" } '),
];

export const SERVER_LINES: readonly Buffer[] = [
  line({ id: 2, result: { content: [{ type: 'text', text: 'hello' }], isError: false } }),
  raw('{"result":{"content":[]},"jsonrpc":"2.0","id":3}'),
  line({ id: '4', error: { code: -32_000, message: 'no', data: { a: [1, 2.5e-3] } } }),
  line({ id: 1, method: 'ping' }),
  line({ id: 1, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }),
  line({ id: 2, method: 'roots/list' }),
  line({ id: 'x', method: 'vendor/question', params: { _meta: { progressToken: 7 } } }),
  line({ method: 'notifications/tools/list_changed' }),
  line({
    method: 'notifications/message',
    params: { level: 'info', logger: 'l', data: { text: '\u001B[2J' } },
  }),
  line({ method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } }),
  line({ method: 'notifications/cancelled', params: { requestId: 1 } }),
  line({ method: 'notifications/resources/updated', params: { uri: 'file:///a' } }),
  line({ method: 'notifications/vendor/news', params: { a: 1 } }),
  raw('[{"jsonrpc":"2.0","id":5,"result":{}},{"jsonrpc":"2.0","method":"notifications/vendor/news"}]'),
];
