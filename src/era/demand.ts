/** What a stateless server answers that wants to know something first, and what it is asked again with. */
import type { Answer } from '../wire/envelope.ts';
import { memberOf, membersOf } from '../wire/json.ts';

export interface Wish {
  readonly name: string;
  readonly method: string;
  readonly params: Buffer | undefined;
}

export interface Demand {
  readonly wishes: readonly Wish[];
  /** What the server wants to be given back, as JSON text. */
  readonly state: string | undefined;
}

/** As many as the official client makes: a server that asks again and again would never end. */
export const MOST_ROUNDS = 8;

/** Undefined when the answer is the last word. */
export function readDemand(answer: Answer): Demand | undefined {
  const { line, result } = answer;
  if (result === undefined || !line.includes('"input_required"')) return undefined;
  if (answer.string(memberOf(line, result, 'resultType')) !== 'input_required') return undefined;
  const requests = memberOf(line, result, 'inputRequests');
  const wishes = (requests ? membersOf(line, requests) : []).map(({ name, value }) => {
    const params = memberOf(line, value, 'params');
    const method = answer.string(memberOf(line, value, 'method')) ?? '';
    return { name, method, params: params && answer.bytes(params) };
  });
  const state = memberOf(line, result, 'requestState');
  return { wishes, state: state && answer.bytes(state).toString() };
}

/** Members of the params of the next request, each behind the last; answers are JSON text, by the names of the wishes. */
export function writeAnswers(answers: ReadonlyMap<string, string>, { state }: Demand): string[] {
  const responses = [...answers].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return [
    ...(responses.length === 0 ? [] : [`"inputResponses":{${responses.join(',')}}`]),
    ...(state === undefined ? [] : [`"requestState":${state}`]),
  ];
}
