/** Writes a report for people: a table, what failed and what to do, what to know. Decides nothing. */
import type { FailureReport, Report, ServerReport } from './report.ts';
import {
  type Cell,
  type Column,
  cut,
  formatCount,
  formatMemory,
  formatSeconds,
  type Paint,
  plural,
  renderTable,
  widthOf,
} from './terminal.ts';

interface Field extends Column {
  readonly show: (server: ServerReport) => Cell;
  /** The higher, the sooner it is left out where there is no room. */
  readonly spare?: number;
}

const SERVER_WIDTHS = [40, 28, 18];

const FIELDS: readonly Field[] = [
  { title: 'KEY', max: 32, show: ({ key }) => ({ text: key, colour: 'bold' }) },
  {
    title: 'STATE',
    show: ({ state }) => ({ text: state, colour: state === 'ready' ? 'green' : 'red' }),
  },
  {
    title: 'SERVER',
    show: ({ name = '', version = '' }) => ({ text: [name, version].filter(Boolean).join(' ') }),
  },
  { title: 'PROTOCOL', show: ({ protocolVersion = '' }) => ({ text: protocolVersion }), spare: 1 },
  { title: 'ERA', show: ({ era = '' }) => ({ text: era }), spare: 4 },
  { title: 'TOOLS', align: 'right', show: ({ tools, state }) => count(tools, state) },
  { title: 'PROMPTS', align: 'right', show: ({ prompts, state }) => count(prompts, state), spare: 2 },
  {
    title: 'RESOURCES',
    align: 'right',
    show: ({ resources, resourceTemplates, state }) =>
      resourceTemplates === 0
        ? count(resources, state)
        : { text: `${resources} + ${plural(resourceTemplates, 'template')}` },
    spare: 3,
  },
  {
    title: 'LIST',
    align: 'right',
    show: ({ characters, state }) => (state === 'failed' ? { text: '' } : { text: formatCount(characters) }),
    spare: 5,
  },
  {
    title: '~TOKENS',
    align: 'right',
    show: ({ tokens, state }) => (state === 'failed' ? { text: '' } : { text: formatCount(tokens) }),
  },
  { title: 'START', align: 'right', show: ({ startupMs }) => ({ text: formatSeconds(startupMs) }) },
  {
    title: 'MEMORY',
    align: 'right',
    show: ({ memoryBytes, state }) => ({ text: state === 'failed' ? '' : formatMemory(memoryBytes) }),
  },
];

/** Columns are those of the terminal; Infinity where there is none. */
export function renderReport(report: Report, paint: Paint, columns: number): string {
  const { servers, warnings, notes } = report;
  const parts = [
    servers.length === 0 ? [] : renderServers(servers, paint, columns),
    ...servers.map(({ toolList = [] }) => renderTools(toolList, paint, columns)),
    ...servers.map(({ key, failure }) => (failure === undefined ? [] : renderFailure(key, failure, paint))),
    warnings.map((text) => `${paint('yellow', 'Warning:')} ${text}`),
    notes.map((text) => paint('dim', `Note: ${text}`)),
    [renderTotals(report, paint)],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

export function renderFailure(key: string, failure: FailureReport, paint: Paint): string[] {
  const { problem, exitCode, signal, stderr, stdout, advice } = failure;
  const code = exitCode === null || problem.includes(`code ${exitCode}`) ? '' : `; exit code ${exitCode}`;
  const killed = signal === null || problem.includes(signal) ? '' : `; ended by ${signal}`;
  return [
    `${paint('red', '✗')} ${paint('bold', key)}: ${problem}${code}${killed}`,
    ...quoteLines('stderr', stderr, paint),
    ...quoteLines('stdout', stdout, paint),
    ...advice.map((text) => `  ${paint('cyan', '→')} ${text}`),
  ];
}

function renderServers(servers: readonly ServerReport[], paint: Paint, columns: number): string[] {
  let fields = FIELDS;
  for (;;) {
    for (const max of SERVER_WIDTHS) {
      const shown = fields.map((field) => (field.title === 'SERVER' ? { ...field, max } : field));
      const rows = servers.map((server) => shown.map(({ show }) => show(server)));
      const plain = renderTable(shown, rows, (_, text) => text);
      const isLast = fields.every(({ spare }) => spare === undefined) && max === SERVER_WIDTHS.at(-1);
      if (isLast || plain.every((line) => widthOf(line) <= columns)) return renderTable(shown, rows, paint);
    }
    const worst = Math.max(...fields.map(({ spare = 0 }) => spare));
    fields = fields.filter(({ spare = 0 }) => spare !== worst || worst === 0);
  }
}

function renderTools(
  tools: readonly { readonly name: string; readonly description: string }[],
  paint: Paint,
  columns: number,
): string[] {
  const width = Math.max(0, ...tools.map(({ name }) => widthOf(name)));
  return tools.map(({ name, description }) => {
    const space = ' '.repeat(width - widthOf(name) + 2);
    return `${paint('bold', name)}${space}${cut(description, Math.max(20, columns - width - 2))}`.trimEnd();
  });
}

function quoteLines(stream: string, lines: readonly string[], paint: Paint): string[] {
  return lines.map((line) => paint('dim', `  ${stream} | ${line}`));
}

function renderTotals({ servers, warnings, ok }: Report, paint: Paint): string {
  const failed = servers.filter(({ state }) => state === 'failed').length;
  const sum = (read: (server: ServerReport) => number): number =>
    servers.reduce((total, server) => total + read(server), 0);
  const parts = [
    `${servers.length - failed} of ${plural(servers.length, 'server')} ready`,
    plural(
      sum(({ tools }) => tools),
      'tool',
    ),
    plural(
      sum(({ prompts }) => prompts),
      'prompt',
    ),
    plural(
      sum(({ resources }) => resources),
      'resource',
    ),
    `about ${formatCount(sum(({ tokens }) => tokens))} tokens`,
  ];
  const bytes = sum(({ memoryBytes = 0 }) => memoryBytes);
  if (bytes > 0) parts.push(`${formatMemory(bytes)} of memory`);
  if (warnings.length > 0) parts.push(plural(warnings.length, 'warning'));
  return `${ok ? paint('green', 'All is well') : paint('red', 'Not all is well')}: ${parts.join(', ')}`;
}

function count(value: number, state: ServerReport['state']): Cell {
  if (state === 'failed') return { text: '' };
  return value === 0 ? { text: '–', colour: 'dim' } : { text: String(value) };
}
