/** Reads one line the way the program does. Repairs nothing. */
import { Envelope, isRequest, type Malformed, type Request } from '../../src/wire/envelope.ts';
import { LineReader } from '../../src/wire/lines.ts';

export function readMessage(text: string): Envelope {
  const lines: (Envelope | Malformed)[] = [];
  const add = (line: Envelope | Malformed): void => void lines.push(line);
  const reader = new LineReader({ onMessage: add, onMalformed: add });
  reader.push(Buffer.from(`${text}\n`));
  const [line] = lines;
  if (!(line instanceof Envelope)) throw new Error(`Not a message: ${text}`);
  return line;
}

export function readRequest(id: string, method: string, params?: string): Request {
  const member = params === undefined ? '' : `,"params":${params}`;
  const message = readMessage(`{"jsonrpc":"2.0","id":${id},"method":"${method}"${member}}`);
  if (!isRequest(message)) throw new Error(`Not a request: ${message.line.toString()}`);
  return message;
}
