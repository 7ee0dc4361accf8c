/** What programs are told by `check --json`, against the page that says what it means. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { run } from '../support/run.ts';
import { makeFolder } from '../support/session.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/json.md'), 'utf8');

/** What stands in the first cells of the table below a heading. */
function readMembers(heading: string): string[] {
  const [, table = ''] = PAGE.split(`| ${heading} `);
  const [rows = ''] = table.split('\n\n');
  const cells = [...rows.matchAll(/^\| (`.*?) +\|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).toSorted();
}

async function checkAll(servers: object): Promise<Record<string, unknown>> {
  const file = join(makeFolder(), 'config.json');
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  const { stdout } = await run(['check', file, '--json', '--tools']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

function collect(...objects: unknown[]): string[] {
  return [...new Set(objects.flatMap((object) => Object.keys(Object(object) as object)))].toSorted();
}

test('docs/json.md names every member of the report of check, and no other', async () => {
  const report = await checkAll({ good: fixture(), bad: fixture({ exit: 3 }) });
  const [good, bad] = report['servers'] as Record<string, unknown>[];
  const refused = await checkAll({ bad: {} });
  expect(readMembers('member')).toEqual(collect(report, refused));
  // Not every system tells how much memory a process has.
  const absent = good?.['memoryBytes'] === undefined ? { memoryBytes: 0 } : {};
  expect(readMembers('member of a server')).toEqual(collect(good, bad, absent));
  expect(readMembers('member of a failure')).toEqual(collect(bad?.['failure']));
});
