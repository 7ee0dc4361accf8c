/** Puts together the environment of one child; reads no variable of this process by itself and expands nothing. */
import { posix, win32 } from 'node:path';

export interface EnvironmentParts {
  /** The aggregator's own environment. */
  readonly parent: NodeJS.ProcessEnv;
  /** The entry's `env`, expanded. */
  readonly own: Readonly<Record<string, string>>;
  /** Pass on only the short safe list of the parent's variables. */
  readonly isolate: boolean;
  /** Directory of the parent's Node.js; given for node, npm and npx only. */
  readonly nodeDir?: string | undefined;
  readonly platform: NodeJS.Platform;
  /** Variables of the aggregator's own making; they win over all others. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
}

/** What the C library searches when PATH is unset; once we set PATH, `sh` must still be found by npx. */
const DEFAULT_POSIX_PATH = '/usr/bin:/bin';

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];

const CERTIFICATE_VARIABLES = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
];

const USER_VARIABLES = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];

const SAFE_VARIABLES: ReadonlySet<string> = new Set([
  ...USER_VARIABLES,
  ...PROXY_VARIABLES,
  ...PROXY_VARIABLES.map((name) => name.toLowerCase()),
  'NODE_USE_ENV_PROXY',
  ...CERTIFICATE_VARIABLES,
]);

/** Without these, programs on Windows do not find the system, their user or a temporary directory. */
const SAFE_WINDOWS_VARIABLES: ReadonlySet<string> = new Set([
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

/** The parent's variables (all, or the safe ones), then the entry's own, then the extra ones. */
export function childEnvironment(parts: EnvironmentParts): NodeJS.ProcessEnv {
  const { parent, own, isolate, nodeDir, platform, extra = {} } = parts;
  const variables = new Variables(platform);
  // In front, where even a search finds them that stops at the end of the first, such as that of busybox.
  for (const [name, value] of Object.entries(extra)) variables.set(name, value);
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && (!isolate || isSafe(name, platform))) variables.set(name, value);
  }
  for (const [name, value] of Object.entries(own)) variables.set(name, value);
  const delimiter = platform === 'win32' ? win32.delimiter : posix.delimiter;
  // A directory with the delimiter in its name cannot stand on PATH: it would be read as two others.
  if (nodeDir !== undefined && !nodeDir.includes(delimiter)) {
    const path = variables.get('PATH') ?? '';
    const setsPath = Object.keys(own).some((name) => identify(name, platform) === 'PATH');
    const fallback = platform === 'win32' ? '' : DEFAULT_POSIX_PATH;
    // First, so that what npx starts runs on the same Node.js; last where the entry chose its own PATH.
    const places = setsPath ? [path, nodeDir] : [nodeDir, path || fallback];
    // An empty part of PATH would mean the current directory.
    variables.set('PATH', places.filter((place) => place !== '').join(delimiter));
  }
  for (const [name, value] of Object.entries(extra)) variables.set(name, value);
  return variables.toEnvironment();
}

/** The PATH among a child's variables; Windows itself spells it `Path`. */
export function findPath(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  return Object.entries(env).find(([name]) => identify(name, platform) === 'PATH')?.[1];
}

/** Variables by name; on Windows `Path` and `PATH` are one, and the spelling that came first stays. */
class Variables {
  readonly #entries = new Map<string, { readonly name: string; value: string }>();
  readonly #platform: NodeJS.Platform;

  constructor(platform: NodeJS.Platform) {
    this.#platform = platform;
  }

  get(name: string): string | undefined {
    return this.#entries.get(identify(name, this.#platform))?.value;
  }

  set(name: string, value: string): void {
    const identity = identify(name, this.#platform);
    const known = this.#entries.get(identity);
    if (known === undefined) this.#entries.set(identity, { name, value });
    else known.value = value;
  }

  toEnvironment(): NodeJS.ProcessEnv {
    // No prototype: a variable named __proto__ is a variable like any other.
    const environment: NodeJS.ProcessEnv = Object.create(null);
    for (const { name, value } of this.#entries.values()) environment[name] = value;
    return environment;
  }
}

function identify(name: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? name.toUpperCase() : name;
}

function isSafe(name: string, platform: NodeJS.Platform): boolean {
  const identity = identify(name, platform);
  if (SAFE_VARIABLES.has(identity)) return true;
  return platform === 'win32' && SAFE_WINDOWS_VARIABLES.has(identity);
}
