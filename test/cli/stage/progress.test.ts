/** What is drawn while servers start, on a screen of any size. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Progress } from '../../../src/cli/stage/progress.ts';

interface Drawing {
  progress: Progress;
  written: string[];
  size: { columns: number; rows: number };
}

function draw(rows: number): Drawing {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const written: string[] = [];
  const size = { columns: 30, rows };
  const progress = new Progress(20, {
    write: (text) => written.push(text),
    isLively: true,
    size: () => size,
    paint: (_, text) => text,
    now: () => 0,
  });
  for (let number = 0; number < 20; number += 1) progress.begin(`server ${number}`);
  vi.advanceTimersByTime(100);
  return { progress, written, size };
}

const countLines = (text: string | undefined): number => (text?.match(/\n/g) ?? []).length;

test.each([5, 8, 24])('leaves room for the cursor on a screen of %i rows', (rows) => {
  const { written } = draw(rows);
  expect(countLines(written.at(-1))).toBeLessThan(rows);
  expect(written.at(-1)).toMatch(/server 0.*\n(?:.*\n)* {2}and \d+ more\n {2}0 of 20 done\n$/);
});

test('follows a window that is made smaller', () => {
  const { written, size } = draw(24);
  Object.assign(size, { columns: 10, rows: 6 });
  vi.advanceTimersByTime(100);
  expect(countLines(written.at(-1))).toBeLessThan(6);
  expect(written.at(-1)).toContain('server…\n');
});

test('takes back all that it drew, wherever Ctrl-C has left the cursor', () => {
  const { progress, written } = draw(8);
  const drawn = countLines(written.at(-1));
  progress.stop();
  expect(written.at(-1)).toBe(`\r\u001B[${drawn}A\u001B[0J`);
});
