/** Test data of others (test/data/foreign), as cases. Changes nothing in it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonCase } from '../data/json-cases.ts';

const FOLDER = join(import.meta.dirname, '../data/foreign');

/** A name and bytes as characters; where they are repeated, how often, and what comes after. */
type Kept = readonly [name: string, bytes: string, times?: number, end?: string];

function readCases(file: string, isJson: (name: string) => boolean | undefined): JsonCase[] {
  const cases = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Kept[];
  return cases.map(([name, bytes, times = 1, end = '']) => ({
    name,
    bytes: Buffer.from(bytes.repeat(times) + end, 'latin1'),
    isJson: isJson(name),
  }));
}

/** The cases of nst/JSONTestSuite: y_ is JSON, n_ is not, i_ is left open. */
export function readJsonTestSuite(): JsonCase[] {
  return readCases('json-test-suite.json', (name) =>
    name.startsWith('i_') ? undefined : name.startsWith('y_'),
  );
}

/** The examples beside the schema of the protocol, each in a folder named after its type. */
export function readProtocolExamples(): JsonCase[] {
  return readCases('protocol-examples.json', () => true);
}
