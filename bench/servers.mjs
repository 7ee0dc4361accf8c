/** Sets of servers to aggregate, as entries of a config file. Starts none of them. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const tiny = fileURLToPath(new URL('children/tiny.mjs', import.meta.url));
const everything = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

function repeat(count, entry) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`server${index + 1}`, entry]));
}

export function tinyServers(count, tools = 5) {
  return repeat(count, { command: process.execPath, args: [tiny, String(tools)] });
}

export function referenceServers(count) {
  return repeat(count, { command: process.execPath, args: [everything, 'stdio'] });
}

/** Whether a command line is one of the servers above, rather than something an aggregator started for itself. */
export function isServer(commandLine) {
  return commandLine.includes(`${tiny} `) || commandLine.includes(`${everything} `);
}
