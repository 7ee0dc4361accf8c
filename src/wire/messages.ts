/** The lines that we write ourselves: requests, notifications, results and errors. Ids are raw JSON text. */

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/** Ids of our own making start like this; a client's id that does so too is not sent as it is. */
export const OWN_ID_START = '"aggregator/';

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const PROPER_ID = /^["\d-]/;
const END = Buffer.from('}\n');

/** Raw JSON in: text of ours, or bytes of others that go through untouched. */
export type Json = string | Buffer;

export function request(id: string, method: string, params?: Json): Buffer {
  return compose(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`, params);
}

export function notification(method: string, params?: Json): Buffer {
  return compose(`{"jsonrpc":"2.0","method":${JSON.stringify(method)}`, params);
}

/** In pieces, so that a long result that lies ready need not be copied. */
export function success(id: string, result: Json): Buffer[] {
  const bytes = typeof result === 'string' ? Buffer.from(result) : result;
  return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`, 'latin1'), bytes, END];
}

/** Without an id when it could not be read, or is neither a string nor a number: clients refuse `null`. */
export function failure(id: string | undefined, error: ErrorObject): Buffer {
  const idMember = id === undefined || !PROPER_ID.test(id) ? '' : `"id":${id},`;
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0",${idMember}"error":`, 'latin1'),
    Buffer.from(JSON.stringify(error)),
    END,
  ]);
}

function compose(opening: string, params: Json | undefined): Buffer {
  // An id is raw text in Latin-1, everything else of the opening is ASCII.
  const start = Buffer.from(opening, 'latin1');
  if (params === undefined) return Buffer.concat([start, END]);
  const bytes = typeof params === 'string' ? Buffer.from(params) : params;
  return Buffer.concat([start, Buffer.from(',"params":'), bytes, END]);
}
