/** Starts every server as the aggregator would, says how each is doing, and ends them; the exit code says whether all is well. */
import { type Config, loadConfig } from '../../config/load.ts';
import { ConfigError, type ServerConfig } from '../../config/validate.ts';
import { quote, UsageError } from '../arguments.ts';
import type { CheckCommand } from '../options.ts';
import { findClosest } from '../suggest.ts';
import { measureMemory } from './memory.ts';
import type { Probe } from './probe.ts';
import { renderReport } from './render.ts';
import { createReport } from './report.ts';
import { print, Stage } from './stage.ts';

const NOT_WELL = 1;

export async function runCheck(command: CheckCommand): Promise<number> {
  const config = await load(command);
  const servers = chooseServers(config, command.server);
  const { isolateEnv, startupTimeoutMs } = command;
  const stage = new Stage({ config, isolateEnv, startupTimeoutMs, total: servers.length });
  const opened = servers.map((server) => open(stage, server));
  await Promise.all(opened);
  const alive = stage.probes.filter(({ failure }) => failure === undefined);
  const pids = alive.map(({ connection }) => connection.pid).filter((pid) => pid !== undefined);
  const memory = await measureMemory(pids, process.platform);
  await stage.close();
  const report = createReport(stage.probes, {
    config: config.path,
    separator: command.separator,
    tools: command.tools,
    memory,
    remarks:
      servers.length === 0 ? [`${quote(command.config)} has no servers that are not disabled: add one`] : [],
    clean: stage.clean,
  });
  const columns = (process.stdout.isTTY && process.stdout.columns) || Infinity;
  await print(
    command.json ? `${JSON.stringify(report, undefined, 2)}\n` : renderReport(report, stage.paint, columns),
  );
  return report.ok ? 0 : NOT_WELL;
}

/** Machines get a report of a config that cannot be read, too. */
async function load({ config, json }: CheckCommand): Promise<Config> {
  try {
    return loadConfig(config, process.env);
  } catch (error) {
    if (json && error instanceof ConfigError) {
      const { code, problems } = error;
      await print(`${JSON.stringify({ ok: false, config, code, problems, servers: [] }, undefined, 2)}\n`);
    }
    throw error;
  }
}

function chooseServers({ servers }: Config, key: string | undefined): readonly ServerConfig[] {
  if (key === undefined) return servers;
  const chosen = servers.filter((server) => server.key === key);
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    describeUnknownKey(
      key,
      servers.map((server) => server.key),
    ),
  );
}

export function describeUnknownKey(key: string, keys: readonly string[]): string {
  const close = findClosest(key, keys);
  const advice =
    close === undefined
      ? `it has ${keys.map((name) => quote(name)).join(', ') || 'none that is not disabled'}`
      : `did you mean ${quote(close)}?`;
  return `The config has no server ${quote(key)}: ${advice}`;
}

async function open(stage: Stage, server: ServerConfig): Promise<Probe> {
  const job = stage.progress.begin(stage.clean(server.key));
  const probe = stage.start(server, { onStderr: (line) => job.hint(stage.clean(line)) });
  await probe.open();
  job.end(probe.failure === undefined ? 'ready' : 'failed');
  return probe;
}
