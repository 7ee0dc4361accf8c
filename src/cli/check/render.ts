/** Writes a report for people: a table, what failed and what to do, what to know. Decides nothing. */
import { renderFailure } from '../stage/failure.ts';
import {
  type Cell,
  type Column,
  cut,
  formatCount,
  formatMemory,
  formatSeconds,
  hang,
  type Paint,
  plural,
  renderTable,
  stripControls,
  widthOf,
} from '../terminal.ts';
import type { Report, ServerReport } from './report.ts';

interface Field extends Column {
  readonly show: (server: ServerReport) => Cell;
  /** The higher, the sooner it is left out where there is no room. */
  readonly spare?: number;
}

const WARNING = 'Warning:';
const NOTE = 'Note:';
const NO_ROOM = 'No room';
/** How wide a key and the name of a server may be, from ample to scarce. */
const WIDTHS: readonly Readonly<Record<string, number>>[] = [
  { KEY: 32, SERVER: 40 },
  { KEY: 32, SERVER: 30 },
  { KEY: 24, SERVER: 18 },
  { KEY: 16, SERVER: 18 },
];
const NARROWEST_DESCRIPTION = 24;

const FIELDS: readonly Field[] = [
  { title: 'KEY', show: ({ key }) => ({ text: stripControls(key), colour: 'bold' }) },
  {
    title: 'STATE',
    show: ({ state }) => ({ text: state, colour: state === 'ready' ? 'green' : 'red' }),
  },
  {
    title: 'SERVER',
    show: ({ name = '', version = '' }) => ({
      text: name,
      tail: name !== '' && version !== '' ? ` ${version}` : version,
    }),
    spare: 3,
  },
  { title: 'PROTOCOL', show: ({ protocolVersion = '' }) => ({ text: protocolVersion }), spare: 4 },
  { title: 'ERA', show: ({ era = '' }) => ({ text: era }), spare: 7 },
  { title: 'TOOLS', align: 'right', show: ({ tools, state }) => count(tools, state) },
  { title: 'PROMPTS', align: 'right', show: ({ prompts, state }) => count(prompts, state), spare: 5 },
  {
    title: 'RESOURCES',
    align: 'right',
    show: ({ resources, resourceTemplates, state }) =>
      resourceTemplates === 0
        ? count(resources, state)
        : { text: `${resources} + ${plural(resourceTemplates, 'template')}` },
    spare: 6,
  },
  {
    title: 'LIST',
    align: 'right',
    show: ({ characters, state }) => (state === 'failed' ? { text: '' } : { text: formatCount(characters) }),
    spare: 9,
  },
  {
    title: '~TOKENS',
    align: 'right',
    show: ({ tokens, state }) => (state === 'failed' ? { text: '' } : { text: formatCount(tokens) }),
    spare: 8,
  },
  { title: 'START', align: 'right', show: ({ startupMs }) => ({ text: formatSeconds(startupMs) }), spare: 1 },
  {
    title: 'MEMORY',
    align: 'right',
    show: ({ memoryBytes, state }) => ({ text: state === 'failed' ? '' : formatMemory(memoryBytes) }),
    spare: 2,
  },
];

/** Columns are those of the terminal; Infinity where there is none. */
export function renderReport(report: Report, paint: Paint, columns: number): string {
  const { servers, warnings, notes } = report;
  const parts = [
    servers.length === 0 ? [] : renderServers(servers, paint, columns),
    ...servers.map(({ toolList = [] }) => renderTools(toolList, paint, columns)),
    ...servers.map(({ key, failure }) =>
      failure === undefined ? [] : renderFailure(key, failure, paint, columns),
    ),
    warnings.map((text) => `${paint('yellow', WARNING)} ${hang(WARNING, text, columns)}`),
    notes.map((text) => paint('dim', `${NOTE} ${hang(NOTE, text, columns)}`)),
    [renderTotals(report, paint, columns)],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** As much as there is room for: first the wide columns are cut, then the least important left out. */
function renderServers(servers: readonly ServerReport[], paint: Paint, columns: number): string[] {
  for (let fields = FIELDS; ; fields = leaveOut(fields)) {
    for (const widths of WIDTHS) {
      const shown = fields.map((field) => ({ ...field, max: widths[field.title] ?? Infinity }));
      const rows = servers.map((server) => shown.map(({ show }) => show(server)));
      const plain = renderTable(shown, rows, (_, text) => text);
      const isLast = leaveOut(fields).length === fields.length && widths === WIDTHS.at(-1);
      if (isLast || plain.every((line) => widthOf(line) <= columns)) {
        return [...renderTable(shown, rows, paint), ...nameLeftOut(fields, paint, columns)];
      }
    }
  }
}

function nameLeftOut(shown: readonly Field[], paint: Paint, columns: number): string[] {
  const titles = FIELDS.filter((field) => !shown.includes(field)).map(({ title }) => title);
  if (titles.length === 0) return [];
  const text = `for ${titles.join(', ')}: use a wider terminal, or --json`;
  return [paint('dim', `${NO_ROOM} ${hang(NO_ROOM, text, columns)}`)];
}

function leaveOut(fields: readonly Field[]): readonly Field[] {
  const worst = Math.max(...fields.map(({ spare = 0 }) => spare));
  return fields.filter(({ spare }) => spare === undefined || spare !== worst);
}

function renderTools(
  tools: readonly { readonly name: string; readonly description: string }[],
  paint: Paint,
  columns: number,
): string[] {
  // The names are those of the servers, and go to machines as they are.
  const shown = tools.map(({ name, description }) => ({ name: stripControls(name), description }));
  const width = Math.max(0, ...shown.map(({ name }) => widthOf(name))) + 2;
  const isNarrow = columns - width < NARROWEST_DESCRIPTION;
  return shown.map(({ name, description }) => {
    const space = isNarrow ? '\n  ' : ' '.repeat(width - widthOf(name));
    const text = cut(description, columns - (isNarrow ? 2 : width));
    return `${paint('bold', name)}${text === '' ? '' : space}${text}`;
  });
}

function renderTotals({ servers, warnings, ok }: Report, paint: Paint, columns: number): string {
  const ready = servers.filter(({ state }) => state === 'ready');
  const sum = (read: (server: ServerReport) => number): number =>
    ready.reduce((total, server) => total + read(server), 0);
  const tokens = sum((server) => server.tokens);
  const bytes = sum(({ memoryBytes = 0 }) => memoryBytes);
  const parts = [
    servers.length === 0 ? 'no servers' : `${ready.length} of ${plural(servers.length, 'server')} ready`,
    ...(['tools', 'prompts', 'resources'] as const)
      .map((kind) => ({ kind, total: sum((server) => server[kind]) }))
      .filter(({ total }) => total > 0)
      .map(({ kind, total }) => plural(total, kind.slice(0, -1))),
    ...(tokens > 0 ? [`about ${formatCount(tokens)} tokens`] : []),
    ...(bytes > 0 ? [`${formatMemory(bytes)} of memory`] : []),
    ...(warnings.length > 0 ? [plural(warnings.length, 'warning')] : []),
  ];
  const verdict = ok ? 'All is well:' : 'Not all is well:';
  return `${paint(ok ? 'green' : 'red', verdict)} ${hang(verdict, parts.join(', '), columns)}`;
}

function count(value: number, state: ServerReport['state']): Cell {
  if (state === 'failed') return { text: '' };
  return value === 0 ? { text: '–', colour: 'dim' } : { text: String(value) };
}
