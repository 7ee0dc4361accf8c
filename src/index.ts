/** What library users get. */
export { Aggregator } from './aggregator.ts';
export type { AggregatorOptions } from './aggregator-options.ts';
export { type Config, loadConfig, type ServerConfig } from './config/load.ts';
export { ConfigError, type ConfigErrorCode } from './config/problem.ts';
export {
  type CallOptions,
  ConnectionError,
  type McpConnection,
  type McpConnectionOptions,
  NodeStdioMcpConnection,
} from './server/connection.ts';
export { Log, type LogOptions } from './log.ts';
export type { Ending } from './process/ending.ts';
export type { Envelope, Malformed } from './wire/envelope.ts';
export { McpError } from './wire/error.ts';
