/** Remembers which server gave the client which resource links: a link need not be in any list. */
import type { Answer } from '../wire/envelope.ts';
import { parse } from '../wire/json.ts';
import { RecentKeys } from './recent-keys.ts';

/** `ui/resourceUri` is how MCP Apps wrote it at first. */
const LINK = /"(?:uri|(?:ui\/)?resourceUri)"\s*:\s*("(?:[^"\\]|\\.)*")/g;
/** Longer answers are documents, and not worth the search. */
const SEARCHED_BYTES = 1024 * 1024;
const REMEMBERED_LINKS = 10_000;

export class Links {
  readonly #keys = new RecentKeys(REMEMBERED_LINKS);

  /** Notes the links in an answer of a server. */
  note(key: string, { pieces }: Answer): void {
    const [line] = pieces;
    if (line === undefined || pieces.length > 1 || line.length > SEARCHED_BYTES) return;
    for (const uri of readLinks(line)) this.#keys.set(uri, key);
  }

  /** The key of the server that gave the link. */
  find(uri: string): string | undefined {
    return this.#keys.get(uri);
  }
}

/** The URIs that a piece of JSON links to. */
export function* readLinks(json: Buffer): Iterable<string> {
  if (!json.includes('"uri"') && !json.includes('resourceUri"')) return;
  for (const [, quoted = ''] of json.toString().matchAll(LINK)) yield String(parse(quoted));
}
