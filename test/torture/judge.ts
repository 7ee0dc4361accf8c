/** Judges each line on stdout: is it a message that the protocol knows? Says what is wrong; repairs nothing. */
import {
  CallToolResultSchema,
  InitializeResultSchema,
  ListToolsResultSchema,
  ServerNotificationSchema,
  ServerRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

export interface JudgeOptions {
  /** What servers say passes untouched, so where they talk nonsense only what is ours to promise is judged. */
  readonly serversAreSane: boolean;
  /** Only one version of the protocol has arrays of messages. */
  readonly mayBatch: boolean;
}

export const STRICT: JudgeOptions = { serversAreSane: true, mayBatch: false };
export const LENIENT: JudgeOptions = { serversAreSane: false, mayBatch: false };

type Json = Record<string, unknown>;

/** The part of a schema that is used here. */
interface Schema {
  safeParse(value: unknown): { success: boolean; error?: unknown };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
const has = (message: Json, name: string): boolean => Object.hasOwn(message, name);

/** A sentence when the line is not as it should be. */
export function judge(raw: string, options: JudgeOptions = STRICT): string | undefined {
  let message: unknown;
  try {
    message = JSON.parse(raw);
  } catch {
    return 'It is not JSON';
  }
  if (Array.isArray(message) && options.mayBatch) {
    if (message.length === 0) return 'It is an empty array';
    return message.map((one) => judgeMessage(one, options)).find((problem) => problem !== undefined);
  }
  return judgeMessage(message, options);
}

function judgeMessage(message: unknown, options: JudgeOptions): string | undefined {
  if (!isObject(message)) return 'It is not an object';
  if (message['jsonrpc'] !== '2.0') return 'It has no "jsonrpc": "2.0"';
  if (has(message, 'method')) return judgeMethod(message, options);
  return judgeAnswer(message, options);
}

function judgeMethod(message: Json, { serversAreSane }: JudgeOptions): string | undefined {
  const { method, params, id } = message;
  if (typeof method !== 'string') return '"method" is not a string';
  if (has(message, 'result') || has(message, 'error')) return 'It is a request and an answer';
  if (params !== undefined && !isObject(params)) return '"params" is not an object';
  if (has(message, 'id') && !isId(id)) return '"id" is neither a string nor a number';
  return serversAreSane ? judgeKnown(message) : undefined;
}

/** Against the schema of what the protocol names; what a vendor names has none. */
function judgeKnown(message: Json): string | undefined {
  const method = String(message['method']);
  if (!/^(notifications|sampling|elicitation|roots|ping|tasks)(\/|$)/.test(method)) return undefined;
  if (method.startsWith('notifications/vendor')) return undefined;
  return follow(has(message, 'id') ? ServerRequestSchema : ServerNotificationSchema, message);
}

function judgeAnswer(message: Json, { serversAreSane }: JudgeOptions): string | undefined {
  const { id, result, error } = message;
  if (has(message, 'id') && !isId(id)) return '"id" is neither a string nor a number';
  if (has(message, 'error') && error !== null) {
    if (has(message, 'result') && result !== null) return 'It has a result and an error';
    return serversAreSane || !has(message, 'id') ? judgeError(error) : undefined;
  }
  if (!has(message, 'result')) return 'It is neither a request nor an answer';
  if (!has(message, 'id')) return 'It is a result without an id';
  return serversAreSane ? judgeResult(result) : undefined;
}

function judgeError(error: unknown): string | undefined {
  if (!isObject(error)) return 'The error is not an object';
  if (!Number.isInteger(error['code'])) return 'The code of the error is not a whole number';
  return typeof error['message'] === 'string' ? undefined : 'The error has no message';
}

function judgeResult(result: unknown): string | undefined {
  if (!isObject(result)) return 'The result is not an object';
  if (has(result, 'protocolVersion')) return follow(InitializeResultSchema, result);
  if (has(result, 'tools')) return follow(ListToolsResultSchema, result);
  return has(result, 'content') ? follow(CallToolResultSchema, result) : undefined;
}

function follow(schema: Schema, value: unknown): string | undefined {
  const { success, error } = schema.safeParse(value);
  return success ? undefined : `It does not follow its schema: ${String(error)}`;
}
