/** The environment that everything measured is started in. Keeps out what would favour one target over another. */

let isKept = false;

/** For figures of a machine as its user has set it up. */
export function keepEnvironment() {
  isKept = true;
}

/**
 * Without Node's and npm's own variables: `NODE_EXTRA_CA_CERTS` alone can more than double the start of every Node
 * program, and aggregators on the official SDK do not pass it on to their servers, while the others do.
 */
export function createEnvironment(variables) {
  if (isKept) return variables;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !/^(node|npm)_/i.test(name)));
}
