/** Makes targets of the other aggregators that can be had from npm, and says why the rest cannot. Installs only when asked to. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from '../../scripts/find-node.mjs';
import { install } from '../../scripts/install.mjs';
import { ELSEWHERE, peers } from './table.mjs';

/** Fixed, so that figures can be compared. */
const { peers: versions } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** Where a peer asks for a later Node.js than this one, it gets that one; its servers are the same for all. */
async function chooseNode({ node = '' } = {}) {
  const asked = /^(?:>=|\^|~)?\s*v?(\d+)/.exec(node)?.[1];
  const isEnough = asked === undefined || Number(asked) <= Number(process.versions.node.split('.')[0]);
  return isEnough ? { path: process.execPath } : { path: await findNode(asked), major: asked };
}

function describe({ package: name, isMadeOf, callText }, { major }) {
  const notes = [
    isMadeOf,
    major && `on Node.js ${major}, which it asks for`,
    callText &&
      'it offers tools to search with in the place of those of the servers, so lists are not compared',
  ].filter(Boolean);
  return `the npm package ${name}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`;
}

/** A folder for each: a package that cannot be had must not keep the others from being installed. */
async function createTarget(peer, progress) {
  const folder = fileURLToPath(new URL(`installed/${peer.name}`, import.meta.url));
  progress(`looking for ${peer.package} ${versions[peer.package]}`);
  await install(folder, [`${peer.package}@${versions[peer.package]}`], { built: peer.built });
  const own = join(folder, 'node_modules', peer.package);
  const { bin, version, engines } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  const node = await chooseNode(engines);
  const script = join(own, typeof bin === 'string' ? bin : Object.values(bin)[0]);
  const [command, ...before] = peer.findProgram?.(own) ?? [node.path, script];
  return {
    name: peer.name,
    what: describe(peer, node),
    version,
    many: true,
    optional: true,
    hidesTools: peer.callText !== undefined,
    launches: (servers, directory) => {
      // A home of its own: what a peer stores must neither help its next start nor touch the user's.
      const home = mkdtempSync(join(directory, 'home-'));
      const config = join(home, peer.file);
      writeFileSync(config, peer.configure(servers));
      const env = { HOME: home, XDG_RUNTIME_DIR: home, ...peer.env?.(home) };
      return [{ command, args: [...before, ...peer.args(config)], env, cwd: home }];
    },
    toolName: peer.toolName,
    callText: peer.callText,
  };
}

/** The peers that are there as targets; those that are not, each with the reason. */
export async function findPeers({ wanted, progress }) {
  const [targets, absent] = [[], []];
  if (!wanted) return { targets, absent };
  for (const peer of peers) {
    try {
      targets.push(await createTarget(peer, progress));
    } catch (error) {
      absent.push({ name: `${peer.package} ${versions[peer.package]}`, reason: error.message });
    }
  }
  return { targets, absent: [...absent, ...ELSEWHERE] };
}
