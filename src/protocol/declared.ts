/** Whether a client said that it can be asked something. Answers only that. */
import type { Capabilities } from '../era/types.ts';

/** `isUrl` for an elicitation by URL, which not every client with forms can do. */
export function declares(capabilities: Capabilities, method: string, isUrl: boolean): boolean {
  if (method === 'sampling/createMessage') return isSomething(capabilities['sampling']);
  if (method === 'roots/list') return isSomething(capabilities['roots']);
  const modes = capabilities['elicitation'];
  if (method !== 'elicitation/create' || !isSomething(modes)) return false;
  // A client that names no mode means forms.
  return isUrl ? 'url' in modes : 'form' in modes || !('url' in modes);
}

function isSomething(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
