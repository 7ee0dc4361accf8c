/** The text of --help; one screen of 80 by 24 and not a line more. */
export const HELP: string = `Usage: mcp-simple-aggregator [command] --config FILE [options]

One stdio MCP server with the tools of every server in a Claude-style config
file, each as key:tool. Without a command it serves, as an MCP client expects.
Commands
  check            start each server, say what works (--tools --server K --json)
  call KEY:TOOL    call a tool with name=value ... or --args JSON (--json)
  terminate PATH   end what a killed run left behind (see --terminator-manifest)
Servers
  --config FILE    JSON file with "mcpServers"; FILE alone does as well
  --isolate-env, --strict      pass on few variables; exit if a server fails
  --restart, --lazy            start again after a crash; start on first use
  --idle-timeout SECONDS       stop unused lazy servers (600; 0 is never)
  --startup-timeout SECONDS    a server must be ready by then (30)
  --max-processes N, --terminator-manifest PATH   at most N (50); list for kill
What the client sees
  --separator S                between key and tool (":")
  --name NAME, --version V     of this server; --version alone prints ours
Troubles: --debug logs everything, --log-file PATH logs there, --help is this
Examples: mcp-simple-aggregator check mcp.json
  mcp-simple-aggregator call fs:read_file path=a.txt --config mcp.json
Exit codes: 0 all is well, 1 something failed, 2 wrong option or config file
`;
