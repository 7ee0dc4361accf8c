/** Calls one tool of one server and prints what it gives; starts no other server than those the name can belong to. */
import { type Config, loadConfig } from '../../config/load.ts';
import { lastWords } from '../../process/ending.ts';
import { Catalog, type Entry } from '../../protocol/catalog.ts';
import { KINDS } from '../../protocol/kinds.ts';
import { chooseNaming, mayBelongTo, qualify } from '../../protocol/names.ts';
import { McpError } from '../../wire/error.ts';
import { parse } from '../../wire/json.ts';
import { PROGRAM, quote, UsageError } from '../arguments.ts';
import { describeUnknownKey } from '../keys.ts';
import type { CallCommand } from '../options.ts';
import { describeFailure, renderFailure } from '../stage/failure.ts';
import type { Probe } from '../stage/probe.ts';
import { print, Stage } from '../stage/stage.ts';
import { findClosest } from '../suggest.ts';
import { columnsOf, stripControls } from '../terminal.ts';
import { Exchange } from './exchange.ts';
import { checkObject, readInputs } from './inputs.ts';
import { describeResult, readResult } from './result.ts';
import { readInputSchema } from './schema.ts';

const FAILED = 1;
/** The code of an error that says which pages must be opened before the call (URLElicitationRequired). */
const OPEN_FIRST = -32042;
const SHOWN_TOOLS = 20;

export async function runCall(command: CallCommand): Promise<number> {
  if (command.args !== undefined) checkObject(command.args);
  const config = loadConfig(command.config, process.env);
  const candidates = chooseServers(config, command);
  const { isolateEnv, startupTimeoutMs } = command;
  const stage = new Stage({ config, isolateEnv, startupTimeoutMs, total: 1 });
  const exchange = new Exchange(stage, command);
  try {
    const probes = candidates.map((server) => exchange.start(server));
    await Promise.all(probes.map((probe) => probe.open(['tools'])));
    const found = findTool(probes, command);
    if (found === undefined) return await reportFailures(probes, stage, command);
    const { item, key } = found;
    const { inputSchema, execution } = parse(item.bytes.toString()) as Definition;
    if (execution?.taskSupport === 'required') {
      throw new UsageError(
        `Tool ${quote(command.tool)} runs only as a task, which "call" does not do: use an MCP client that does`,
      );
    }
    const inputs = readInputs(command, command.tool, readInputSchema(inputSchema));
    const probe = probes.find((one) => one.key === key);
    if (probe === undefined) throw new Error(`No server "${key}" was started`);
    return await call({ probe, exchange, stage, tool: item.name, inputs, command });
  } finally {
    exchange.close();
    await stage.close();
  }
}

interface Definition {
  readonly inputSchema?: unknown;
  readonly execution?: { readonly taskSupport?: unknown } | null;
}

interface Work {
  readonly probe: Probe;
  readonly exchange: Exchange;
  readonly stage: Stage;
  /** As the server names it. */
  readonly tool: string;
  readonly inputs: string;
  readonly command: CallCommand;
}

async function call({ probe, exchange, stage, tool, inputs, command }: Work): Promise<number> {
  try {
    const text = await exchange.call(probe, tool, inputs);
    stage.progress.stop();
    const hasFailed = readResult(text).isError === true;
    if (command.json) await print(`${text}\n`);
    else await show(text, hasFailed, stage);
    return hasFailed ? FAILED : 0;
  } catch (error) {
    stage.progress.stop();
    if (!(error instanceof Error)) throw error;
    await explain(error, { probe, stage, command });
    return FAILED;
  }
}

async function show(result: string, hasFailed: boolean, stage: Stage): Promise<void> {
  const text = describeResult(result);
  const { stdout, stderr } = process;
  const stream = hasFailed ? stderr : stdout;
  if (hasFailed) await print(`${stage.paintError('red', '✗ The tool reports an error')}\n`, stderr);
  // A file gets what the tool gave; a terminal gets nothing that could disturb it.
  const shown = stream.isTTY ? stripControls(text, 'lines') : text;
  if (shown !== '') await print(shown.endsWith('\n') ? shown : `${shown}\n`, stream);
  else await print(`${stage.paintError('dim', 'The tool gave an empty result')}\n`, stderr);
}

async function explain(
  error: Error,
  { probe, stage, command }: Pick<Work, 'probe' | 'stage' | 'command'>,
): Promise<void> {
  const isAnswer = error instanceof McpError;
  if (command.json) {
    const { code, message, data } = error as Partial<McpError> & Error;
    await printError(isAnswer ? { code, message, data } : { message: stage.clean(message) });
  }
  const code = isAnswer && error.code !== 0 ? `error ${error.code}` : 'an error';
  const what = isAnswer ? `The server answered with ${code}: ` : '';
  const lines = [`${stage.paintError('red', '✗')} ${what}${stage.clean(error.message)}`];
  if (isAnswer) lines.push(...describeData(error, stage));
  else lines.push(...lastWords(probe.stderr).map((line) => `  stderr | ${stage.clean(line)}`));
  await print(`${lines.join('\n')}\n`, process.stderr);
}

/** What the server adds to its error; a page that it wants opened first is something to do. */
function describeData({ code, data }: McpError, { clean }: Stage): string[] {
  if (data === undefined) return [];
  const { elicitations } = Object(data) as { readonly elicitations?: unknown };
  if (code !== OPEN_FIRST || !Array.isArray(elicitations)) return [`  data | ${clean(JSON.stringify(data))}`];
  return elicitations.map((one) => {
    const { url, message } = Object(one) as { readonly url?: unknown; readonly message?: unknown };
    const why = typeof message === 'string' ? ` (${clean(message)})` : '';
    return `  → Open ${clean(String(url))}${why}, and call again when done`;
  });
}

/** For programs, in the place of the result. */
function printError(error: { message: string; code?: number | undefined; data?: unknown }): Promise<void> {
  return print(`${JSON.stringify({ error })}\n`);
}

function chooseServers(config: Config, { tool, separator }: CallCommand): Config['servers'] {
  const { servers } = config;
  if (servers.length === 0) {
    throw new UsageError(
      'The config has no servers that are not disabled, so there is nothing to call: add one',
    );
  }
  const { separator: joint } = chooseNaming(undefined, separator);
  const candidates = servers.filter(({ key }) => mayBelongTo(key, tool, joint));
  if (candidates.length > 0) return candidates;
  const keys = servers.map(({ key }) => key);
  const example = `KEY${joint}TOOL`;
  if (keys.includes(tool)) {
    throw new UsageError(
      `${quote(tool)} is a server: name one of its tools as ${example}; "check --tools --server ${tool}" lists them`,
    );
  }
  const mark = tool.indexOf(joint);
  if (mark > 0) throw new UsageError(describeUnknownKey(tool.slice(0, mark), config));
  throw new UsageError(
    `${quote(tool)} names no server: write it as ${example}, as in ${qualify(String(keys[0]), tool, joint)}; the servers are ${keys.map((key) => quote(key)).join(', ')}`,
  );
}

/** Undefined when it may be at a server that is not there. */
function findTool(probes: readonly Probe[], { tool, separator }: CallCommand): Entry | undefined {
  const keys = probes.map(({ key }) => key);
  const naming = chooseNaming(undefined, separator);
  const catalog = new Catalog(KINDS.tools, keys, naming);
  for (const probe of probes) catalog.replace(probe.key, probe.lists.get('tools')?.items ?? []);
  const found = catalog.find(tool);
  if (found !== undefined || probes.some(({ failure }) => failure !== undefined)) return found;
  const names = [...catalog.entries].map(({ exposed }) => exposed);
  const server = keys.map((key) => quote(key)).join(' and ');
  if (names.length === 0)
    throw new UsageError(`Server ${server} has no tools at all: "${PROGRAM} check" shows what it has`);
  const close = findClosest(tool, names);
  if (close !== undefined) {
    throw new UsageError(`Server ${server} has no tool ${quote(tool)}: did you mean ${quote(close)}?`);
  }
  const shown = names.slice(0, SHOWN_TOOLS).map((name) => `  ${stripControls(name)}`);
  if (names.length > shown.length) shown.push(`  and ${names.length - shown.length} more`);
  throw new UsageError([`Server ${server} has no tool ${quote(tool)}: it has`, ...shown].join('\n'));
}

async function reportFailures(
  probes: readonly Probe[],
  { progress, clean, paintError }: Stage,
  { json }: CallCommand,
): Promise<number> {
  progress.stop();
  const failures = probes
    .filter(({ failure }) => failure !== undefined)
    .map((probe) => ({ key: probe.key, failure: describeFailure(probe, clean) }));
  if (json) {
    const problems = failures.map(({ key, failure }) => `${key}: ${failure.problem}`);
    await printError({ message: problems.join('; ') });
  }
  const lines = failures.flatMap(({ key, failure }) =>
    renderFailure(key, failure, paintError, columnsOf(process.stderr)),
  );
  await print(`${lines.join('\n')}\n`, process.stderr);
  return FAILED;
}
