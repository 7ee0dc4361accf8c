/** The command line of Claude Code, from npm, with the aggregator as its server. Runs only with `npm run clients`: it fetches 240 MB. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { CLI, makeFolder } from '../support/session.ts';

const run = promisify(execFile);

const VERSION = '2.1.197';
const INSTALL_MS = 300_000;
const CLIENT_MS = 60_000;
/** The native program lies in a package of its own and needs no script to be put in place: the wrapper finds it. */
const OPTIONS = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
/** It must find neither the settings nor the credentials of whoever runs the test, nor talk to anybody but its server. */
const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
};

const isAsked = process.env['CLIENTS'] === 'on';

test.skipIf(!isAsked)(
  `Claude Code ${VERSION} shows the aggregator connected, and a server that is not there failed${isAsked ? '' : ' (not asked for: npm run clients)'}`,
  async () => {
    const folder = makeFolder();
    await run('npm', ['install', '--prefix', folder, ...OPTIONS, `@anthropic-ai/claude-code@${VERSION}`], {
      timeout: INSTALL_MS,
    });
    const config = join(folder, 'mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { one: fixture(), two: fixture() } }));
    const wrapper = join(folder, 'node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs');
    const claude = async (...args: string[]): Promise<string> => {
      const env = { PATH: process.env['PATH'], HOME: folder, ...QUIET };
      const options = { cwd: folder, env, timeout: CLIENT_MS };
      const { stdout } = await run(process.execPath, [wrapper, 'mcp', ...args], options);
      return stdout;
    };
    await claude('add', 'all', '--', process.execPath, CLI, '--config', config);
    await claude('add', 'none', '--', process.execPath, CLI, '--config', join(folder, 'missing.json'));
    const listed = await claude('list');
    expect(listed).toMatch(/^all: .* - ✔ Connected$/m);
    expect(listed).toMatch(/^none: .* - (?!✔)/m);
  },
  INSTALL_MS + 3 * CLIENT_MS,
);
