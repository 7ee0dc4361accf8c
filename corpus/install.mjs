/** Installs npm packages into folders of their own below corpus/installed, once and within a time limit; runs none of their scripts. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INSTALLED = join(import.meta.dirname, 'installed');
const LIMIT_MS = 180_000;
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

/** What npm says first is the reason; advice follows. */
function summarize(said) {
  const lines = said.split('\n').filter((line) => line.startsWith('npm error'));
  return lines
    .slice(0, 2)
    .map((line) => line.replace('npm error', '').trim())
    .join(', ');
}

/**
 * Makes sure that the packages, given with their versions, are in the folder of that name.
 * @returns {Promise<string>} the folder
 */
export async function install(name, packages) {
  const folder = join(INSTALLED, name);
  const stamp = join(folder, 'installed.txt');
  const wanted = `${packages.join('\n')}\n`;
  if (readStamp(stamp) === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const npm = startNpm(['install', ...OPTIONS, ...packages], folder);
  let said = '';
  npm.stderr.on('data', (chunk) => (said += chunk));
  const [code, signal] = await new Promise((resolve, reject) => {
    npm.on('error', reject);
    npm.on('close', (...end) => resolve(end));
  });
  if (signal !== null) throw new Error(`npm took longer than ${LIMIT_MS / 1000} s to install "${name}"`);
  if (code !== 0) throw new Error(`npm could not install "${name}": ${summarize(said)}`);
  writeFileSync(stamp, wanted);
  return folder;
}
