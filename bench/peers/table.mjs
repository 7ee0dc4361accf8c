/** The other aggregators, each with its own command line and config format. To add one, add an entry and its version in package.json. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

function writeJson(config) {
  return JSON.stringify(config);
}

/**
 * `configure` writes the text of `file`, from which `args` makes the arguments. `toolName` is what a server's tool is
 * called; where there is none but a tool that calls tools, `callText` gives the params instead. `built` names what has
 * to be compiled, `findProgram` a program that is no script, `isMadeOf` what it is written in, if not for Node.js.
 */
export const peers = [
  {
    name: 'mcporter',
    package: 'mcporter',
    file: 'mcp.json',
    configure: (servers) => {
      // It serves only the servers that its daemon keeps alive.
      const entries = Object.entries(servers).map(([key, entry]) => [
        key,
        { ...entry, lifecycle: 'keep-alive' },
      ]);
      return writeJson({ mcpServers: Object.fromEntries(entries) });
    },
    args: (config) => ['--config', config, 'serve', '--stdio'],
    toolName: (key, tool) => `${key}__${tool}`,
  },
  {
    name: '1mcp',
    package: '@1mcp/agent',
    file: 'mcp.json',
    configure: (servers) => writeJson({ mcpServers: servers }),
    args: (config) => ['serve', '--transport', 'stdio', '--config', config],
    toolName: (key, tool) => `${key}_1mcp_${tool}`,
  },
  {
    name: 'hatago',
    package: '@himorishige/hatago-mcp-hub',
    file: 'mcp.json',
    configure: (servers) => writeJson({ mcpServers: servers }),
    args: (config) => ['serve', '--stdio', '--config', config],
    toolName: (key, tool) => `${key}_${tool}`,
  },
  {
    name: 'mcp-funnel',
    package: 'mcp-funnel',
    file: 'mcp.json',
    // Its own search tools are switched off, so that the list holds the servers' tools alone.
    configure: (servers) => writeJson({ servers, exposeCoreTools: [] }),
    args: (config) => [config],
    toolName: (key, tool) => `${key}__${tool}`,
  },
  {
    name: 'mcp-broker',
    package: 'mcp-broker',
    built: ['better-sqlite3'],
    file: 'servers.json',
    configure: (servers) => writeJson({ mcpServers: servers }),
    args: () => ['serve'],
    env: (home) => ({ MCP_BROKER_HOME: home }),
    callText: (key, tool, args) =>
      `{"name":"call_tools","arguments":{"invocations":[{"server_name":"${key}","tool_name":"${tool}","arguments":${args}}]}}`,
  },
  {
    name: 'slop-mcp',
    package: '@standardbeagle/slop-mcp',
    isMadeOf: 'a program in Go, measured without the Node.js script that starts it',
    findProgram: (folder) => [require(folder).getBinaryPath()],
    file: '.slop-mcp.kdl',
    configure: (servers) =>
      Object.entries(servers)
        .map(([key, { command, args }]) => {
          const [program, ...words] = [command, ...args].map((word) => JSON.stringify(word));
          return `mcp "${key}" {\n  command ${program}\n  args ${words.join(' ')}\n}\n`;
        })
        .join(''),
    args: () => ['serve'],
    callText: (key, tool, args) =>
      `{"name":"execute_tool","arguments":{"mcp_name":"${key}","tool_name":"${tool}","parameters":${args}}}`,
  },
];

/** Others that users may know, which this program cannot install. */
export const ELSEWHERE = [
  { name: 'FastMCP', reason: 'it is a Python package, and only npm is asked here' },
  { name: 'combine-mcp', reason: 'it is a program in Go that is not on npm' },
  { name: 'docker/mcp-gateway', reason: 'it runs servers in Docker containers only' },
  { name: 'agentgateway, tbxark/mcp-proxy, metamcp', reason: 'their clients connect over HTTP, not stdio' },
];
