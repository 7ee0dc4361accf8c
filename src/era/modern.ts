/** The stateless era of the protocol, as data: its version, its keys, its codes, its methods. Does nothing. */

export const MODERN_VERSION = '2026-07-28';

/** Everything in `_meta` that the protocol itself puts there begins like this. */
export const KEY_START = 'io.modelcontextprotocol/';
export const VERSION_KEY: string = `${KEY_START}protocolVersion`;
export const CAPABILITIES_KEY: string = `${KEY_START}clientCapabilities`;
export const CLIENT_KEY: string = `${KEY_START}clientInfo`;
export const LEVEL_KEY: string = `${KEY_START}logLevel`;
export const SERVER_KEY: string = `${KEY_START}serverInfo`;
export const SUBSCRIPTION_KEY: string = `${KEY_START}subscriptionId`;
export const TASKS_EXTENSION: string = `${KEY_START}tasks`;

export const MISSING_CAPABILITY = -32_021;
export const UNSUPPORTED_VERSION = -32_022;
/** Nobody may use one of these but for what the specification says; servers of the handshake era know nothing of that. */
export const RESERVED_CODES = { first: -32_099, last: -32_020 } as const;
/** What the handshake era said in these cases, and the stateless era must not. */
export const LEGACY_NOT_FOUND = -32_002;
export const LEGACY_URL_REQUIRED = -32_042;

/** The members that results of our own begin with: nothing may be kept, because servers come and go. */
export const COMPLETE = '"resultType":"complete"';
export const CACHE_HINTS = '"ttlMs":0,"cacheScope":"private"';

export const DISCOVER = 'server/discover';
export const LISTEN = 'subscriptions/listen';

/** What a client may ask; everything else does not exist in this era. */
export const MODERN_METHODS: ReadonlySet<string> = new Set([
  DISCOVER,
  LISTEN,
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
]);

/** What exists in this era only: without a claim, the claim is missing. */
export const ONLY_MODERN: ReadonlySet<string> = new Set([DISCOVER, LISTEN, 'tasks/update']);

/** The requests that may be answered with questions and come again with the answers. */
export const RETRIED_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export const LOG_LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];
