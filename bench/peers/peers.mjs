/** Other aggregators from npm, each with its own command line and config format. Installs only when asked to. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeConfig } from '../targets.mjs';

const INSTALL_LIMIT_MS = 180_000;

/**
 * Versions are fixed so that figures can be compared. Peers that offer a search tool instead of the servers' tools
 * (mcp-broker, slop-mcp, ncp) answer another question than these workloads ask and are left out.
 */
const { peers: versions } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

const peers = [
  {
    name: 'mcporter',
    package: 'mcporter',
    configure: (servers) => {
      // It serves only the servers that its daemon keeps alive.
      const entries = Object.entries(servers).map(([key, entry]) => [
        key,
        { ...entry, lifecycle: 'keep-alive' },
      ]);
      return { mcpServers: Object.fromEntries(entries) };
    },
    args: (config) => ['--config', config, 'serve', '--stdio'],
    toolName: (key, tool) => `${key}__${tool}`,
  },
  {
    name: '1mcp',
    package: '@1mcp/agent',
    configure: (servers) => ({ mcpServers: servers }),
    args: (config) => ['serve', '--transport', 'stdio', '--config', config],
    toolName: (key, tool) => `${key}_1mcp_${tool}`,
  },
  {
    name: 'hatago',
    package: '@himorishige/hatago-mcp-hub',
    configure: (servers) => ({ mcpServers: servers }),
    args: (config) => ['serve', '--stdio', '--config', config],
    toolName: (key, tool) => `${key}_${tool}`,
  },
  {
    name: 'mcp-funnel',
    package: 'mcp-funnel',
    // Its own search tools are switched off, so that the list holds the servers' tools alone.
    configure: (servers) => ({ servers, exposeCoreTools: [] }),
    args: (config) => [config],
    toolName: (key, tool) => `${key}__${tool}`,
  },
];

/** A folder for each: a package that cannot be had must not keep the others from being installed. */
function folderOf(peer) {
  return fileURLToPath(new URL(`installed/${peer.name}`, import.meta.url));
}

function packageOf(peer) {
  const folder = join(folderOf(peer), 'node_modules', peer.package);
  const file = join(folder, 'package.json');
  return existsSync(file) ? { folder, ...JSON.parse(readFileSync(file, 'utf8')) } : undefined;
}

function install(peer, progress) {
  const wanted = versions[peer.package];
  if (packageOf(peer)?.version === wanted) return;
  progress(`installing ${peer.package} ${wanted}`);
  mkdirSync(folderOf(peer), { recursive: true });
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const args = ['install', ...flags, '--prefix', folderOf(peer), `${peer.package}@${wanted}`];
  try {
    execFileSync('npm', args, { stdio: 'ignore', timeout: INSTALL_LIMIT_MS });
  } catch {
    // What is missing is reported with the others that are.
  }
}

function createTarget(peer, { folder, bin, version, engines }) {
  const command = join(folder, typeof bin === 'string' ? bin : Object.values(bin)[0]);
  return {
    name: peer.name,
    // Said for fairness: it may run on an older Node than it was made for.
    what: `the npm package ${peer.package}${engines?.node ? ` (asks for Node.js ${engines.node})` : ''}`,
    version,
    many: true,
    optional: true,
    launches: (servers, directory) => {
      const config = writeConfig(directory, peer.configure(servers));
      // A home of its own: what a peer stores must neither help its next start nor touch the user's.
      const env = { HOME: join(config, '..'), XDG_RUNTIME_DIR: join(config, '..') };
      return [{ command: process.execPath, args: [command, ...peer.args(config)], env }];
    },
    toolName: peer.toolName,
  };
}

/** The peers that are there as targets, and the names of those that are not. */
export function findPeers({ wanted, progress }) {
  if (!wanted) return { targets: [], absent: [] };
  for (const peer of peers) install(peer, progress);
  const found = peers.map((peer) => ({ peer, own: packageOf(peer) }));
  return {
    targets: found.filter(({ own }) => own !== undefined).map(({ peer, own }) => createTarget(peer, own)),
    absent: found
      .filter(({ own }) => own === undefined)
      .map(({ peer }) => `${peer.package} ${versions[peer.package]}`),
  };
}
