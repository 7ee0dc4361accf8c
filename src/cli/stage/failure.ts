/** Why a server is not there and what to do about it: as data for machines, and as lines for people. */
import { lastWords } from '../../process/ending.ts';
import { hang, type Paint, stripControls } from '../terminal.ts';
import { advise } from './advice.ts';
import type { Probe } from './probe.ts';

export interface FailureReport {
  readonly problem: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last lines. */
  readonly stderr: readonly string[];
  /** Lines that were no messages. */
  readonly stdout: readonly string[];
  readonly advice: readonly string[];
}

export function describeFailure(probe: Probe, clean: (text: string) => string): FailureReport {
  const { config, failure, stray } = probe;
  if (failure === undefined) throw new Error('It has not failed');
  const { ending } = failure;
  const evidence = {
    config,
    failure,
    stray: stray.lines,
    strayCount: stray.total,
    nodeVersion: process.version,
  };
  return {
    problem: clean(failure.problem),
    exitCode: ending?.exitCode ?? null,
    signal: ending?.signal ?? null,
    stderr: lastWords(failure.stderr.map((line) => clean(line))),
    stdout: stray.lines.map((line) => clean(line)),
    advice: advise(evidence).map((text) => clean(text)),
  };
}

export function renderFailure(key: string, failure: FailureReport, paint: Paint, columns: number): string[] {
  const { problem, exitCode, signal, stderr, stdout, advice } = failure;
  const name = stripControls(key);
  const code = exitCode === null || problem.includes(`code ${exitCode}`) ? '' : `; exit code ${exitCode}`;
  const killed = signal === null || problem.includes(signal) ? '' : `; ended by ${signal}`;
  return [
    `${paint('red', '✗')} ${paint('bold', name)}: ${hang(`✗ ${name}:`, `${problem}${code}${killed}`, columns)}`,
    ...quoteLines('stderr', stderr, paint),
    ...quoteLines('stdout', stdout, paint),
    ...advice.map((text) => `  ${paint('cyan', '→')} ${hang('  →', text, columns)}`),
  ];
}

function quoteLines(stream: string, lines: readonly string[], paint: Paint): string[] {
  return lines.map((line) => paint('dim', `  ${stream} | ${line}`));
}
