/** What a server says of itself, in words for people. Asks nothing. */
import { type Greeting, readProfile, readVersion } from '../../era/greeting.ts';

/** With a handshake, or without. */
export type EraName = 'handshake' | 'stateless';

export interface Introduction {
  readonly era: EraName;
  readonly protocolVersion: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
}

export function readIntroduction(greeting: Greeting): Introduction {
  const info = JSON.parse(readProfile(greeting).info ?? '{}') as unknown;
  const { name, version } = Object(info) as Record<string, unknown>;
  return {
    era: greeting.era === 'modern' ? 'stateless' : 'handshake',
    protocolVersion: readVersion(greeting) ?? 'not told',
    name: textOf(name),
    version: textOf(version),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
