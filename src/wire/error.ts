/** A JSON-RPC error as something that can be thrown. */
import type { Envelope } from './envelope.ts';
import type { ErrorObject } from './messages.ts';

/** The other side answered with an error. */
export class McpError extends Error {
  override readonly name = 'McpError';
  /** The code of JSON-RPC; 0 when the answer has none. */
  readonly code: number;
  /** Whatever the server added. */
  readonly data: unknown;

  constructor({ code, message, data }: ErrorObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function readError(answer: Envelope): McpError {
  const error = answer.error && answer.value(answer.error);
  if (typeof error === 'object' && error !== null)
    return new McpError({ code: 0, message: 'No reason given', ...error });
  const message = answer.error ? answer.text(answer.error) : 'The answer has neither a result nor an error';
  return new McpError({ code: 0, message });
}
