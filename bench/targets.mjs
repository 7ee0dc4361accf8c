/** The ways to reach a set of servers that are compared. To add one, add an entry to the table. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const copier = fileURLToPath(new URL('copier.mjs', import.meta.url));
const sdkAggregator = fileURLToPath(new URL('peers/sdk-aggregator.mjs', import.meta.url));

export function writeConfig(directory, config) {
  const file = join(mkdtempSync(join(directory, 'config-')), 'mcp.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function ownVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

function sdkVersion() {
  const { resolve } = createRequire(import.meta.url);
  // The package does not export its package.json; it lies two folders above this file.
  const file = join(resolve('@modelcontextprotocol/sdk/types.js'), '../../../package.json');
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

/** The same config file and the same cache for the same servers, so that what was learned of them is found again. */
export function remember(makeLaunches, options) {
  const known = new Map();
  return (servers, directory) => {
    const key = JSON.stringify(servers);
    const env = { XDG_CACHE_HOME: mkdtempSync(join(directory, 'cache-')) };
    const make = ({ args, ...launch }) => ({ ...launch, args: [...args, ...options], env });
    if (!known.has(key)) known.set(key, makeLaunches(servers, directory).map(make));
    return known.get(key);
  };
}

/**
 * Each target turns a set of servers into the programs a client must start. `many` says whether it serves more than one
 * server, `judged` whether the goals are meant for it, `optional` that the run may do without it, `toolName` what a
 * server's tool is called through it (or `callText`: the params of that call, if they differ in more), `hidesTools` that
 * its list is not that of the servers, `era` in which the client speaks, `onlyCalls` that its starts are not measured,
 * `remembers` that it is measured with servers it has seen before. `what` and `version` are for the reader.
 */
export function createTargets({ command, nodeArgs = [] }) {
  const launchCopier = (servers, options = []) =>
    Object.values(servers).map((entry) => ({
      command: process.execPath,
      args: [copier, ...options, entry.command, ...entry.args],
    }));
  const launchOurs = (servers, directory) => {
    const config = writeConfig(directory, { mcpServers: servers });
    return [{ command: process.execPath, args: [...nodeArgs, command, '--config', config] }];
  };
  return [
    {
      name: 'direct',
      what: 'no aggregator: the client speaks to each server itself',
      many: true,
      launches: (servers) => Object.values(servers),
      toolName: (_key, tool) => tool,
    },
    {
      name: 'copier',
      what: 'a Node program that copies bytes between the client and one server: the least a process in between costs',
      many: false,
      launches: (servers) => launchCopier(servers),
      toolName: (_key, tool) => tool,
    },
    {
      name: 'copier-group',
      what: 'the same with its server in a process group of its own, without which what a server starts cannot be ended with it',
      onlyCalls: true,
      launches: (servers) => launchCopier(servers, ['--group']),
      toolName: (_key, tool) => tool,
    },
    {
      name: 'copier-modern',
      what: 'the copier between a client and a server without a handshake, whose requests say each time who asks',
      era: 'modern',
      onlyCalls: true,
      launches: (servers) => launchCopier(servers),
      toolName: (_key, tool) => tool,
    },
    {
      name: 'ours',
      what: 'mcp-simple-aggregator',
      version: ownVersion(),
      many: true,
      judged: true,
      launches: launchOurs,
      toolName: (key, tool) => `${key}:${tool}`,
    },
    {
      name: 'ours-lazy',
      what: 'the same with `--lazy` and servers it has seen before: they are listed from its cache and start when called',
      version: ownVersion(),
      many: true,
      remembers: true,
      launches: remember(launchOurs, ['--lazy']),
      toolName: (key, tool) => `${key}:${tool}`,
    },
    {
      name: 'ours-modern',
      what: 'mcp-simple-aggregator between such a client and server; compared with the copier between them',
      version: ownVersion(),
      era: 'modern',
      onlyCalls: true,
      launches: launchOurs,
      toolName: (key, tool) => `${key}:${tool}`,
    },
    {
      name: 'sdk',
      what: 'an aggregator built the usual way on the official SDK 1.x (bench/peers/sdk-aggregator.mjs)',
      version: sdkVersion(),
      many: true,
      optional: true,
      launches: (servers, directory) => {
        const config = writeConfig(directory, { mcpServers: servers });
        return [{ command: process.execPath, args: [sdkAggregator, config] }];
      },
      toolName: (key, tool) => `${key}:${tool}`,
    },
  ];
}
