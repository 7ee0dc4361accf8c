// Renews the test data of others in test/data/foreign from checkouts of their repositories. Fetches nothing.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TARGET = join(import.meta.dirname, '../test/data/foreign');
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
/** Longer files repeat a few bytes; they are kept as those bytes and a count. */
const LONG_BYTES = 10_000;
const LONGEST_PERIOD = 10;

const [jsonTestSuite, protocol] = process.argv.slice(2);
if (protocol === undefined) {
  console.error('Usage: node scripts/foreign-data.mjs JSONTestSuite modelcontextprotocol (two checkouts)');
  process.exit(2);
}

/** One case: its name, its bytes as characters, and how often they are repeated before the last ones. */
function describe(name, text) {
  if (text.length < LONG_BYTES) return [name, text];
  for (let period = 1; period <= LONGEST_PERIOD; period += 1) {
    const unit = text.slice(0, period);
    const times = Math.floor(text.length / period);
    const end = text.slice(times * period);
    if (unit.repeat(times) + end === text) return [name, unit, times, end];
  }
  throw new Error(`${name} is long and repeats nothing`);
}

function writeCases(file, folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json'));
  const cases = names
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((name) => JSON.stringify(describe(name, readFileSync(join(folder, name), 'latin1'))));
  writeFileSync(join(TARGET, file), `[\n${cases.join(',\n')}\n]\n`);
}

/** What a schema demands, without what it tells people. */
function withoutDescriptions(value) {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => name !== 'description' || typeof member !== 'string',
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutDescriptions(member)]));
}

function writeSchema(version) {
  const schema = JSON.parse(readFileSync(join(protocol, 'schema', version, 'schema.json'), 'utf8'));
  writeFileSync(join(TARGET, `schema-${version}.json`), `${JSON.stringify(withoutDescriptions(schema))}\n`);
}

writeCases('json-test-suite.json', join(jsonTestSuite, 'test_parsing'));
writeCases('protocol-examples.json', join(protocol, 'schema', VERSIONS.at(-1), 'examples'));
for (const version of VERSIONS) writeSchema(version);
copyFileSync(join(jsonTestSuite, 'LICENSE'), join(TARGET, 'LICENSE-JSONTestSuite'));
copyFileSync(join(protocol, 'LICENSE'), join(TARGET, 'LICENSE-modelcontextprotocol'));
