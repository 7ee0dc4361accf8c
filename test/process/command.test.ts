import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkWorkingDirectory,
  explainSpawnFailure,
  type Host,
  resolveCommand,
  type SpawnAttempt,
} from '../../src/process/command.ts';

const POSIX_NODE = '/opt/node/bin/node';
const WINDOWS_NODE = 'C:\\Program Files\\nodejs\\node.exe';
const WINDOWS_NPM = 'C:\\Program Files\\nodejs\\node_modules\\npm\\bin';

function posixHost(...files: string[]): Host {
  return { platform: 'linux', execPath: POSIX_NODE, exists: (path) => files.includes(path) };
}

function windowsHost(...files: string[]): Host {
  return { platform: 'win32', execPath: WINDOWS_NODE, exists: (path) => files.includes(path) };
}

const thisHost: Host = { platform: process.platform, execPath: process.execPath, exists: existsSync };

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'command-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function place(name: string, text: string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('resolving a command', () => {
  it('runs node as the Node.js that runs the parent', () => {
    expect(resolveCommand('node', posixHost(POSIX_NODE))).toEqual({
      file: POSIX_NODE,
      args: [],
      nodeDir: '/opt/node/bin',
      resolvedFrom: 'node',
    });
  });

  it('gives the child the version of the parent when PATH knows no Node.js at all', () => {
    const { file, args } = resolveCommand('node', thisHost);
    const run = spawnSync(file, [...args, '-p', 'process.version'], { env: { PATH: directory } });
    expect(run.stdout.toString().trim()).toBe(process.version);
  });

  it.each(['npm', 'npx'])('runs the %s that stands beside the parent', (command) => {
    expect(resolveCommand(command, posixHost(POSIX_NODE, `/opt/node/bin/${command}`))).toEqual({
      file: `/opt/node/bin/${command}`,
      args: [],
      nodeDir: '/opt/node/bin',
      resolvedFrom: command,
    });
  });

  it.each(['npm', 'npx'])('leaves %s to PATH when there is none beside the parent', (command) => {
    expect(resolveCommand(command, posixHost(POSIX_NODE))).toEqual({
      file: command,
      args: [],
      nodeDir: '/opt/node/bin',
    });
  });

  it.each([
    'python',
    'nodejs',
    'Node',
    'node.exe',
    'npm.cmd',
    'node ',
    '',
    '/usr/bin/node',
    './node',
    'bin/npx',
    '__proto__',
    'constructor',
  ])('leaves %j as it is', (command) => {
    const everything = { platform: 'linux', execPath: POSIX_NODE, exists: () => true } as const;
    expect(resolveCommand(command, everything)).toEqual({ file: command, args: [] });
  });

  it('leaves node to PATH when the running Node.js has been removed since', () => {
    expect(resolveCommand('node', posixHost())).toEqual({ file: 'node', args: [] });
    expect(resolveCommand('npx', posixHost('/opt/node/bin/npx'))).toEqual({ file: 'npx', args: [] });
  });

  it.each(['', 'node'])('leaves node to PATH when the path of the running Node.js is %j', (execPath) => {
    const host = { platform: 'linux', execPath, exists: () => true } as const;
    expect(resolveCommand('node', host)).toEqual({ file: 'node', args: [] });
  });

  it.each(['node', 'node.exe', 'Node.EXE'])('takes %s for node on Windows', (command) => {
    expect(resolveCommand(command, windowsHost(WINDOWS_NODE))).toEqual({
      file: WINDOWS_NODE,
      args: [],
      nodeDir: 'C:\\Program Files\\nodejs',
      resolvedFrom: command,
    });
  });

  it.each(['npx', 'npx.cmd', 'NPX'])('runs the script of %s without cmd.exe on Windows', (command) => {
    const script = `${WINDOWS_NPM}\\npx-cli.js`;
    const host = windowsHost(WINDOWS_NODE, script, 'C:\\Program Files\\nodejs\\npx.cmd');
    expect(resolveCommand(command, host)).toEqual({
      file: WINDOWS_NODE,
      args: [script],
      nodeDir: 'C:\\Program Files\\nodejs',
      resolvedFrom: command,
    });
  });

  it('takes npm.cmd on Windows when its script is not where it usually is', () => {
    const beside = 'C:\\Program Files\\nodejs\\npm.cmd';
    expect(resolveCommand('npm', windowsHost(WINDOWS_NODE, beside))).toMatchObject({
      file: beside,
      args: [],
      resolvedFrom: 'npm',
    });
  });

  it('leaves npm to PATH on Windows when neither script nor npm.cmd is there', () => {
    const resolved = resolveCommand('npm', windowsHost(WINDOWS_NODE));
    expect(resolved).toEqual({ file: 'npm', args: [], nodeDir: 'C:\\Program Files\\nodejs' });
  });

  it.each(['C:\\tools\\node.exe', 'node.cmd', 'python'])('leaves %j as it is on Windows', (command) => {
    const everything = { platform: 'win32', execPath: WINDOWS_NODE, exists: () => true } as const;
    expect(resolveCommand(command, everything)).toEqual({ file: command, args: [] });
  });
});

describe('checking a working directory', () => {
  it('finds nothing wrong with a directory', () => {
    expect(checkWorkingDirectory(directory)).toBeUndefined();
  });

  it('tells a missing one, a file, and one below a file from each other', () => {
    const file = place('plain', '');
    expect(checkWorkingDirectory(join(directory, 'none'), '$ROOT/none')).toBe(
      'The working directory "$ROOT/none" does not exist; create it, or correct "cwd"',
    );
    expect(checkWorkingDirectory(file, 'plain')).toBe(
      'The working directory "plain" is not a directory; correct "cwd"',
    );
    expect(checkWorkingDirectory(join(file, 'x'), 'plain/x')).toBe(
      'The working directory "plain/x" does not exist: a part of its path is a file; correct "cwd"',
    );
  });

  it('says that "~" is not expanded', () => {
    expect(checkWorkingDirectory('~/none', '~/none')).toContain('"~" is not expanded; write $HOME');
  });

  it('names no directory when it does not know how the config spells it', () => {
    expect(checkWorkingDirectory(join(directory, 'none'))).toMatch(/^The working directory "cwd" does not/);
  });

  it.skipIf(process.getuid?.() === 0)('says when a directory may not be entered', () => {
    const closed = join(directory, 'closed');
    mkdirSync(closed, { mode: 0o600 });
    expect(checkWorkingDirectory(closed, 'closed')).toContain('may not be entered');
  });
});

describe('explaining a failed start', () => {
  interface Start {
    command: string;
    args?: string[];
    path?: string | undefined;
    cwd?: string;
    text?: string;
    host?: Host;
  }

  /** Starts the command for real and explains the error that comes of it. */
  async function explain({ command, args = [], path, cwd, text = command, host = thisHost }: Start) {
    const executable = resolveCommand(command, host);
    const env = path === undefined ? {} : { PATH: path };
    const attempt: SpawnAttempt = {
      commandText: text,
      executable,
      path,
      cwd,
      cwdText: cwd && 'work',
      platform: host.platform,
    };
    const error = await new Promise<unknown>((resolve, reject) => {
      try {
        const child = spawn(executable.file, [...executable.args, ...args], { env, cwd, stdio: 'ignore' });
        child.on('error', resolve);
        child.on('exit', () => reject(new Error(`"${command}" was started`)));
      } catch (thrown) {
        resolve(thrown);
      }
    });
    return explainSpawnFailure(error, attempt);
  }

  it('says which directories of PATH were searched', async () => {
    expect(await explain({ command: 'no-such', path: `/no/a:${directory}:/no/a:` })).toBe(
      `Command "no-such" was not found in any directory of PATH (/no/a, ${directory}); ` +
        'install it, or write its full path as "command"',
    );
  });

  it('says when PATH names no directory to search', async () => {
    expect(await explain({ command: 'no-such' })).toContain('was not found because PATH is not set');
    expect(await explain({ command: 'no-such', path: '' })).toContain('was not found because PATH is empty');
  });

  it('says that npx was searched beside Node.js too', async () => {
    const lonely = place('node', '');
    const host: Host = { ...thisHost, execPath: lonely };
    expect(await explain({ command: 'npx', path: `${directory}:/no/a`, host })).toContain(
      `was not found beside Node.js (${directory}), nor in any directory of PATH (/no/a);`,
    );
    expect(await explain({ command: 'npx', path: directory, host })).toContain(
      `was not found beside Node.js (${directory}), and PATH names no other directory;`,
    );
  });

  it('splits PATH as Windows does there', () => {
    const attempt: SpawnAttempt = {
      commandText: 'uvx',
      executable: { file: 'uvx', args: [] },
      path: 'C:\\a;D:\\b',
      platform: 'win32',
    };
    const error = Object.assign(new Error('spawn uvx ENOENT'), { code: 'ENOENT' });
    expect(explainSpawnFailure(error, attempt)).toContain('in any directory of PATH (C:\\a, D:\\b)');
  });

  it('says that arguments do not belong into "command"', async () => {
    expect(await explain({ command: 'uvx my-server', path: directory })).toContain(
      'write the program alone as "command" and the rest as "args"',
    );
  });

  it.each(['"uvx"', "'/usr/bin/my server'"])('says that %s needs no quotes of its own', async (command) => {
    expect(await explain({ command, path: directory })).toMatch(
      /; write it without the quotes inside the quotes$/,
    );
  });

  it('says where a relative path was looked up, and that "~" is not expanded', async () => {
    expect(await explain({ command: '/no/such', path: '' })).toBe(
      'Command "/no/such" was not found: there is no such file; correct the path in "command"',
    );
    expect(await explain({ command: './no-such', path: '', cwd: directory })).toContain(
      'there is no such file (looked up from the working directory)',
    );
    expect(await explain({ command: '~/bin/x', path: '' })).toContain('"~" is not expanded');
  });

  it('says when a resolved program has vanished before it was started', async () => {
    const vanishing = place('vanishing', '');
    const host: Host = { ...thisHost, execPath: vanishing, exists: () => true };
    rmSync(vanishing);
    expect(await explain({ command: 'node', path: '', host })).toBe(
      `Command "node" (resolved to "${vanishing}") was not found: ` +
        'it was there when the command was resolved; start again',
    );
  });

  it('tells a missing interpreter from a missing command, by path and by PATH', async () => {
    const script = place('orphan', '#!/no/interpreter\n');
    const reason = 'but what runs it was not found: the program named in its first line (#!)';
    expect(await explain({ command: script, path: '' })).toContain(`Command "${script}" exists, ${reason}`);
    expect(await explain({ command: 'orphan', path: `/no:${directory}` })).toContain(
      `Command "orphan" exists in "${directory}", ${reason}`,
    );
  });

  it('says when a file is not executable, or a directory', async () => {
    const file = place('idle', '#!/bin/sh\n', 0o644);
    expect(await explain({ command: file, path: '' })).toBe(
      `Command "${file}" is not executable; permit it (chmod +x), or correct "command"`,
    );
    expect(await explain({ command: './idle', path: '', cwd: directory })).toContain('is not executable;');
    expect(await explain({ command: 'idle', path: directory })).toContain(
      `is not executable in "${directory}"; permit it`,
    );
    expect(await explain({ command: directory, path: '' })).toContain('is a directory, not a program');
  });

  it.skipIf(process.getuid?.() === 0)('says when a directory of PATH may not be read', async () => {
    const closed = join(directory, 'unreadable');
    mkdirSync(closed, { mode: 0o000 });
    expect(await explain({ command: 'tool', path: closed })).toContain('may not be looked up');
  });

  it('blames the working directory, not the command, when that is what is missing', async () => {
    const cwd = join(directory, 'none');
    expect(await explain({ command: 'node', path: '', cwd })).toContain('"work" does not exist; create it');
    const file = place('file', '');
    expect(await explain({ command: 'node', path: '', cwd: file })).toContain('"work" is not a directory');
  });

  it('explains a start that throws at once', async () => {
    const file = place('part', '');
    expect(await explain({ command: `${file}/x`, path: '' })).toContain('a part of its path is a file');
    expect(await explain({ command: 'x'.repeat(300), path: directory })).toContain('path is too long');
    expect(await explain({ command: '', path: '' })).toContain('the command is empty');
    expect(await explain({ command: 'node', args: ['a\0b'], path: '' })).toContain('contains a NUL');
    const huge = 'x'.repeat(4 * 1024 * 1024);
    expect(await explain({ command: 'node', args: [huge], path: '' })).toContain('shorten "args" or "env"');
  });

  it.each([
    ['EMFILE', 'too many open files; raise the limit (ulimit -n)'],
    ['EAGAIN', 'the process limit is reached'],
    ['ENOMEM', 'out of memory'],
    ['EFTYPE', 'not a program that this system can run'],
    ['Unknown system error -86', 'not a program that this system can run'],
    ['EWHATEVER', 'Command "tool" could not be started (EWHATEVER)'],
  ])('explains %s', (code, words) => {
    const attempt: SpawnAttempt = {
      commandText: 'tool',
      executable: { file: 'tool', args: [] },
      path: '/bin',
      platform: 'linux',
    };
    expect(explainSpawnFailure(Object.assign(new Error('spawn'), { code }), attempt)).toContain(words);
  });

  it('explains even what is not an error', () => {
    const attempt: SpawnAttempt = {
      commandText: 'tool',
      executable: { file: 'tool', args: [] },
      path: '/bin',
      platform: 'linux',
    };
    expect(explainSpawnFailure(undefined, attempt)).toBe(
      'Command "tool" could not be started (unknown error)',
    );
  });

  it('shows the command as the config has it, never what it was expanded to, nor an argument', async () => {
    const canary = 'sk-canary-123';
    const cwd = join(directory, canary);
    const starts: Start[] = [
      { command: `/no/${canary}`, path: '' },
      { command: canary, path: directory },
      { command: place(`${canary}-idle`, '', 0o644), path: '' },
      { command: `${canary}-idle`, path: directory },
      { command: place(`${canary}-orphan`, '#!/no/interpreter\n'), path: '' },
      { command: 'node', args: [`${canary}\0`], path: '' },
      { command: 'node', path: '', cwd },
    ];
    for (const start of starts) {
      const message = await explain({ args: [canary], ...start, text: '$TOOL' });
      expect(message).not.toContain(canary);
      expect(message).toMatch(/"\$TOOL"|"work"/);
    }
  });
});
