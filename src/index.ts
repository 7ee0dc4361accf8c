/** What library users get. */
export { Aggregator, type AggregatorOptions } from './aggregator.ts';
export { type Config, loadConfig } from './config/load.ts';
export { ConfigError, type ServerConfig } from './config/validate.ts';
export {
  type CallOptions,
  ConnectionError,
  type McpConnection,
  type McpConnectionOptions,
  NodeStdioMcpConnection,
} from './connection.ts';
export { Log, type LogOptions } from './log.ts';
export { McpError } from './wire/error.ts';
