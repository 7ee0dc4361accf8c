/** Says of a server that the config does not have which one may have been meant. */
import type { Config } from '../config/load.ts';
import { describeDisabled } from '../config/validate.ts';
import { quote } from './arguments.ts';
import { findClosest } from './suggest.ts';

export function describeUnknownKey(key: string, { servers, notices }: Config): string {
  if (notices.includes(describeDisabled(key))) {
    return `Server ${quote(key)} is disabled in the config: remove its "disabled", or set it to false`;
  }
  const keys = servers.map((server) => server.key);
  const close = findClosest(key, keys);
  const advice =
    close === undefined
      ? `it has ${keys.map((name) => quote(name)).join(', ') || 'none that is not disabled'}`
      : `did you mean ${quote(close)}?`;
  return `The config has no server ${quote(key)}: ${advice}`;
}
