/** Builds and runs all tests on other versions of Node.js, each from the npm package of Node.js itself. Changes no lock file. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findNode } from './find-node.mjs';

const ROOT = join(import.meta.dirname, '..');
const DEFAULT_MAJORS = ['20', '22', '24', '26'];

async function tryVersion(major, { isFresh, filters, folder }) {
  const report = join(folder, `${major}.json`);
  try {
    const node = await findNode(major, { isFresh });
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    console.log(`\nNode.js ${version}`);
    const path = `${dirname(node)}${delimiter}${process.env['PATH']}`;
    const options = { cwd: ROOT, stdio: 'inherit', env: { ...process.env, PATH: path } };
    execFileSync(node, ['scripts/build.mjs'], options);
    const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
    const { status } = spawnSync(
      node,
      ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...filters],
      options,
    );
    return { version, ...readReport(report), isGood: status === 0 };
  } catch (error) {
    const version = `${major}: ${error.message.split('\n')[0]}`;
    console.log(`\nNode.js ${version}`);
    return { version, isGood: false };
  }
}

function readReport(file) {
  const { numPassedTests, numFailedTests, numPendingTests, startTime, testResults } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const seconds = Math.round((Math.max(...testResults.map(({ endTime }) => endTime)) - startTime) / 1000);
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  return {
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests,
    seconds,
    titles: failed,
  };
}

const words = process.argv.slice(2);
if (words.includes('--help')) {
  console.log(
    'Usage: npm run nodes -- [--fresh] [VERSION …] [test file …]\nVersions: 20 22 24 26, unless named',
  );
  process.exit(0);
}
const majors = words.filter((word) => /^\d+$/.test(word));
const filters = words.filter((word) => !/^\d+$/.test(word) && !word.startsWith('--'));
const folder = mkdtempSync(join(tmpdir(), 'msa-nodes-'));
const settings = { isFresh: words.includes('--fresh'), filters, folder };
const rows = [];
for (const major of majors.length > 0 ? majors : DEFAULT_MAJORS) rows.push(await tryVersion(major, settings));
rmSync(folder, { recursive: true, force: true });

console.log('\n| Node.js | passed | failed | skipped | seconds |\n| --- | --- | --- | --- | --- |');
for (const { version, passed = '', failed = '', skipped = '', seconds = '', titles = [] } of rows) {
  console.log(`| ${version} | ${passed} | ${failed} | ${skipped} | ${seconds} |`);
  for (const title of titles) console.log(`|   failed: ${title} |`);
}
process.exitCode = rows.every(({ isGood }) => isGood) ? 0 : 1;
