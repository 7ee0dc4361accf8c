/** Draws the rows of a run that have a picture title as bars, one panel each (SVG). Reads and writes no file. */
const COLUMNS = 2;
const PANEL_WIDTH = 430;
const GAP = 30;
const MARGIN = 16;
const TITLE_HEIGHT = 26;
const BAR_HEIGHT = 14;
const BAR_STEP = 20;
const LABEL_WIDTH = 84;
const VALUE_WIDTH = 92;

const CAPTION = [
  'Shorter bars are better, unless it says otherwise. direct: no aggregator; copier: copies bytes, one server only; sdk: built on the official SDK.',
  'ours-lazy: --lazy, with servers it has seen before; -modern: client and server without a handshake.',
];
const LINE_HEIGHT = 16;

// With a ground of its own: the page may be dark where the reader's system is light, or the other way round.
const STYLE = `
    text { font: 12px system-ui, sans-serif; fill: #24292f; }
    .page { fill: #ffffff; stroke: #d0d7de; }
    .title { font-weight: 600; font-size: 13px; }
    .value { fill: #57606a; font-size: 11px; }
    .bar { fill: #a8b1bb; }
    .ours { fill: #1a7f64; }
    .other { opacity: 0.6; }
    .yardstick { fill: #d5dae0; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .page { fill: #161b22; stroke: #30363d; }
      .value { fill: #9da7b3; }
      .bar { fill: #6b7683; }
      .ours { fill: #3fb68b; }
      .yardstick { fill: #3d444d; }
    }
  `;

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function classOf(target) {
  if (target.startsWith('ours')) return target === 'ours' ? 'ours' : 'ours other';
  return target === 'direct' || target.startsWith('copier') ? 'yardstick' : 'bar';
}

function showValue({ unit, digits }, value) {
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text} ${unit}`;
}

/** A target without a value is one that failed. */
function drawBar(measure, { target, value }, index, largest) {
  const y = TITLE_HEIGHT + index * BAR_STEP;
  const baseline = y + BAR_HEIGHT - 3;
  const label = `<text x="${LABEL_WIDTH - 8}" y="${baseline}" text-anchor="end">${escape(target)}</text>`;
  if (value === undefined) {
    return [label, `<text class="value" x="${LABEL_WIDTH}" y="${baseline}">failed</text>`];
  }
  const width = Math.max(1, (value / largest) * (PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH));
  return [
    label,
    `<rect class="${classOf(target)}" x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<text class="value" x="${(LABEL_WIDTH + width + 6).toFixed(1)}" y="${baseline}">${showValue(measure, value)}</text>`,
  ];
}

function drawPanel(measure, x, y) {
  const largest = Math.max(...measure.values.map(({ value }) => value ?? 0));
  return [
    `<g transform="translate(${x} ${y})">`,
    `<text class="title" x="0" y="14">${escape(measure.picture)}</text>`,
    ...measure.values.flatMap((value, index) => drawBar(measure, value, index, largest)),
    '</g>',
  ];
}

/** Who gave up here is shown too: a missing bar would look as if it had not been tried. */
function addFailed(measure, failures) {
  const failed = failures.filter(
    ({ target, what }) =>
      what.replace(/, opening$/, '') === measure.name &&
      !measure.values.some((value) => value.target === target),
  );
  return { ...measure, values: [...measure.values, ...failed.map(({ target }) => ({ target }))] };
}

export function drawPicture({ measures, failures }) {
  const panels = measures
    .filter(({ picture }) => picture !== undefined)
    .map((measure) => addFailed(measure, failures));
  const lines = [];
  let top = MARGIN;
  for (let first = 0; first < panels.length; first += COLUMNS) {
    const row = panels.slice(first, first + COLUMNS);
    row.forEach((panel, column) => {
      lines.push(...drawPanel(panel, MARGIN + column * (PANEL_WIDTH + GAP), top));
    });
    top += TITLE_HEIGHT + Math.max(...row.map(({ values }) => values.length)) * BAR_STEP + GAP;
  }
  const width = 2 * MARGIN + COLUMNS * PANEL_WIDTH + (COLUMNS - 1) * GAP;
  for (const [index, line] of CAPTION.entries()) {
    const y = top - GAP / 2 + 8 + index * LINE_HEIGHT;
    lines.push(`<text class="value" x="${MARGIN}" y="${y}">${escape(line)}</text>`);
  }
  const height = top + MARGIN + LINE_HEIGHT;
  const summary = panels.map(({ picture }) => picture).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>Benchmarks of mcp-simple-aggregator</title>
  <desc>${escape(summary)}. The figures are in benchmarks.md.</desc>
  <style>${STYLE}</style>
  <rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
  ${lines.join('\n  ')}
</svg>
`;
}
