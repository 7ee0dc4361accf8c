/** The result of `server/discover`: what all servers together are to a client of the stateless era. Asks nobody. */
import { type Description, type Identity, unite } from '../protocol/handshake.ts';
import { CACHE_HINTS, COMPLETE, MODERN_VERSION, SERVER_KEY } from './modern.ts';

/** As JSON text. */
export function writeDiscovery(description: Description): string {
  const { capabilities, instructions } = unite(description);
  // Only of servers that are known: clients behave otherwise where there is an extension.
  const { extensions } = description.summary.capabilities;
  const body = JSON.stringify({
    supportedVersions: [MODERN_VERSION],
    capabilities: extensions === undefined ? capabilities : { ...capabilities, extensions },
    ...(instructions !== undefined && { instructions }),
  });
  return `{${COMPLETE},${CACHE_HINTS},${writeServer(description.identity)},${body.slice(1)}`;
}

/** The member that says who answers. */
export function writeServer({ name, version }: Identity): string {
  return `"_meta":{"${SERVER_KEY}":${JSON.stringify({ name, version })}}`;
}
