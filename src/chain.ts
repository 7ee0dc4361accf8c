/** Keeps an aggregator from starting itself: every server is told which configs it is being served under. */

export const CHAIN_VARIABLE = 'MCP_SIMPLE_AGGREGATOR_CHAIN';

/** The configs that this process is started under, from the outermost inwards. */
export function readChain(env: NodeJS.ProcessEnv): string[] {
  try {
    const chain: unknown = JSON.parse(env[CHAIN_VARIABLE] ?? '[]');
    return Array.isArray(chain) ? chain.filter((path): path is string => typeof path === 'string') : [];
  } catch {
    return [];
  }
}

/** What the servers of this config are told. */
export function extendChain(env: NodeJS.ProcessEnv, configPath: string): Record<string, string> {
  return { [CHAIN_VARIABLE]: JSON.stringify([...readChain(env), configPath]) };
}
