/** Turns the result of a tool into text for people; what is no text is saved or described. Prints nothing. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

export interface ToolResult {
  readonly content?: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly resultType?: string;
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  readonly requestState?: string;
}

interface Content {
  readonly type?: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly name?: string;
  readonly description?: string;
  readonly resource?: { uri?: string; text?: string; blob?: string; mimeType?: string };
}

/** Saves bytes under a name and gives the path. */
export type Save = (name: string, bytes: Buffer) => string;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'text/plain': 'txt',
};

export function describeResult(result: ToolResult, save: Save = createSave()): string {
  const contents = result.content ?? [];
  const parts = contents.map((content, index) => describeContent(content, index + 1, save));
  const { structuredContent } = result;
  if (structuredContent !== undefined && !isRepeated(structuredContent, contents)) {
    parts.push(JSON.stringify(structuredContent, undefined, 2));
  }
  if (parts.length > 0) return parts.join('\n');
  return Array.isArray(result.content) ? '' : JSON.stringify(result, undefined, 2);
}

/** Files of one run lie together, in a folder that is made when the first one comes. */
function createSave(): Save {
  let folder: string | undefined;
  return (name, bytes) => {
    folder ??= mkdtempSync(join(tmpdir(), 'mcp-call-'));
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
}

function describeContent(content: Content, number: number, save: Save): string {
  const { type, text, data, mimeType = 'unknown type' } = content;
  if (type === 'text' && typeof text === 'string') return text;
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return describeFile(type, mimeType, saveData(`${type}-${number}`, data, mimeType, save));
  }
  if (type === 'resource_link') {
    return `[link: ${[content.name, content.uri, content.mimeType, content.description].filter(Boolean).join(', ')}]`;
  }
  if (type === 'resource' && content.resource !== undefined) {
    const { uri, text: body, blob, mimeType: kind = 'unknown type' } = content.resource;
    if (typeof body === 'string') return `[resource: ${uri}]\n${body}`;
    if (typeof blob === 'string') {
      return describeFile(`resource ${uri}`, kind, saveData(`resource-${number}`, blob, kind, save));
    }
  }
  return JSON.stringify(content, undefined, 2);
}

function saveData(name: string, data: string, mimeType: string, save: Save): { path: string; bytes: number } {
  const bytes = Buffer.from(data, 'base64');
  // Only what cannot lead anywhere else becomes part of a file's name.
  const [, subtype = ''] = /^[a-z]+\/([a-z0-9]{1,10})$/.exec(mimeType) ?? [];
  const extension = EXTENSIONS[mimeType] ?? (subtype || 'bin');
  return { path: save(`${name}.${extension}`, bytes), bytes: bytes.length };
}

function describeFile(
  what: string,
  mimeType: string,
  { path, bytes }: { path: string; bytes: number },
): string {
  return `[${what}: ${mimeType}, ${bytes} bytes, saved to ${path}]`;
}

/** Servers give the same once more as text, for those who know no structured content. */
function isRepeated(structured: unknown, contents: readonly Content[]): boolean {
  const inner: unknown[] =
    typeof structured === 'object' && structured !== null ? Object.values(structured) : [];
  return contents.some(({ text }) => {
    if (text === undefined) return false;
    if (inner.length === 1 && inner[0] === text) return true;
    try {
      return isDeepStrictEqual(JSON.parse(text), structured);
    } catch {
      return false;
    }
  });
}
