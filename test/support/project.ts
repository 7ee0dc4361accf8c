/** Writes a folder as npm makes one, whose local program `local-server` is the fixture server. Installs nothing. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type FixtureOptions, SERVER } from './fixture.ts';
import { makeFolder, type ServerEntry } from './session.ts';

export interface Project {
  folder: string;
  /** Keeps npm from writing outside the folder and from asking the network. */
  env: Record<string, string>;
}

export function makeProject(): Project {
  const folder = makeFolder();
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'local-server');
  // Finds its Node.js on PATH, as every program does that npm links.
  writeFileSync(program, `#!/usr/bin/env node\nimport(${JSON.stringify(pathToFileURL(SERVER).href)});\n`);
  chmodSync(program, 0o755);
  const scripts = { serve: "local-server '{}'" };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true, scripts }));
  const env = {
    npm_config_cache: join(folder, 'cache'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_logs_max: '0',
  };
  return { folder, env };
}

/** An entry that starts the project's server through npx, as most configs start theirs. */
export function npxEntry(project: Project, options: FixtureOptions = {}): ServerEntry {
  const args = ['--no', '--', 'local-server', JSON.stringify(options)];
  return { command: 'npx', args, cwd: project.folder };
}
