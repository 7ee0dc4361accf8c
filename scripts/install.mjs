/** Installs npm packages into a folder of their own, once and within a time limit; runs no scripts but those it is told to. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Where the servers and suites that others wrote go, in folders of their own. */
export const INSTALLED = join(import.meta.dirname, '../corpus/installed');
/** Minutes, because some compile, and a busy machine takes its time; says nothing but that npm hangs. */
const LIMIT_MS = 600_000;
const OPTIONS = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

function readStamp(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** npm runs as this process runs it, because the shell's `npm` may be another, or a script that Windows cannot start. */
function startNpm(args, cwd) {
  const own = process.env.npm_execpath;
  const [command, ...before] = own === undefined ? ['npm'] : [process.execPath, own];
  const stdio = ['ignore', 'ignore', 'pipe'];
  return spawn(command, [...before, ...args], { cwd, stdio, timeout: LIMIT_MS, killSignal: 'SIGKILL' });
}

/** What npm says first is the reason, advice follows; which registry it asked is the user's own affair. */
function summarize(said) {
  const lines = said.split('\n').filter((line) => line.startsWith('npm error'));
  return lines
    .slice(0, 2)
    .map((line) =>
      line
        .replace('npm error', '')
        .replace(/ - GET \S+/, '')
        .trim(),
    )
    .join(', ');
}

async function runNpm(what, args, folder) {
  const npm = startNpm(args, folder);
  let said = '';
  npm.stderr.on('data', (chunk) => (said += chunk));
  const [code, signal] = await new Promise((resolve, reject) => {
    npm.on('error', reject);
    npm.on('close', (...end) => resolve(end));
  });
  if (signal !== null) throw new Error(`npm took longer than ${LIMIT_MS / 1000} s to ${what}`);
  if (code !== 0) throw new Error(`npm could not ${what}: ${summarize(said)}`);
}

/**
 * Makes sure that the packages, given with their versions, are in the folder; those of `built` run their scripts.
 * @returns {Promise<string>} the folder
 */
export async function install(folder, packages, { built = [] } = {}) {
  const stamp = join(folder, 'installed.txt');
  const wanted = `${packages.join('\n')}\n`;
  if (readStamp(stamp) === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  await runNpm(`install "${basename(folder)}"`, ['install', ...OPTIONS, ...packages], folder);
  for (const name of built) {
    const args = ['rebuild', name, '--ignore-scripts=false', '--loglevel=error'];
    await runNpm(`build "${name}"`, args, folder);
  }
  writeFileSync(stamp, wanted);
  return folder;
}
