/** Knows what is usually meant when a server fails this way, and what to do about it. Guesses only from what was seen. */
import type { ServerConfig } from '../../config/load.ts';
import type { Failure } from './probe.ts';

export interface Evidence {
  readonly config: ServerConfig;
  readonly failure: Failure;
  /** What it printed on stdout that was no message. */
  readonly stray: readonly string[];
  readonly strayCount: number;
  readonly nodeVersion: string;
}

interface Rule {
  /** Looked for in stderr and in what was printed on stdout. */
  readonly pattern: RegExp;
  /** What to do; undefined when it does not apply after all. */
  readonly advise: (match: RegExpExecArray, evidence: Evidence) => string | undefined;
}

const INSTALLERS: ReadonlyMap<string, string> = new Map([
  ['uv', 'install uv, which brings "uv" and "uvx": https://docs.astral.sh/uv/'],
  ['uvx', 'install uv, which brings "uv" and "uvx": https://docs.astral.sh/uv/'],
  ['docker', 'install Docker, and start it: https://docs.docker.com/get-started/get-docker/'],
  ['python', 'try "python3" as "command": many systems have no "python"'],
  ['bun', 'install Bun: https://bun.sh/'],
  ['bunx', 'install Bun: https://bun.sh/'],
  ['deno', 'install Deno: https://deno.com/'],
]);

const SHOWN_ADVICE = 3;

const NEWER_NODE =
  'start the aggregator with a newer one, or write the full path of a newer "node" as "command"';

const NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b|network request|getaddrinfo|Failed to fetch|Connection refused/i;

const RULES: readonly Rule[] = [
  {
    pattern:
      /\bE404\b|404 Not Found - GET|No matching version found|\bETARGET\b|was not found in the package registry/,
    advise: () => 'The registry knows no such package or version: check the spelling in "args"',
  },
  {
    pattern: /could not determine executable to run|executable named .+ is not provided by package/,
    advise: () =>
      'The package has no program of that name: check in its documentation how it is started, and name package and program (npx -y --package=NAME PROGRAM)',
  },
  {
    pattern: NETWORK,
    advise: (_, { config }) => adviseNetwork(config),
  },
  {
    pattern:
      /\b(?:EBADENGINE|ERR_UNKNOWN_BUILTIN_MODULE|ERR_REQUIRE_ESM|NODE_MODULE_VERSION)\b|Unsupported engine|Unsupported Node(?:\.js)?\b|requires? (?:at least )?Node(?:\.js)?\b|No such built-in module|Node(?:\.js)? (?:version )?v?\d+(?:\.\d+)* (?:or (?:higher|later|newer|above)|is required)/i,
    advise: (_, { nodeVersion }) =>
      `It may need another Node.js than this one (${nodeVersion}): ${NEWER_NODE}`,
  },
  {
    pattern: /Unknown file extension "\.[cm]?tsx?"/,
    advise: (_, { nodeVersion }) =>
      `Node.js ${nodeVersion} reads no TypeScript: build the server and name the JavaScript file, or start it with "npx" and "args" ["-y", "tsx", …]`,
  },
  {
    pattern: /\bnode(?:\.exe)?: bad option: (\S+)/,
    advise: ([, option], { nodeVersion }) =>
      `This Node.js (${nodeVersion}) knows no option ${option}: remove it from "args", or ${NEWER_NODE}`,
  },
  {
    pattern:
      /SyntaxError: |is not a function|\bReferenceError: (?:File|WebSocket|navigator|CustomEvent) is not defined/,
    advise: (_, { nodeVersion, failure }) =>
      failure.stderr.some((line) => /^\s*at |Node\.js v/.test(line))
        ? `It broke while Node.js was reading it, and may need a newer one than ${nodeVersion}: ${NEWER_NODE}`
        : undefined,
  },
  {
    pattern: /Cannot find module '([^']+)'|\bERR_MODULE_NOT_FOUND\b|can't open file '([^']+)'/,
    advise: () =>
      'A file that it needs is not there: correct the path in "args" (an absolute one is safest), or install and build the server first',
  },
  {
    pattern: /\bNo module named '?([\w.]+)/,
    advise: () =>
      'A Python package is missing: install it for this Python, or write the path of the right environment\'s "python" as "command"',
  },
  {
    pattern: /requires (?:a different )?Python\b/i,
    advise: () => 'It needs another Python: write the path of that "python" as "command"',
  },
  {
    pattern:
      /\b(?:SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|CERT_\w+)\b|CERTIFICATE_VERIFY_FAILED|self.signed certificate/,
    advise: () =>
      'It trusts no certificate on its way to the network: name the file of your own authority in NODE_EXTRA_CA_CERTS (SSL_CERT_FILE for Python)',
  },
  {
    pattern: /pull access denied|manifest unknown/i,
    advise: () => 'Docker finds no such image, or may not have it: check its name in "args", or log in',
  },
  {
    pattern: /Cannot connect to the Docker daemon|docker daemon is not running|error during connect/i,
    advise: () => 'Docker does not run: start it and check again',
  },
  {
    pattern: /EADDRINUSE|address already in use/i,
    advise: () => 'Another program has the port that it wants: end the other copy, or give it another port',
  },
  {
    pattern: /heap out of memory|Cannot allocate memory/i,
    advise: () =>
      'It ran out of memory: close programs, or give it more (NODE_OPTIONS=--max-old-space-size=…)',
  },
  {
    pattern:
      /\b(?:missing|no) (?:api |access )?(?:key|token)\b|\b(?:api |access )(?:key|token) (?:is |was )?(?:required|missing|not (?:set|found|provided))/i,
    advise: (_, { config }) =>
      `It misses a key or token: find the name of the variable in its documentation, and set it in ${placeOfEnv(config)}`,
  },
  {
    pattern: /\b(?:401|Unauthorized|invalid (?:api )?(?:key|token)|authentication failed|bad credentials)\b/i,
    advise: (_, { config }) => `It refuses its credentials: check the values in ${placeOfEnv(config)}`,
  },
  {
    pattern: /(?:^|\n)\s*usage:|missing required (?:argument|option)|unknown option|unrecognized arguments/i,
    advise: () => 'It did not understand how it was called: compare "args" with its documentation',
  },
  {
    pattern: /\bEACCES\b|permission denied/i,
    advise: () => 'It may not read, write or run something: permit it, or correct the path that it names',
  },
  {
    pattern: /command not found|: not found$|No such file or directory|\bENOENT\b/m,
    advise: () => 'A program or file that it needs is not there: install it, or correct the path in "args"',
  },
];

/** Names that programs tell their missing variables by; each stands in the first group. */
const MISSING_VARIABLE: readonly RegExp[] = [
  /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b[^\n]{0,40}\b(?:not set|not defined|[Rr]equired|missing|must be set|undefined|not found|not provided|empty)/,
  /\bKeyError: ['"]([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)['"]/,
  // What zod prints, over several lines.
  /"path": \[\s*"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"\s*\]/,
  /(?:missing|set|provide|requires?|required|need|no)\b[^\n]{0,60}?\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/i,
];
/** What looks like a variable and is the code of an error, or a number of Node.js. */
const NO_VARIABLE = /^ERR_|^NODE_MODULE_VERSION$|_CERT_/;
const HTTP_SERVER =
  /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])|listening (?:on|at)|(?:running|started|serving) on (?:port|http)|Uvicorn running/i;

export function advise(evidence: Evidence): string[] {
  const { config, failure, stray, strayCount } = evidence;
  // Why it refused us is told in the words of the server, too.
  const refusal = failure.cause === 'refusal' ? [failure.problem] : [];
  const said = [...failure.stderr, ...stray, ...refusal].join('\n');
  const found: (string | undefined)[] = [adviseSpawn(evidence), adviseVariable(said, config)];
  for (const { pattern, advise: adviseOn } of RULES) {
    const match = pattern.exec(said);
    if (match !== null) found.push(adviseOn(match, evidence));
  }
  const isOffline = NETWORK.test(said);
  const servesHttp = !isOffline && HTTP_SERVER.test(said);
  if (servesHttp) {
    found.push(
      'It seems to serve HTTP, but only stdio is spoken here: look for its stdio mode (often "stdio" or "--transport stdio" in "args")',
    );
  } else if (strayCount > 0) {
    found.push(
      'It prints to stdout what is no protocol message: stdout is for the protocol alone; look for an option that silences it or logs to stderr',
    );
  }
  if (!servesHttp) found.push(adviseEnding(evidence));
  const all = [...new Set(found.filter((text) => text !== undefined))];
  if (all.length === 0 && failure.cause === 'end' && said.trim() === '') all.push(describeByHand(config));
  return all.slice(0, SHOWN_ADVICE);
}

function adviseSpawn({ config, failure }: Evidence): string | undefined {
  if (failure.ending?.error?.code !== 'ENOENT') return undefined;
  const advice = INSTALLERS.get(config.commandText);
  return advice === undefined ? undefined : `${advice.charAt(0).toUpperCase()}${advice.slice(1)}`;
}

function adviseVariable(said: string, config: ServerConfig): string | undefined {
  for (const pattern of MISSING_VARIABLE) {
    const name = pattern.exec(said)?.[1];
    if (name === undefined || NO_VARIABLE.test(name) || name !== name.toUpperCase()) continue;
    return Object.hasOwn(config.env, name)
      ? `It asks for the variable "${name}", which ${placeOfEnv(config)} sets: check its value`
      : `It asks for the variable "${name}": set it in ${placeOfEnv(config)}`;
  }
  return undefined;
}

function adviseNetwork(config: ServerConfig): string {
  const fetches = /^(?:npx|npm|uvx|uv|bunx|pipx)$/.test(config.commandText);
  return fetches
    ? `"${config.commandText}" fetches the server from the network and could not: check the connection and the proxy (HTTPS_PROXY), or install the server once and name its program as "command"`
    : 'It could not reach something over the network: check the connection, the proxy (HTTPS_PROXY) and the addresses that it is given';
}

function adviseEnding({ config, failure, strayCount }: Evidence): string | undefined {
  const { ending, cause } = failure;
  if (config.commandText === 'docker' && config.args.includes('run') && !isInteractive(config.args)) {
    return '"docker run" keeps stdin closed without "-i": add "-i" to "args"';
  }
  if (cause === 'lists') {
    return 'It answers, but does not give its lists: it may wait for something that it cannot reach, or need more time (--startup-timeout 120)';
  }
  if (cause === 'silence' && strayCount === 0) {
    return 'It runs but does not answer: a first start may download much (give it time with --startup-timeout 120), or it is not a stdio server';
  }
  if (ending?.exitCode === 0) {
    return 'It ended without an error, so it may not be an MCP server by itself: look for the argument that makes it one (often "mcp", "serve" or "stdio")';
  }
  if (ending?.signal === 'SIGKILL') {
    return 'Something killed it, most often the system when memory runs out: close programs and check again';
  }
  return undefined;
}

function isInteractive(args: readonly string[]): boolean {
  return args.some((arg) => arg === '--interactive' || /^-[a-zA-Z]*i[a-zA-Z]*$/.test(arg));
}

function placeOfEnv({ key }: ServerConfig): string {
  return `"env" of "${key}"`;
}

function describeByHand({ commandText }: ServerConfig): string {
  return `It said nothing: run it by hand in a terminal ("${commandText}" with its "args") and see what it prints`;
}
