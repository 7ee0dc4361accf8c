/** The published schema of each version of the protocol: which definition a message has to follow, and whether it does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const FOLDER = join(import.meta.dirname, '../data/foreign');
export const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type Version = (typeof VERSIONS)[number];
/** The first version without a handshake. */
export const STATELESS: Version = '2026-07-28';

interface Definition extends Record<string, unknown> {
  anyOf?: { $ref: string }[];
  properties?: { method?: { const?: string } };
}

interface SchemaFile extends Record<string, unknown> {
  $defs?: Record<string, Definition>;
  definitions?: Record<string, Definition>;
}

export class Schema {
  readonly version: Version;
  readonly #ajv: Ajv;
  readonly #place: '$defs' | 'definitions';
  readonly #definitions: Record<string, Definition>;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(version: Version) {
    this.version = version;
    const file = JSON.parse(readFileSync(join(FOLDER, `schema-${version}.json`), 'utf8')) as SchemaFile;
    this.#place = file.$defs === undefined ? 'definitions' : '$defs';
    this.#definitions = file[this.#place] ?? {};
    const options = { strict: false, validateFormats: false };
    this.#ajv = file.$defs === undefined ? new Ajv(options) : new Ajv2020(options);
    this.#ajv.addSchema({ ...file, $id: version });
  }

  has(definition: string): boolean {
    return Object.hasOwn(this.#definitions, definition);
  }

  /** The one of a union (such as `ServerNotification`) that has this method. */
  find(union: string, method: string): string | undefined {
    const names = (this.#definitions[union]?.anyOf ?? []).map(({ $ref }) => $ref.split('/').at(-1) ?? '');
    return names.find((name) => this.#definitions[name]?.properties?.method?.const === method);
  }

  /** What is wrong with a value that should follow a definition, or a part of it. */
  findProblem(definition: string, value: unknown): string | undefined {
    const validate = this.#compile(definition);
    return validate(value)
      ? undefined
      : `${definition} of ${this.version}: ${this.#ajv.errorsText(validate.errors)}`;
  }

  #compile(definition: string): ValidateFunction {
    const known = this.#validators.get(definition);
    if (known !== undefined) return known;
    const validate = this.#ajv.compile({ $ref: `${this.version}#/${this.#place}/${definition}` });
    this.#validators.set(definition, validate);
    return validate;
  }
}
