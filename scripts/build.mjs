/** Builds the command (one CommonJS file: no module loader on the start-up path), the library (ESM) and its types. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  define: { __VERSION__: JSON.stringify(version) },
  logLevel: 'warning',
};

await Promise.all([
  build({
    ...shared,
    entryPoints: ['src/cli.ts'],
    format: 'cjs',
    outfile: 'dist/cli.cjs',
    minify: true,
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({
    ...shared,
    entryPoints: ['src/index.ts'],
    format: 'esm',
    outfile: 'dist/index.js',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  }),
]);
chmodSync('dist/cli.cjs', 0o755);

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
