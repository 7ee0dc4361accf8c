/** Turns samples into the table and the JSON file. Judges by the goals, changes no exit code. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { median } from './measure.mjs';

const BASES = ['direct', 'copier'];

/** A target is compared with one that sends the same. */
function baseOf(samples, name, base) {
  const same = name.endsWith('-modern') ? samples[`${base}-modern`] : undefined;
  return same ?? samples[base];
}

/** Compared within each round, so that a machine that slows down for a while does so for both. */
function ratioOf(samples, name, base) {
  const [own, other] = [samples[name], baseOf(samples, name, base)];
  if (own === undefined || other === undefined || own === other) return undefined;
  if (own.length !== other.length) return median(own) / median(other);
  return median(own.map((value, index) => value / other[index]));
}

function judge(goal, value, ratio) {
  if (goal === undefined) return undefined;
  const reached = goal.against === undefined ? value : ratio;
  if (reached === undefined) return undefined;
  return goal.atMost === undefined ? reached >= goal.atLeast : reached <= goal.atMost;
}

function summarize({ samples, ...measure }, targets) {
  const { goal } = measure;
  const judged = new Set(targets.filter((target) => target.judged).map((target) => target.name));
  const values = Object.entries(samples).map(([target, series]) => {
    const value = median(series);
    const ratios = Object.fromEntries(
      [...new Set([...BASES, goal?.against ?? 'direct'])].map((base) => [
        base,
        ratioOf(samples, target, base),
      ]),
    );
    const met = judged.has(target) ? judge(goal, value, ratios[goal?.against]) : undefined;
    return { target, value, ratios, met, samples: series };
  });
  const order = ['bare', ...targets.map((target) => target.name)];
  values.sort((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
  return { ...measure, values };
}

export function describeGoal({ atMost, atLeast, against }, unit) {
  const limit = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
  return against === undefined ? `${limit} ${unit}` : `${limit} × ${against}`;
}

function showRatio(ratio) {
  return ratio === undefined ? '' : ratio.toFixed(2);
}

function rowsOf({ name, unit, digits, goal, values }) {
  return values.map(({ target, value, ratios, met }, index) => {
    const goalText = met === undefined ? '' : describeGoal(goal, unit);
    const own = met === undefined || goal.against === undefined ? undefined : ratios[goal.against];
    const extra = own === undefined || BASES.includes(goal.against) ? '' : ` (is ${own.toFixed(2)})`;
    return [
      index === 0 ? name : '',
      target,
      `${value.toFixed(digits)} ${unit}`,
      showRatio(ratios.direct),
      showRatio(ratios.copier),
      goalText + extra,
      met === undefined ? '' : met ? 'met' : 'MISSED',
    ];
  });
}

export function summarizeAll(measures, targets) {
  return measures
    .filter(({ samples }) => Object.keys(samples).length > 0)
    .map((one) => summarize(one, targets));
}

export function formatTable(summaries) {
  const head = ['measure', 'target', 'median', '× direct', '× copier', 'goal', ''];
  const rows = [head, ...summaries.flatMap(rowsOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const right = new Set([2, 3, 4]);
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        right.has(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  return lines.join('\n');
}

export function describeMachine() {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
  };
}

export function writeResults(file, results) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}
