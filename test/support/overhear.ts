/** Lets a judge hear all that an official client and the command say to each other. Changes nothing of it. */
import { expect, onTestFinished } from 'vitest';
import { Judge } from './judge.ts';

/** What both generations of the SDK call a transport, as far as it is needed here. */
interface Transport {
  send(message: never, options?: never): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** Gives the transport back; what is wrong with what it carries is in the list as soon as it was said. */
export function overhear<T extends Transport>(transport: T, problems: string[]): T {
  const judge = new Judge();
  const send = transport.send.bind(transport);
  transport.send = async (message, options): Promise<void> => {
    judge.hear(`${JSON.stringify(message)}\n`);
    return send(message, options);
  };
  // A client that connects leaves a listener in place that is there already.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no other way
  transport.onmessage = (message): void => {
    const problem = judge.findProblem(message);
    if (problem !== undefined) problems.push(`${problem}: ${JSON.stringify(message).slice(0, 500)}`);
  };
  // What it cannot read as a message at all.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no other way
  transport.onerror = (error): void => void problems.push(String(error));
  return transport;
}

/** The same, where a test begins and ends with its client. */
export function judged<T extends Transport>(transport: T): T {
  const problems: string[] = [];
  onTestFinished(() => expect(problems).toEqual([]));
  return overhear(transport, problems);
}
