/** What SECURITY.md promises of the process itself: no shell between the config and a program, and no open port. Linux only, for /proc. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, SERVER } from '../support/fixture.ts';
import { makeFolder, startReady } from '../support/session.ts';

const HOSTILE = [
  '; touch TARGET',
  '$(touch TARGET)',
  '`touch TARGET`',
  '| touch TARGET',
  '&& touch TARGET',
  '> TARGET',
];

test('arguments reach a program as they are, whatever a shell would make of them', async () => {
  const target = join(makeFolder(), 'touched');
  const args = HOSTILE.map((text) => text.replace('TARGET', target));
  const servers = { a: { command: 'node', args: [SERVER, '{}', ...args], env: { EVIL: args.join('\n') } } };
  const session = await startReady({ servers });
  const pid = await session.callText('a:pid');
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  expect(commandLine.slice(-args.length)).toEqual(args);
  expect(JSON.parse(await session.callText('a:env', { names: ['EVIL'] }))).toEqual([args.join('\n')]);
  expect(existsSync(target)).toBe(false);
});

/** The sockets of the internet families, as far as the kernel lists them. */
function listInternetSockets(): Set<string> {
  const tables = ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'].map((name) => `/proc/net/${name}`);
  const rows = tables.filter(existsSync).flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(1));
  return new Set(rows.flatMap((row) => row.trim().split(/\s+/)[9] ?? []));
}

function listSocketsOf(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

test('nothing of it listens on a port or speaks to the network', async () => {
  const session = await startReady({ servers: { a: fixture(), b: fixture() }, args: ['--restart'] });
  await session.callText('a:echo');
  const internet = listInternetSockets();
  expect(listSocketsOf(session.pid).length).toBeGreaterThan(0);
  expect(listSocketsOf(session.pid).filter((inode) => internet.has(inode))).toEqual([]);
});
