/** The text of --help; one screen of 80 by 24 and not a line more. */
export const HELP: string = `Usage: mcp-simple-aggregator --config FILE [options]

One stdio MCP server with the tools of every server in a Claude-style config
file, each under the name key:tool.

Servers
  --config FILE     JSON file with "mcpServers"; FILE alone does as well
  --isolate-env     pass on only a short safe list of variables, and "env"
  --strict          exit with an error when a server fails to start
What the client sees
  --separator S     stands between key and tool (default ":")
  --name NAME       name of this server (default "mcp-simple-aggregator")
  --version V       version of this server; without V, print our own and exit
Troubles
  --debug           log everything, not only errors and warnings
  --log-file PATH   append the log to a file instead of writing it to stderr
  -h, --help        print this and exit

Examples
  mcp-simple-aggregator --config ~/mcp.json
  mcp-simple-aggregator --config mcp.json --separator __ --debug
Exit codes: 0 done, 1 failed while running, 2 wrong option or config file
`;
