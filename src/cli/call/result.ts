/** Turns the result of a tool into text for people; what is no text is saved or described. Prints nothing. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { elementsOf, memberOf, parse, type Span } from '../../wire/json.ts';
import { indentJson } from './indent.ts';

/** As far as a server keeps to what is agreed; it may not. */
export interface ToolResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

interface Content {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly description?: unknown;
  readonly resource?: unknown;
  readonly blob?: unknown;
}

/** Saves bytes under a name and gives the path. */
export type Save = (name: string, bytes: Buffer) => string;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'text/plain': 'txt',
};

/** Its members; a result that is no object has none. */
export function readResult(text: string): ToolResult {
  return Object(parse(text)) as ToolResult;
}

/** Takes JSON text: what is shown as JSON is shown in the digits of the server. */
export function describeResult(text: string, save: Save = createSave()): string {
  const { content, structuredContent } = readResult(text);
  const bytes = Buffer.from(text);
  const [listed, structured] = ['content', 'structuredContent'].map((name) =>
    memberOf(bytes, { start: 0, end: bytes.length }, name),
  );
  const isOdd = listed !== undefined && !Array.isArray(content);
  if (isOdd || (listed === undefined && structured === undefined)) return indentJson(text);
  const contents = Array.isArray(content) ? content.map((one) => Object(one) as Content) : [];
  const spans = listed === undefined ? [] : elementsOf(bytes, listed);
  const parts = contents.map(
    (one, index) => describeContent(one, index + 1, save) ?? indentJson(textAt(bytes, spans[index])),
  );
  if (structured !== undefined && !isRepeated(structuredContent, contents)) {
    parts.push(indentJson(textAt(bytes, structured)));
  }
  return parts.join('\n');
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

/** Undefined for what is not known, or not as it should be. */
function describeContent(content: Content, number: number, save: Save): string | undefined {
  const { type, text, data } = content;
  if (type === 'text' && typeof text === 'string') return text;
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    const mimeType = nameMimeType(content);
    return describeFile(type, mimeType, saveData(`${type}-${number}`, data, mimeType, save));
  }
  if (type === 'resource_link') {
    return `[link: ${[content.name, content.uri, content.mimeType, content.description].filter(Boolean).join(', ')}]`;
  }
  if (type !== 'resource') return undefined;
  const resource = Object(content.resource) as Content;
  const uri = String(resource.uri);
  if (typeof resource.text === 'string') return `[resource: ${uri}]\n${resource.text}`;
  if (typeof resource.blob !== 'string') return undefined;
  const mimeType = nameMimeType(resource);
  return describeFile(
    `resource ${uri}`,
    mimeType,
    saveData(`resource-${number}`, resource.blob, mimeType, save),
  );
}

function nameMimeType({ mimeType }: Content): string {
  return typeof mimeType === 'string' ? mimeType : 'unknown type';
}

function textAt(bytes: Buffer, span: Span | undefined): string {
  return bytes.toString('utf8', span?.start, span?.end);
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
    if (typeof text !== 'string') return false;
    if (inner.length === 1 && inner[0] === text) return true;
    try {
      return isDeepStrictEqual(JSON.parse(text), structured);
    } catch {
      return false;
    }
  });
}
