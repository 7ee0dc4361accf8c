/** What a request asks for, when it is for the server that has it. */
import type { Claim } from '../era/types.ts';
import type { Request } from '../wire/envelope.ts';
import { isObject, memberOf, type Span } from '../wire/json.ts';
import type { KindName } from './kinds.ts';
import type { Route } from './routes.ts';

export interface Wanted {
  readonly kind: KindName | 'tasks';
  /** What the client calls it, and where that stands. */
  readonly name: string;
  readonly span: Span;
  /** What the request says of its client, in an era in which every request does. */
  readonly claim?: Claim | undefined;
  /** Whether it was sent before, to a process that died. */
  readonly isRepetition?: boolean;
  /** What else to do when the server does not have it; `refuse` passes on that it does not. */
  readonly otherwise?: (refuse: () => void) => void;
}

export const KIND_WORDS: Readonly<Record<Wanted['kind'], string>> = {
  tools: 'Tool',
  prompts: 'Prompt',
  resources: 'Resource',
  templates: 'Resource template',
  tasks: 'Task',
};

/** A sentence when the request does not say. */
export function findWanted(message: Request, route: Route): Wanted | string {
  if (route.to === 'reference') return findReference(message);
  const { kind, param } = route.to === 'owner' ? route : ({ kind: 'tasks', param: 'taskId' } as const);
  const span = message.param(param);
  const name = message.string(span);
  if (span === undefined || name === undefined) return `Invalid params: "${param}" must be a string`;
  return { kind, span, name };
}

function findReference(message: Request): Wanted | string {
  const ref = message.param('ref');
  if (ref === undefined || !isObject(message.line, ref)) return 'Invalid params: "ref" must be an object';
  const isPrompt = message.string(memberOf(message.line, ref, 'type')) === 'ref/prompt';
  const span = memberOf(message.line, ref, isPrompt ? 'name' : 'uri');
  const name = message.string(span);
  if (span === undefined || name === undefined)
    return 'Invalid params: "ref" must name a prompt or a resource';
  return { kind: isPrompt ? 'prompts' : 'templates', span, name };
}
