/** Judges every line that a client is sent against the schema of the version it speaks. Says what is wrong; repairs nothing. */
import { Schema, STATELESS, type Version, VERSIONS } from './schema.ts';

export interface Rules {
  /** What servers say passes untouched, so where they talk nonsense only what is ours to promise is judged. */
  readonly serversAreSane: boolean;
}

const STRICT: Rules = { serversAreSane: true };
export const LENIENT: Rules = { serversAreSane: false };

type Json = Record<string, unknown>;

interface Asked {
  readonly method: string;
  readonly version: Version | undefined;
  readonly isTask: boolean;
  /** Whether another request with this id was under way, so that nobody can tell their answers apart. */
  readonly isAmbiguous: boolean;
}

/** We answer these ourselves, whatever servers say. */
const OWN_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'logging/setLevel',
  'ping',
  'server/discover',
]);

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** Longer lines of the client are no requests whose answers are judged by their method. */
const LONGEST_HEARD = 64 * 1024;

const schemas = new Map<Version, Schema>();

function schemaOf(version: Version): Schema {
  const schema = schemas.get(version) ?? new Schema(version);
  schemas.set(version, schema);
  return schema;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
const has = (message: Json, name: string): boolean => Object.hasOwn(message, name);
const isVersion = (value: unknown): value is Version => (VERSIONS as readonly unknown[]).includes(value);

export class Judge {
  readonly #rules: Rules;
  readonly #asked = new Map<string, Asked>();
  /** What the handshake agreed on. */
  #version: Version | undefined;
  /** Whether the client has asked anything without a handshake. */
  #isStateless = false;
  #rest = '';

  constructor(rules: Rules = STRICT) {
    this.#rules = rules;
  }

  /** Bytes of the client, cut anywhere. */
  hear(bytes: string | Buffer): void {
    const lines = (this.#rest + bytes.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > LONGEST_HEARD) this.#rest = '';
    for (const line of lines)
      if (line.length <= LONGEST_HEARD && line.includes('"method"')) this.#hearLine(line);
  }

  /** A sentence when a line for the client, already parsed, is not as it should be. */
  findProblem(line: unknown): string | undefined {
    if (!Array.isArray(line)) return this.#judgeMessage(line);
    if (this.#version !== '2025-03-26') return `It is an array, in version ${this.#version}`;
    if (line.length === 0) return 'It is an empty array';
    return line.map((one) => this.#judgeMessage(one)).find((problem) => problem !== undefined);
  }

  #hearLine(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return;
    }
    for (const message of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isObject(message)) this.#hearMessage(message);
  }

  #hearMessage({ id, method, params }: Json): void {
    if (!isId(id) || typeof method !== 'string') return;
    const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
    const named = meta[VERSION_KEY];
    if (isVersion(named)) this.#isStateless = true;
    const version = isVersion(named) ? named : undefined;
    const key = JSON.stringify(id);
    const isTask = isObject(params) && has(params, 'task');
    this.#asked.set(key, { method, version, isTask, isAmbiguous: this.#asked.has(key) });
  }

  #judgeMessage(message: unknown): string | undefined {
    if (!isObject(message)) return 'It is not an object';
    if (message['jsonrpc'] !== '2.0') return 'It has no "jsonrpc": "2.0"';
    if (has(message, 'id') && !isId(message['id'])) return '"id" is neither a string nor a number';
    return has(message, 'method') ? this.#judgeMethod(message) : this.#judgeAnswer(message);
  }

  #judgeMethod(message: Json): string | undefined {
    const { method, params } = message;
    if (typeof method !== 'string') return '"method" is not a string';
    if (has(message, 'result') || has(message, 'error')) return 'It is a request and an answer';
    if (params !== undefined && !isObject(params)) return '"params" is not an object';
    const version = this.#version ?? (this.#isStateless ? STATELESS : undefined);
    if (version === undefined) return 'It comes before the version is known';
    if (version === STATELESS && has(message, 'id')) return 'It is a question, in a version that has none';
    if (!this.#rules.serversAreSane) return undefined;
    // What a vendor names has no definition.
    const schema = schemaOf(version);
    const definition = schema.find(has(message, 'id') ? 'ServerRequest' : 'ServerNotification', method);
    return definition === undefined ? undefined : schema.findProblem(definition, message);
  }

  #judgeAnswer(message: Json): string | undefined {
    const { id, result, error } = message;
    const key = JSON.stringify(id);
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    if (has(message, 'error') && error !== null) {
      if (has(message, 'result') && result !== null) return 'It has a result and an error';
      return this.#rules.serversAreSane || !has(message, 'id') ? this.#judgeError(error) : undefined;
    }
    if (!has(message, 'result')) return 'It is neither a request nor an answer';
    if (!has(message, 'id')) return 'It is a result without an id';
    if (asked?.method === 'initialize') this.#agree(result);
    const isOurs = asked !== undefined && !asked.isAmbiguous && OWN_METHODS.has(asked.method);
    return this.#rules.serversAreSane || isOurs ? this.#judgeResult(asked, result) : undefined;
  }

  #agree(result: unknown): void {
    const version = isObject(result) ? result['protocolVersion'] : undefined;
    // As with us, the first handshake counts.
    if (isVersion(version)) this.#version ??= version;
  }

  /** Of any version, because all have the same; older ones leave no way to answer a line whose id cannot be read. */
  #judgeError(error: unknown): string | undefined {
    const id = 0;
    return schemaOf('2025-11-25').findProblem('JSONRPCErrorResponse', { jsonrpc: '2.0', id, error });
  }

  #judgeResult(asked: Asked | undefined, result: unknown): string | undefined {
    if (!isObject(result)) return 'The result is not an object';
    const version = asked?.version ?? this.#version;
    if (asked === undefined || version === undefined) return undefined;
    const schema = schemaOf(version);
    const request = schema.find('ClientRequest', asked.method);
    if (request === undefined) return undefined;
    return schema.findProblem(nameResult(schema, request, asked, result), result);
  }
}

/** The definition that a result has to follow. */
function nameResult(schema: Schema, request: string, { isTask }: Asked, result: Json): string {
  if (isTask && schema.has('CreateTaskResult') && has(result, 'task')) return 'CreateTaskResult';
  const { resultType = 'complete' } = result;
  if (resultType === 'input_required') return 'InputRequiredResult';
  // Those of extensions have schemas of their own.
  if (resultType !== 'complete') return 'Result';
  const name = request.replace(/Request$/, 'Result');
  return schema.has(name) ? name : 'EmptyResult';
}
