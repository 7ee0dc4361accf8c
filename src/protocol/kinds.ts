/** The four kinds of things that servers list, as data. */

export interface Kind {
  /** The request that lists them. */
  readonly list: string;
  /** The member of the result that holds them. */
  readonly member: string;
  /** The member of each of them that says what it is called. */
  readonly field: string;
  /** The capability of the servers that have them. */
  readonly capability: string;
  /** The notification that says that there are others now. */
  readonly changed: string;
  /** Names get the server's key in front; URIs stay, because results carry them. */
  readonly naming: 'name' | 'uri';
}

export type KindName = 'tools' | 'prompts' | 'resources' | 'templates';

export const KINDS: Readonly<Record<KindName, Kind>> = {
  tools: {
    list: 'tools/list',
    member: 'tools',
    field: 'name',
    capability: 'tools',
    changed: 'notifications/tools/list_changed',
    naming: 'name',
  },
  prompts: {
    list: 'prompts/list',
    member: 'prompts',
    field: 'name',
    capability: 'prompts',
    changed: 'notifications/prompts/list_changed',
    naming: 'name',
  },
  resources: {
    list: 'resources/list',
    member: 'resources',
    field: 'uri',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
    naming: 'uri',
  },
  templates: {
    list: 'resources/templates/list',
    member: 'resourceTemplates',
    field: 'uriTemplate',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
    naming: 'uri',
  },
};

export const KIND_NAMES: readonly KindName[] = ['tools', 'prompts', 'resources', 'templates'];

/** One of something for each kind. */
export function byKind<Value>(create: (kind: KindName) => Value): Record<KindName, Value> {
  return {
    tools: create('tools'),
    prompts: create('prompts'),
    resources: create('resources'),
    templates: create('templates'),
  };
}
