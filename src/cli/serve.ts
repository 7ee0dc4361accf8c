/** Serves one config on stdin and stdout until the client is done or a signal comes; gives the exit code. */
import { fstatSync, statSync, writeSync } from 'node:fs';
import { Aggregator } from '../aggregator.ts';
import { findCacheDirectory } from '../cache-directory.ts';
import { CHAIN_VARIABLE, readChain } from '../chain.ts';
import { type Config, loadConfig } from '../config/load.ts';
import { ConfigError } from '../config/problem.ts';
import { Log } from '../log.ts';
import type { Manifest } from '../process/manifest.ts';
import { createSink } from '../sink.ts';
import { describeFileProblem } from '../system-error.ts';
import { type Command, UsageError } from './options.ts';
import { onSignal } from './signals.ts';

type ServeCommand = Extract<Command, { kind: 'serve' }>;

/** Why we end, and with which code. */
interface Reason {
  readonly exitCode: number;
  /** Whether the client can still be given what the servers owe it. */
  readonly drain: boolean;
}

const RUNTIME_ERROR = 1;
/** Whatever hangs, clients that started us wait no longer than 2 s before they kill; ending takes its time too. */
const HARD_STOP_MS = 1500;
const CLIENT_POLL_MS = 500;
const STDOUT = 1;
const NOTHING = Buffer.alloc(0);

export async function serve(command: ServeCommand): Promise<number> {
  const { stdin, stdout } = process;
  const config = loadConfig(command.config, process.env);
  refuseItself(config);
  // A file is opened at once, to say so if it cannot be; stderr when there is something to say.
  let sink = command.logFile === undefined ? undefined : openSink(command);
  const write = (line: string): void => (sink ??= openSink(command)).write(line);
  const log = new Log({ debug: command.debug, write, secrets: config.secrets });
  const manifest = await openManifest(command, log);
  for (const notice of config.notices) log.debug(notice);
  if (config.servers.length === 0)
    log.warn(
      `"${command.config}" has no servers that are not disabled, so there is nothing to offer: add one`,
    );
  if (stdin.isTTY) {
    process.stderr.write(
      `This is an MCP server, waiting for a client on stdin. An MCP client starts it; press Ctrl-C to stop. To try your servers, run "mcp-simple-aggregator check ${command.config}"\n`,
    );
  }

  let hasFailure = false;
  let end: (reason: Reason) => void = () => {};
  const ended = new Promise<Reason>((resolve) => (end = resolve));
  const aggregator = new Aggregator(config, {
    ...command,
    log,
    output: stdout,
    manifest,
    cacheDirectory: findCacheDirectory(process.env, process.platform),
    onServerFailed: () => {
      if (!hasFailure) log.warn(describeHelp(command));
      hasFailure = true;
      if (command.strict) end({ exitCode: RUNTIME_ERROR, drain: false });
    },
  });
  stdout.on('drain', () => aggregator.drained());
  stdout.on('error', () => end({ exitCode: 0, drain: false }));
  stdin.on('data', (chunk: Buffer) => aggregator.receive(chunk));
  stdin.on('end', () => end({ exitCode: 0, drain: true }));
  stdin.on('error', () => end({ exitCode: 0, drain: true }));
  // In the next turn, so that a client that has spoken already is answered first; before it there is nothing to end.
  setImmediate(() => {
    watchSignals(end, aggregator);
    watchClient(end);
    aggregator.start();
  });

  const { exitCode, drain } = await ended;
  setTimeout(() => {
    aggregator.kill();
    process.exit(exitCode);
  }, HARD_STOP_MS).unref();
  await aggregator.close({ drain });
  manifest?.clear();
  await flushed();
  sink?.close();
  return exitCode;
}

/** A config that starts the aggregator with the same config would fork for ever. */
function refuseItself(config: Config): void {
  if (!readChain(process.env).includes(config.path)) return;
  const text = `"${config.path}" starts mcp-simple-aggregator with this same file, directly or through another config: remove that entry from "mcpServers" (found by ${CHAIN_VARIABLE})`;
  throw new ConfigError('invalid_schema', text);
}

function openSink({ logFile }: ServeCommand): ReturnType<typeof createSink> {
  let problem: string;
  try {
    // It may be our own stdout, where only messages belong, or keep us waiting until somebody reads it.
    if (logFile === undefined || statSync(logFile, { throwIfNoEntry: false })?.isFIFO() !== true)
      return createSink({ stderr: process.stderr, logFile });
    problem = 'it is a pipe';
  } catch (error) {
    problem = describeFileProblem(error);
  }
  throw new UsageError(`The log file "${logFile}" cannot be opened (${problem}): choose another --log-file`);
}

function describeHelp({ config, strict }: ServeCommand): string {
  const why = strict ? 'Ending, as --strict says: ' : '';
  // To be pasted into a shell: Claude Desktop keeps its file under "Application Support".
  const file = /^[\w./\\:-]+$/.test(config) ? config : `'${config}'`;
  return `${why}"mcp-simple-aggregator check ${file}" says more, and what to do`;
}

async function openManifest(
  { terminatorManifest: path }: ServeCommand,
  log: Log,
): Promise<Manifest | undefined> {
  if (path === undefined) return undefined;
  const { Manifest: File } = await import('../process/manifest.ts');
  try {
    return File.open(path, { onProblem: (what) => log.warn(what) });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function watchSignals(end: (reason: Reason) => void, aggregator: Aggregator): void {
  let count = 0;
  onSignal((exitCode) => {
    count += 1;
    if (count > 1) aggregator.kill();
    end({ exitCode, drain: true });
  });
}

/** A client may go away without ending our stdin, of which a process of its own may hold the other end open. */
function watchClient(end: (reason: Reason) => void): void {
  const parent = process.ppid;
  const isSocket = fstatSync(STDOUT).isSocket();
  setInterval(() => {
    if (process.ppid !== parent || (isSocket && isClosed())) end({ exitCode: 0, drain: false });
  }, CLIENT_POLL_MS).unref();
}

/** Whether nobody can read our stdout any more; a socket says so to a write of nothing, a pipe only to the next line. */
function isClosed(): boolean {
  try {
    writeSync(STDOUT, NOTHING);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPIPE';
  }
}

/** Resolves when the client has taken everything, or is gone. */
function flushed(): Promise<void> {
  const { stdout } = process;
  return new Promise((resolve) => {
    stdout.once('error', () => resolve());
    if (stdout.destroyed) resolve();
    // Called after all that was written before.
    else stdout.write('', () => resolve());
  });
}
