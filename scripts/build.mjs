/** Builds the command (CommonJS: no module loader on the start-up path), the library (ESM) and its types. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
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

const command = { ...shared, format: 'cjs', minify: true };

await build({
  ...command,
  entryPoints: ['src/cli.ts'],
  outfile: 'dist/main.cjs',
  // ASCII is what a start reads fastest, and what V8 keeps at one byte a character.
  charset: 'ascii',
  external: ['./people.cjs'],
  // One file: what is imported on demand lies in it, unevaluated.
  supported: { 'dynamic-import': false },
  // As a function, which is how the start calls it.
  banner: { js: '(function(exports,require,module){' },
  footer: { js: '})' },
});

/** Compiled code is kept by what it was compiled from: V8 itself compares no more than the length. */
const digest = createHash('sha256').update(readFileSync('dist/main.cjs')).digest('hex').slice(0, 12);

await Promise.all([
  build({ ...command, entryPoints: ['src/cli/people.ts'], outfile: 'dist/people.cjs' }),
  build({
    ...command,
    entryPoints: ['src/bin.ts'],
    outfile: 'dist/cli.cjs',
    define: { __DIGEST__: JSON.stringify(digest) },
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({
    ...shared,
    entryPoints: ['src/index.ts'],
    format: 'esm',
    outfile: 'dist/index.js',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  }),
]);
chmodSync('dist/cli.cjs', 0o755);

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
