/** The report of `check` for eyes: whatever the width of the terminal, nothing goes over its edge. */
import { expect, test } from 'vitest';
import { renderReport } from '../../../src/cli/check/render.ts';
import type { Report, ServerReport } from '../../../src/cli/check/report.ts';
import { widthOf } from '../../../src/cli/terminal.ts';

const plain = (_: string, text: string): string => text;

const ready: ServerReport = {
  key: 'everything',
  state: 'ready',
  name: 'mcp-servers/everything',
  version: '2.0.0',
  era: 'handshake',
  protocolVersion: '2025-11-25',
  tools: 13,
  prompts: 4,
  resources: 7,
  resourceTemplates: 2,
  characters: 7600,
  tokens: 1900,
  startupMs: 200,
  memoryBytes: 64 * 1024 * 1024,
  toolList: [{ name: 'everything:get-sum', description: 'Returns the sum of two numbers, and nothing else' }],
};
const failed: ServerReport = {
  ...ready,
  key: '日本語の名前のサーバー',
  state: 'failed',
  toolList: [],
  failure: {
    problem: 'It exited with code 3 while it was starting',
    exitCode: 3,
    signal: null,
    stderr: [],
    stdout: [],
    advice: ['Another program has the port that it wants: end the other copy'],
  },
};
const report: Report = {
  ok: false,
  config: 'mcp.json',
  servers: [ready, failed],
  warnings: ['1 tool name over 64 characters, which some clients and model APIs refuse or cut'],
  notes: ['everything: its tools take 80000 characters, about 20000 tokens of every conversation'],
};

test.each([34, 40, 60, 80, 100, 120])('fits into %i columns', (columns) => {
  const lines = renderReport(report, plain, columns).split('\n');
  expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
  expect(lines[0]).toMatch(/^KEY +STATE .*TOOLS/);
});

test('leaves out what matters least first', () => {
  const heads = [160, 100, 80, 60, 40].map((columns) =>
    renderReport(report, plain, columns).split('\n')[0]?.split(/ +/),
  );
  expect(heads[0]).toContain('ERA');
  expect(heads[1]).toContain('PROTOCOL');
  expect(heads[3]).toContain('START');
  expect(heads[4]).toEqual(['KEY', 'STATE', 'TOOLS', 'START']);
});

test('says what it left out, and where that can be seen', () => {
  const text = renderReport(report, plain, 80).replaceAll(/\s+/g, ' ');
  expect(text).toMatch(/No room for ERA, .*LIST, ~TOKENS: use a wider terminal, or --json/);
  expect(renderReport(report, plain, Infinity)).not.toContain('No room');
});

test('cuts the name of a server before its version', () => {
  expect(renderReport(report, plain, 80)).toMatch(/ mcp-servers… 2\.0\.0 {2}/);
});

test('keeps every line whole where there is no terminal', () => {
  expect(renderReport(report, plain, Infinity)).toContain(`\nWarning: ${report.warnings[0]}\n`);
});
