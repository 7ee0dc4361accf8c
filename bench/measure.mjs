/** Medians, interleaving and process memory. Measures nothing by itself. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';

export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Another one starts in every round, so that neither first nor last place favours anyone. */
export function rotate(list, round) {
  const shift = round % list.length;
  return [...list.slice(shift), ...list.slice(0, shift)];
}

/** A process's memory in MB, now (`VmRSS`) or at its highest (`VmHWM`); undefined where there is no /proc. */
export function memoryOf(pid, field) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** What a process was started with, arguments apart by blanks; empty if it is gone. */
export function commandLineOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** The process and all that descends from it, as `{ pid, commandLine }`; nothing where there is no /proc. */
export function treeOf(root) {
  if (!existsSync('/proc')) return [];
  const parents = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]);
        return [{ pid: Number(entry), parent, commandLine: commandLineOf(entry) }];
      } catch {
        return [];
      }
    });
  const found = parents.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...parents.filter(({ parent }) => parent === pid));
  return found;
}
