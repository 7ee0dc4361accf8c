/** Starts every server as the aggregator would, says how each is doing, and ends them; the exit code says whether all is well. */
import { resolve } from 'node:path';
import { type Config, loadConfig, type ServerConfig } from '../../config/load.ts';
import { ConfigError } from '../../config/problem.ts';
import { quote, UsageError } from '../arguments.ts';
import { describeUnknownKey } from '../keys.ts';
import type { CheckCommand } from '../options.ts';
import type { Probe } from '../stage/probe.ts';
import { print, Stage } from '../stage/stage.ts';
import { columnsOf } from '../terminal.ts';
import { measureMemory, type MemoryUse } from './memory-use.ts';
import { renderReport } from './render.ts';
import { createReport } from './report.ts';

const NOT_WELL = 1;

export async function runCheck(command: CheckCommand): Promise<number> {
  const config = await load(command);
  const servers = chooseServers(config, command.server);
  const { isolateEnv, startupTimeoutMs } = command;
  const stage = new Stage({ config, isolateEnv, startupTimeoutMs, total: servers.length });
  const memory = await tryAll(stage, servers, command.maxProcesses);
  await stage.close();
  const report = createReport(stage.probes, {
    config: config.path,
    separator: command.separator,
    tools: command.tools,
    memory,
    remarks: findOddities(servers.length, command),
    clean: stage.clean,
  });
  await print(
    command.json
      ? `${JSON.stringify(report, undefined, 2)}\n`
      : renderReport(report, stage.paint, columnsOf(process.stdout)),
  );
  return report.ok ? 0 : NOT_WELL;
}

/** Never more at once than the aggregator would run: those that come later have to wait for the others to end. */
async function tryAll(stage: Stage, servers: readonly ServerConfig[], atOnce: number): Promise<MemoryUse> {
  const memory = new Map<number, number>();
  for (let start = 0; start < servers.length; start += atOnce) {
    const probes = await Promise.all(
      servers.slice(start, start + atOnce).map((server) => open(stage, server)),
    );
    const alive = probes.filter(({ failure }) => failure === undefined);
    const pids = alive.map(({ connection }) => connection.pid).filter((pid) => pid !== undefined);
    for (const [pid, bytes] of await measureMemory(pids, process.platform)) memory.set(pid, bytes);
    await Promise.all(probes.map((probe) => probe.close()));
  }
  return memory;
}

function findOddities(count: number, { config, lazy, maxProcesses }: CheckCommand): string[] {
  if (count === 0) return [`${quote(config)} has no servers that are not disabled: add one`];
  if (count <= maxProcesses || lazy) return [];
  return [
    `${count} servers, but at most ${maxProcesses} may run at once: the aggregator does not start the last ${count - maxProcesses}; raise --max-processes, or use --lazy`,
  ];
}

/** Machines get a report of a config that cannot be read, too, with the members of any other. */
async function load({ config, json }: CheckCommand): Promise<Config> {
  try {
    return loadConfig(config, process.env);
  } catch (error) {
    if (json && error instanceof ConfigError) {
      const { code, problems } = error;
      const nothing = { servers: [], warnings: [], notes: [] };
      const report = { ok: false, config: resolve(config), ...nothing, code, problems };
      await print(`${JSON.stringify(report, undefined, 2)}\n`);
    }
    throw error;
  }
}

function chooseServers(config: Config, key: string | undefined): readonly ServerConfig[] {
  if (key === undefined) return config.servers;
  const chosen = config.servers.filter((server) => server.key === key);
  if (chosen.length > 0) return chosen;
  throw new UsageError(describeUnknownKey(key, config));
}

async function open(stage: Stage, server: ServerConfig): Promise<Probe> {
  const job = stage.progress.begin(stage.clean(server.key));
  const probe = stage.start(server, { onStderr: (line) => job.hint(stage.clean(line)) });
  await probe.open();
  job.end(probe.failure === undefined ? 'ready' : 'failed');
  return probe;
}
