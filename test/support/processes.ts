/** Finds processes by a mark in their environment (Linux only). Starts nothing, and ends only what carries the mark. */
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './deadline.ts';

export const MARK = 'MSA_TEST_MARK';

export interface MarkedProcess {
  pid: number;
  command: string;
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/** A zombie shows no environment, so what is found here is alive. */
export function findMarked(mark: string): MarkedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, 'environ').split('\0').includes(`${MARK}=${mark}`))
    .map((pid) => ({ pid: Number(pid), command: readProc(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
}

export function killMarked(mark: string): void {
  for (let round = 0; round < 20; round += 1) {
    const found = findMarked(mark);
    if (found.length === 0) return;
    for (const { pid } of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself between the look and the kill.
      }
    }
  }
}

/** Resident memory in MiB, now and at its highest. */
export function readResidentMiB(pid: number): { now: number; peak: number } {
  const status = readProc(String(pid), 'status');
  const read = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/** Waits until many looks in a row see the memory of a process no longer grow. */
export async function memorySettles(pid: number): Promise<void> {
  let [highest, quietLooks] = [0, 0];
  const look = (): boolean => {
    const { now } = readResidentMiB(pid);
    quietLooks = now > highest + 1 ? 0 : quietLooks + 1;
    highest = Math.max(highest, now);
    return quietLooks > 60;
  };
  await until(20_000, look, () => `memory at rest, ${highest} MiB`);
}
