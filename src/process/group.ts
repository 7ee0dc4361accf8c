/** Ends a process together with everything that it started; each platform its own way. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A process that is the leader of its group takes the group with it. One that is gone already is no error. */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL', platform: NodeJS.Platform): void {
  if (platform === 'win32') {
    killTree(pid);
    return;
  }
  // Groups 0 and 1 mean our own and everybody's.
  if (pid <= 1) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone, or in the act of going.
  }
}

/** Whether no process of the group is left. */
export function isGroupGone(pid: number, platform: NodeJS.Platform): boolean {
  try {
    process.kill(platform === 'win32' ? pid : -pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Windows has neither groups nor signals; only its own tool knows the tree, and only while the tree is whole. */
function killTree(pid: number): void {
  const tool = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
  spawn(tool, ['/T', '/F', '/PID', String(pid)], { stdio: 'ignore', windowsHide: true }).on(
    'error',
    () => {},
  );
}
