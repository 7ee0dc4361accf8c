/** Test data of others, read where it lies: collections that are not part of this repository. Without them, nothing is read. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonCase } from '../data/json-cases.ts';

/** `TORTURE_DATA` names a folder with `JSONTestSuite` and `mcp-examples` in it. */
const FOLDER = process.env['TORTURE_DATA'] ?? join(import.meta.dirname, '../data');

/** The cases of nst/JSONTestSuite (its folder `test_parsing`): y_ is JSON, n_ is not, i_ is left open. */
export function readJsonTestSuite(): JsonCase[] {
  const folder = join(FOLDER, 'JSONTestSuite');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^[yni]_.*\.json$/.test(name))
    .map((name) => ({
      name,
      bytes: readFileSync(join(folder, name)),
      isJson: name.startsWith('i_') ? undefined : name.startsWith('y_'),
    }));
}

/** The examples beside the schema of the Model Context Protocol, each in a folder named after its type. */
export function readProtocolExamples(): JsonCase[] {
  const folder = join(FOLDER, 'mcp-examples');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)), isJson: true }));
}
