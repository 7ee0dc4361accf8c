/**
 * `npm run picture`: runs the built command on a terminal, with real servers of which one is missing, and draws what it
 * shows into docs/terminal.svg. Nothing in the picture is written by hand but the prompts. Needs `script` of util-linux.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readScreen } from './screen.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const COLUMNS = 112;
const CELL = { width: 7.8, height: 18 };
const MARGIN = 20;
const LIMIT_MS = 60_000;
const COMMANDS = [
  'mcp-simple-aggregator check mcp.json',
  'mcp-simple-aggregator call everything:get-sum a=19 b=23 --config mcp.json',
];

// Readable on a light and on a dark page: the file is shown on both.
const STYLE = `
    text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 13px; fill: #24292f; }
    .page { fill: #f6f8fa; stroke: #d0d7de; }
    .bold { font-weight: 700; }
    .dim { fill: #6e7781; }
    .red { fill: #cf222e; }
    .green { fill: #1a7f37; }
    .yellow { fill: #9a6700; }
    .cyan { fill: #1b7c83; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .page { fill: #161b22; stroke: #30363d; }
      .dim { fill: #8b949e; }
      .red { fill: #ff7b72; }
      .green { fill: #3fb950; }
      .yellow { fill: #d29922; }
      .cyan { fill: #56d4dd; }
    }
  `;

/** The path of every place in it is one that any machine could have. */
function makeServers(folder) {
  const { resolve } = createRequire(import.meta.url);
  const locate = (name) => resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  return {
    filesystem: { command: 'node', args: [locate('filesystem'), folder] },
    memory: {
      command: 'node',
      args: [locate('memory')],
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    },
    everything: { command: 'node', args: [locate('everything'), 'stdio'] },
    git: { command: 'uvx', args: ['mcp-server-git'], env: { PATH: '/usr/local/bin:/usr/bin:/bin' } },
  };
}

function record(folder, command) {
  const { NO_COLOR: _, CI: __, ...env } = process.env;
  const path = `${join(folder, 'bin')}:${env.PATH}`;
  // What it exits with does not matter: one server is missing on purpose.
  const shell = `stty cols ${COLUMNS} rows 40; ${command}; true`;
  return execFileSync('script', ['-qec', shell, '/dev/null'], {
    cwd: folder,
    env: { ...env, PATH: path, TERM: 'xterm-256color' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Cells of one style that stand together; a gap of two begins a new run, so that columns stay where they are. */
function drawRow(cells, row) {
  const runs = [];
  for (const [column, { character = ' ', weight, colour } = {}] of cells.entries()) {
    const style = [weight, colour].filter(Boolean).join(' ');
    const last = runs.at(-1);
    if (last !== undefined && last.style === style && !last.text.endsWith('  ')) last.text += character;
    else runs.push({ column, style, text: character });
  }
  const y = MARGIN + (row + 0.75) * CELL.height;
  return runs
    .filter(({ text }) => text.trim() !== '')
    .map(({ column, style, text }) => {
      const start = column + text.length - text.trimStart().length;
      const shown = text.trim();
      const place = `x="${(MARGIN + start * CELL.width).toFixed(1)}" y="${y.toFixed(1)}"`;
      const length = `textLength="${(shown.length * CELL.width).toFixed(1)}"`;
      return `  <text ${place} ${length}${style === '' ? '' : ` class="${style}"`}>${escape(shown)}</text>`;
    })
    .join('\n');
}

function draw(rows) {
  const width = Math.ceil(2 * MARGIN + COLUMNS * CELL.width);
  const height = Math.ceil(2 * MARGIN + rows.length * CELL.height);
  const lines = rows.map((cells, row) => drawRow(cells, row)).filter((line) => line !== '');
  const label = COMMANDS.map((command) => `What "${escape(command)}" shows`).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label.replaceAll('"', '&quot;')}">
  <style>${STYLE}</style>
  <rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${lines.join('\n')}
</svg>
`;
}

const folder = mkdtempSync(join(tmpdir(), 'mcp-simple-aggregator-picture-'));
try {
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(root, 'dist', 'cli.cjs'), join(folder, 'bin', 'mcp-simple-aggregator'));
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: makeServers(folder) }));
  const prompt = '\u001B[2m$\u001B[22m';
  const shown = COMMANDS.map(
    (command) => `${prompt} \u001B[1m${command}\u001B[22m\r\n${record(folder, command)}`,
  ).join('\r\n');
  const picture = draw(readScreen(shown));
  for (const place of [folder, root.replace(/\/$/, '')]) {
    if (picture.includes(place)) throw new Error(`The picture shows "${place}", a path of this machine`);
  }
  writeFileSync(join(root, 'docs', 'terminal.svg'), picture);
  process.stdout.write(`docs/terminal.svg: ${picture.length} characters\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
