/** Replaces spans of a line without copying what stands between them. */
import { slice } from './envelope.ts';
import type { Span } from './json.ts';

export interface Splice {
  readonly span: Span;
  readonly bytes: Buffer;
}

/** The line in pieces, with other bytes where the splices are; they may come in any order but must not overlap. */
export function splice(pieces: readonly Buffer[], splices: readonly Splice[]): readonly Buffer[] {
  if (splices.length === 0) return pieces;
  const [line] = pieces;
  const [only] = splices;
  if (line !== undefined && only !== undefined && pieces.length === 1 && splices.length === 1)
    return [line.subarray(0, only.span.start), only.bytes, line.subarray(only.span.end)];
  const spliced: Buffer[] = [];
  let at = 0;
  for (const { span, bytes } of splices.toSorted(compare)) {
    spliced.push(...slice(pieces, at, span.start), bytes);
    at = span.end;
  }
  spliced.push(...slice(pieces, at, Number.POSITIVE_INFINITY));
  return spliced;
}

/** What is put in stands before what is taken out at the same place. */
function compare({ span: one }: Splice, { span: other }: Splice): number {
  return one.start - other.start || one.end - other.end;
}
