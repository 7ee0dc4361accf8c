import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resolveCommand } from '../../src/process/command.ts';
import { childEnvironment, type EnvironmentParts } from '../../src/process/environment.ts';
import { makeShellFolder } from '../support/shell-folder.ts';

function make(parts: Partial<EnvironmentParts>): Record<string, string | undefined> {
  return { ...childEnvironment({ parent: {}, own: {}, isolate: false, platform: 'linux', ...parts }) };
}

function give(names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, 'x']));
}

describe('the environment of a child', () => {
  it("is the parent's, then the entry's own, then the extra variables", () => {
    const environment = make({
      parent: { A: 'parent', B: 'parent', C: 'parent', GONE: undefined },
      own: { B: 'own', C: 'own' },
      extra: { C: 'extra' },
    });
    expect(environment).toEqual({ A: 'parent', B: 'own', C: 'extra' });
  });

  it('lets the entry set a variable to nothing', () => {
    expect(make({ parent: { TOKEN: 'x' }, own: { TOKEN: '' } })).toEqual({ TOKEN: '' });
  });

  it('takes __proto__ and constructor for variables like any other, in a real child too', () => {
    const own: Record<string, string> = JSON.parse('{"__proto__": "p", "constructor": "c"}');
    const env = childEnvironment({ parent: { PATH: '/bin' }, own, isolate: false, platform: 'linux' });
    const run = spawnSync('/usr/bin/env', [], { env, encoding: 'utf8' });
    expect(run.stdout.split('\n')).toEqual(expect.arrayContaining(['__proto__=p', 'constructor=c']));
  });

  it('takes spellings of one name for one variable on Windows, and for two elsewhere', () => {
    const parts = { parent: { Path: 'C:\\a' }, own: { PATH: 'C:\\b' } };
    expect(make({ ...parts, platform: 'win32' })).toEqual({ Path: 'C:\\b' });
    expect(make({ ...parts, platform: 'linux' })).toEqual({ Path: 'C:\\a', PATH: 'C:\\b' });
  });
});

describe('an isolated environment', () => {
  const SAFE = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];
  const NETWORK = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

  it("keeps only the safe list of the parent's variables", () => {
    const secrets = ['AWS_SECRET_ACCESS_KEY', 'NODE_OPTIONS', 'LC_SECRET', 'home', 'APPDATA', '__proto__'];
    const parent = give([...SAFE, ...NETWORK, ...secrets]);
    expect(make({ parent, isolate: true })).toEqual(give([...SAFE, ...NETWORK]));
  });

  it("keeps all of the entry's own variables and the extra ones", () => {
    const environment = make({ parent: { X: '1' }, own: { MY_KEY: '2' }, extra: { E: '3' }, isolate: true });
    expect(environment).toEqual({ MY_KEY: '2', E: '3' });
  });

  it('keeps what programs on Windows cannot do without, in any spelling', () => {
    const kept = give(['Path', 'SystemRoot', 'ComSpec', 'USERPROFILE', 'ProgramFiles(x86)', 'Temp']);
    const parent = { ...kept, ...give(['OneDrive', 'GITHUB_TOKEN', 'ProgramFilesSecret']) };
    expect(make({ parent, isolate: true, platform: 'win32' })).toEqual(kept);
  });
});

describe('PATH of a child that runs node, npm or npx', () => {
  const nodeDir = '/opt/node/bin';

  it('stays as it is for every other command', () => {
    expect(make({ parent: { PATH: '/usr/bin::/x' } })).toEqual({ PATH: '/usr/bin::/x' });
    expect(make({})).toEqual({});
  });

  it("begins with the parent's Node.js", () => {
    expect(make({ parent: { PATH: '/usr/bin:/x' }, nodeDir })).toEqual({ PATH: '/opt/node/bin:/usr/bin:/x' });
  });

  it("ends with the parent's Node.js where the entry sets PATH itself", () => {
    const environment = make({ parent: { PATH: '/usr/bin' }, own: { PATH: '/mine' }, nodeDir });
    expect(environment).toEqual({ PATH: '/mine:/opt/node/bin' });
  });

  it('finds the shell when the parent has no PATH or an empty one', () => {
    const expected = { PATH: '/opt/node/bin:/usr/bin:/bin' };
    expect(make({ nodeDir })).toEqual(expected);
    expect(make({ parent: { PATH: '' }, nodeDir })).toEqual(expected);
  });

  it('never gets an empty part, which would be the current directory', () => {
    expect(make({ own: { PATH: '' }, nodeDir })).toEqual({ PATH: nodeDir });
    expect(make({ nodeDir: 'C:\\node', platform: 'win32' })).toEqual({ PATH: 'C:\\node' });
  });

  it('keeps its spelling and its delimiter on Windows', () => {
    const parts = { nodeDir: 'C:\\node', platform: 'win32' } as const;
    expect(make({ ...parts, parent: { Path: 'C:\\a;C:\\b' } })).toEqual({ Path: 'C:\\node;C:\\a;C:\\b' });
    expect(make({ ...parts, parent: { Path: 'C:\\a' }, own: { path: 'C:\\mine' } })).toEqual({
      Path: 'C:\\mine;C:\\node',
    });
  });

  it('does without a directory whose name holds the delimiter', () => {
    expect(make({ parent: { PATH: '/bin' }, nodeDir: '/a:b' })).toEqual({ PATH: '/bin' });
    expect(make({ nodeDir: '/a:b' })).toEqual({});
  });

  it('lets npx, and what npx starts, run when PATH knows no Node.js', () => {
    const home = mkdtempSync(join(tmpdir(), 'environment-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const server = join(home, 'node_modules', '.bin', 'tiny-server');
    mkdirSync(dirname(server), { recursive: true });
    writeFileSync(server, '#!/usr/bin/env node\nconsole.log(process.version)\n', { mode: 0o755 });

    const { platform, execPath } = process;
    const { file, args, nodeDir: found } = resolveCommand('npx', { platform, execPath, exists: existsSync });
    const parent = { PATH: makeShellFolder(), HOME: home, npm_config_offline: 'true' };
    const env = childEnvironment({ parent, own: {}, isolate: false, platform, nodeDir: found });
    const run = spawnSync(file, [...args, 'tiny-server'], { cwd: home, env, encoding: 'utf8' });
    expect(run).toMatchObject({ status: 0, stdout: `${process.version}\n` });
  });
});
