/** Starts the process of a configured server: which file, which environment, and in which words it fails. */
import type { ServerConfig } from '../config/load.ts';
import type { Log } from '../log.ts';
import type { SpawnProcess } from '../process/child.ts';
import { explainSpawnFailure, type Host, resolveCommand } from '../process/command.ts';
import { childEnvironment, findPath } from '../process/environment.ts';
import type { Watchdog } from '../process/watchdog.ts';
import { type McpConnectionOptions, NodeStdioMcpConnection } from './connection.ts';

export interface LaunchSettings {
  readonly log: Log;
  readonly host: Host;
  /** The aggregator's own environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly isolateEnv: boolean;
  /** Variables of our own for every server. */
  readonly extraEnv: Readonly<Record<string, string>>;
  readonly startupTimeoutMs: number;
  readonly spawn?: SpawnProcess | undefined;
  readonly watchdog?: Watchdog | undefined;
}

/** What the server says on stderr goes to the log, unless somebody else takes it. */
export type LaunchHandlers = Required<Pick<McpConnectionOptions, 'onMessage' | 'onMalformed' | 'onClose'>> &
  Pick<McpConnectionOptions, 'onStderr'>;

export function launch(
  config: ServerConfig,
  settings: LaunchSettings,
  handlers: LaunchHandlers,
): NodeStdioMcpConnection {
  const { log, host, env: parent, isolateEnv, extraEnv, spawn, watchdog } = settings;
  const { key, args, cwd, cwdText, commandText } = config;
  const { platform } = host;
  const executable = resolveCommand(config.command, host);
  if (executable.resolvedFrom !== undefined) {
    const resolved = [executable.file, ...executable.args].join(' ');
    log.debug(`Command "${executable.resolvedFrom}" is resolved to ${resolved}`, key);
  }
  const env = childEnvironment({
    parent,
    own: config.env,
    isolate: isolateEnv,
    nodeDir: executable.nodeDir,
    platform,
    extra: { ...watchdog?.variables, ...extraEnv },
  });
  const attempt = { commandText, executable, cwd, cwdText, path: findPath(env, platform), platform };
  return new NodeStdioMcpConnection(executable.file, [...executable.args, ...args], {
    env,
    platform,
    timeoutMs: settings.startupTimeoutMs,
    ...(cwd !== undefined && { cwd }),
    ...(spawn && { spawn }),
    ...(watchdog && { watch: watchdog }),
    explainSpawn: (error) => explainSpawnFailure(error, attempt),
    onStderr: (line) => log.child(key, line),
    ...handlers,
  });
}
