/** Where each request of the client goes. Data only: what is not in the table has no owner. */
import type { KindName } from './kinds.ts';

export type Route =
  /** Answered from the merged list. */
  | { readonly to: 'list'; readonly kind: KindName }
  /** To the server that has what this param names. */
  | { readonly to: 'owner'; readonly kind: KindName; readonly param: string }
  /** To the server that has the prompt or template that is referred to. */
  | { readonly to: 'reference' }
  /** To the server whose task it is. */
  | { readonly to: 'task' }
  /** Answered with the tasks of all servers. */
  | { readonly to: 'tasks' }
  /** To all servers with the capability; answered at once. */
  | { readonly to: 'all'; readonly capability: string };

export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['tools/list', { to: 'list', kind: 'tools' }],
  ['tools/call', { to: 'owner', kind: 'tools', param: 'name' }],
  ['prompts/list', { to: 'list', kind: 'prompts' }],
  ['prompts/get', { to: 'owner', kind: 'prompts', param: 'name' }],
  ['resources/list', { to: 'list', kind: 'resources' }],
  ['resources/templates/list', { to: 'list', kind: 'templates' }],
  ['resources/read', { to: 'owner', kind: 'resources', param: 'uri' }],
  ['resources/subscribe', { to: 'owner', kind: 'resources', param: 'uri' }],
  ['resources/unsubscribe', { to: 'owner', kind: 'resources', param: 'uri' }],
  ['completion/complete', { to: 'reference' }],
  ['tasks/list', { to: 'tasks' }],
  ['tasks/get', { to: 'task' }],
  ['tasks/result', { to: 'task' }],
  ['tasks/cancel', { to: 'task' }],
  ['tasks/update', { to: 'task' }],
  ['logging/setLevel', { to: 'all', capability: 'logging' }],
]);

/** The capability that a client must have declared before a server's request is passed on to it. */
export const CLIENT_CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
  ['tasks/get', 'tasks'],
  ['tasks/result', 'tasks'],
  ['tasks/list', 'tasks'],
  ['tasks/cancel', 'tasks'],
]);
