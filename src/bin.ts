/** Starts the command from code that V8 compiled at an earlier start: compiling is a third of what a start takes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { findCacheDirectory } from './cache-directory.ts';
import { readCacheFile, writeCacheFile } from './memory/cache-file.ts';
import type { Outcome } from './cli.ts';

/** Of the program's file, put in by the build. */
declare const __DIGEST__: string;

type Program = (exports: object, require: NodeJS.Require, module: { exports: object }) => void;

/** What the program itself gives us. */
interface Exports {
  run?(): Promise<Outcome>;
}

/** How much longer code must be than what is kept, to be worth writing. */
const WORTH_KEEPING = 1.02;

const file = join(__dirname, 'main.cjs');
const directory = findCacheDirectory(process.env, process.platform);
const cacheFile = directory && join(directory, `${__DIGEST__}-${process.version}-${process.arch}.code`);
const source = readFileSync(file, 'utf8');
const cachedData = readCode();
const script = new Script(source, { filename: file, cachedData });

const main: { exports: Exports } = { exports: {} };
(script.runInThisContext() as Program)(main.exports, require, main);
void main.exports.run?.().then(({ exitCode, isTypical }) => {
  if (isTypical) keepCode();
  process.exit(exitCode);
});

/** V8 itself does not look for damage, and dies of it. */
function readCode(): Buffer | undefined {
  return readCacheFile<number, Buffer>(cacheFile, ({ index, take }) => take(index));
}

/** What was compiled in this run, if it is more than was kept before: a run with other options uses other parts. */
function keepCode(): void {
  if (cacheFile === undefined) return;
  const code = script.createCachedData();
  const kept = script.cachedDataRejected === true ? 0 : (cachedData?.length ?? 0);
  if (code.length >= kept * WORTH_KEEPING) writeCacheFile(cacheFile, code.length, [code]);
}
