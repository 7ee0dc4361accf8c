/** Measures the memory of process groups, children of children included; says nothing where the system does not tell. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readStat } from '../../process/identity.ts';

/** Bytes by the id of the group's leader, which is the process that was started. */
export type MemoryUse = ReadonlyMap<number, number>;

const PS_TIMEOUT_MS = 2000;
const FALLBACK_PAGE_BYTES = 4096;

export async function measureMemory(
  leaders: readonly number[],
  platform: NodeJS.Platform,
): Promise<MemoryUse> {
  if (leaders.length === 0 || platform === 'win32') return new Map();
  const groups = platform === 'linux' ? readProc() : await askPs();
  const memory = new Map<number, number>();
  for (const { group, bytes } of groups) {
    if (leaders.includes(group)) memory.set(group, (memory.get(group) ?? 0) + bytes);
  }
  return memory;
}

interface Usage {
  readonly group: number;
  readonly bytes: number;
}

function readProc(): Usage[] {
  const found: Usage[] = [];
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const stat = readStat(Number(pid));
      if (stat !== undefined) found.push({ group: stat.group, bytes: readResident(pid) });
    } catch {
      // It ended while we were looking.
    }
  }
  return found;
}

function readResident(pid: string): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1] ?? 0) * FALLBACK_PAGE_BYTES;
}

function askPs(): Promise<Usage[]> {
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pgid=,rss='], { timeout: PS_TIMEOUT_MS }, (error, stdout) => {
      const lines = error === null ? stdout.trim().split('\n') : [];
      resolve(
        lines.map((line) => {
          const [group, kilobytes] = line.trim().split(/\s+/);
          return { group: Number(group), bytes: Number(kilobytes) * 1024 };
        }),
      );
    });
  });
}
