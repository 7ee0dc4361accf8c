/** Sessions with the built command in which every line on stdout is judged when the test is over. */
import { expect, onTestFinished } from 'vitest';
import { type Session, type SessionOptions, start } from '../support/session.ts';
import { judge, type JudgeOptions, STRICT } from './judge.ts';

export function startJudged(options: SessionOptions, rules: JudgeOptions = STRICT): Session {
  const session = start(options);
  onTestFinished(() => {
    const problems = session.inbox.messages.flatMap(({ raw }) => {
      const problem = judge(raw, rules);
      return problem === undefined ? [] : [`${problem}: ${raw.slice(0, 500)}`];
    });
    expect(problems).toEqual([]);
  });
  return session;
}

/** Starts, shakes hands and waits for the first list. */
export async function startJudgedReady(
  options: SessionOptions,
  rules: JudgeOptions = STRICT,
  opening: Record<string, unknown> = {},
): Promise<Session> {
  const session = startJudged(options, rules);
  await session.initialize(opening);
  await session.listTools();
  return session;
}
