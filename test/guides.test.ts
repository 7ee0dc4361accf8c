/** The guides, as far as they can be tried without the clients: what they say to run runs, what they say to paste is right. */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseOptions } from '../src/cli/options.ts';
import { loadConfig } from '../src/config/load.ts';
import { makeFolder } from './support/session.ts';

const GUIDES = join(import.meta.dirname, '../docs/guides');
const QUIET: StdioOptions = ['ignore', 'ignore', 'pipe'];

const readGuide = (name: string): string => readFileSync(join(GUIDES, name), 'utf8');
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** The script of the one step, as it stands in the guide. */
function findStep(): string {
  const [, script] = /^node -e "(.*)" CLIENT_FILE NEW_FILE$/m.exec(readGuide('README.md')) ?? [];
  if (script === undefined) throw new Error('The guides name no step');
  return script;
}

function move(folder: string, file: string): void {
  execFileSync(process.execPath, ['-e', findStep(), file, 'mcp-servers.json'], { cwd: folder, stdio: QUIET });
}

test.each(['mcpServers', 'servers'])('one step moves the servers of a file with "%s"', (root) => {
  const folder = makeFolder();
  const local = { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } };
  const remote = { url: 'https://example.com/mcp' };
  const before = { theme: 'dark', [root]: { fs: local, remote } };
  writeFileSync(join(folder, 'client.json'), JSON.stringify(before));
  move(folder, 'client.json');
  const moved = join(folder, 'mcp-servers.json');
  expect(loadConfig(moved, {}).servers).toMatchObject([{ key: 'fs', args: ['-y', 'x'] }]);
  if (process.platform !== 'win32') expect(statSync(moved).mode & 0o777).toBe(0o600);
  const all = { command: 'npx', args: ['-y', 'mcp-simple-aggregator', '--config', expect.any(String)] };
  expect(readJson(join(folder, 'client.json'))).toEqual({ theme: 'dark', [root]: { remote, all } });
  expect(readJson(join(folder, 'client.json.bak'))).toEqual(before);
});

test('the step overwrites no file', () => {
  const folder = makeFolder();
  const text = JSON.stringify({ mcpServers: { fs: { command: 'npx' } } });
  for (const name of ['client.json', 'mcp-servers.json']) writeFileSync(join(folder, name), text);
  expect(() => move(folder, 'client.json')).toThrow('EEXIST');
  expect(readFileSync(join(folder, 'client.json'), 'utf8')).toBe(text);
});

test.each(readdirSync(GUIDES))('what %s says to paste is JSON, with options that there are', (name) => {
  const blocks = [...readGuide(name).matchAll(/```json\n(.*?)```/gs)].map(([, block = '']) => block);
  for (const block of blocks) {
    const json = JSON.parse(block.startsWith('{') ? block : `{${block}}`) as Record<string, unknown>;
    const entries = Object.values(json['mcpServers'] ?? json['servers'] ?? json) as { args: string[] }[];
    for (const { args } of entries) {
      const [yes, program, ...options] = args;
      expect([yes, program]).toEqual(['-y', 'mcp-simple-aggregator']);
      expect(parseOptions(options, { version: '0' })).toMatchObject({ kind: 'serve' });
    }
  }
});
