/** The result of `server/discover`: what all servers together are to a client of the stateless era. Asks nobody. */
import { type Description, type Identity, readWelcome, unite } from '../protocol/handshake.ts';
import { CACHE_HINTS, COMPLETE, MODERN_VERSION, SERVER_KEY } from './modern.ts';

/** As JSON text. */
export function writeDiscovery(description: Description): string {
  const { capabilities, instructions } = unite(description);
  // Only of servers that are known: clients behave otherwise where there is an extension.
  const extensions = Object.assign({}, ...[...description.welcomes.values()].map(readExtensions)) as object;
  const body = JSON.stringify({
    supportedVersions: [MODERN_VERSION],
    capabilities: Object.keys(extensions).length === 0 ? capabilities : { ...capabilities, extensions },
    ...(instructions !== undefined && { instructions }),
  });
  return `{${COMPLETE},${CACHE_HINTS},${writeServer(description.identity)},${body.slice(1)}`;
}

/** The member that says who answers. */
export function writeServer({ name, version }: Identity): string {
  return `"_meta":{"${SERVER_KEY}":${JSON.stringify({ name, version })}}`;
}

function readExtensions(welcome: Buffer): object {
  const { extensions } = (readWelcome(welcome).capabilities ?? {}) as { extensions?: unknown };
  return typeof extensions === 'object' && extensions !== null ? extensions : {};
}
