/** The text of --help; one screen of 80 by 24 and not a line more. */
export const HELP: string = `Usage: mcp-simple-aggregator [COMMAND] --config FILE [OPTIONS]
Serves the tools of every server in FILE as one MCP server, each as key:tool.

Commands (none: serve, as an MCP client starts it)
  check           try every server: --tools, --json, --server KEY for one only
  call KEY:TOOL   call a tool with name=value ... or --args JSON; --json
  terminate PATH  end what a killed run has left, by its --terminator-manifest
Servers
  --config FILE              JSON with "mcpServers"; FILE alone does as well
  --strict                   exit with an error when a server fails to start
  --isolate-env              pass on only "env" and a short list of variables
  --startup-timeout SECONDS  to be ready (30); --max-processes N at once (50)
  --restart                  start a crashed server again when it is called
  --lazy                     start servers on first use; includes --restart
  --idle-timeout SECONDS     stop unused lazy servers (600; 0 never)
  --terminator-manifest PATH   keep a list of what to kill after a crash
What the client sees: --name NAME, --version V (alone: prints our own),
  --separator S between key and tool (":")
Troubles: --debug logs more, --log-file PATH logs there, --help shows this
Examples
  mcp-simple-aggregator check mcp.json
  mcp-simple-aggregator call fs:read_file path=a.txt --config mcp.json
Exit codes: 0 all is well, 1 something failed, 2 wrong option or config file
`;
