/** Takes a JSON-RPC batch apart: one version of the protocol has them. */
import type { Envelope, Malformed } from './envelope.ts';
import { elementsOf } from './json.ts';
import { LineReader } from './lines.ts';

/** The only version with batches. */
export const BATCH_VERSION = '2025-03-26';

const NEWLINE = Buffer.from('\n');

/** The messages of a batch, each as a line of its own; an array in it is no batch again. */
export function splitBatch(pieces: readonly Buffer[]): (Envelope | Malformed)[] {
  const array = Buffer.concat(pieces);
  const messages: (Envelope | Malformed)[] = [];
  const reader = new LineReader({
    onMessage: (message) => void messages.push(message),
    onMalformed: ({ problem, detail, id }) => void messages.push({ problem, detail, id }),
  });
  for (const { start, end } of elementsOf(array, { start: array.indexOf('['), end: array.length })) {
    reader.push(Buffer.concat([array.subarray(start, end), NEWLINE]));
  }
  return messages;
}
