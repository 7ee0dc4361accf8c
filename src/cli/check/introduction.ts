/** How we and a server introduce ourselves to each other: our side as most clients say it, its side as data. Sends nothing. */
import { MODERN_VERSION } from '../../era/modern.ts';
import { type Greeting, readProfile } from '../../interview.ts';
import { type Identity, type Opening, readOpening } from '../../protocol/handshake.ts';
import { isRequest } from '../../wire/envelope.ts';
import { LineReader } from '../../wire/lines.ts';
import { request } from '../../wire/messages.ts';

/** With a handshake, or without. */
export type EraName = 'handshake' | 'stateless';

/** What a server says of itself. */
export interface Introduction {
  readonly era: EraName;
  readonly protocolVersion: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
}

const OFFERED_VERSION = '2025-11-25';

/** What a client would say that opens with a handshake, read the way that a client's is. */
export function composeOpening(identity: Identity, capabilities: object): Opening {
  const params = { protocolVersion: OFFERED_VERSION, capabilities, clientInfo: identity };
  let opening: Opening | string = 'unread';
  const reader = new LineReader({
    onMessage: (message) => {
      if (isRequest(message)) opening = readOpening(message);
    },
    onMalformed: () => {},
  });
  reader.push(request('1', 'initialize', JSON.stringify(params)));
  if (typeof opening === 'string') throw new Error(`Our own handshake cannot be read: ${opening}`);
  return opening;
}

export function readIntroduction(greeting: Greeting): Introduction {
  const { era, welcome } = greeting;
  const info = asObject(JSON.parse(readProfile(greeting).info ?? '{}'));
  const { protocolVersion } = asObject(JSON.parse(welcome.toString()));
  return {
    era: era === 'modern' ? 'stateless' : 'handshake',
    protocolVersion: era === 'modern' ? MODERN_VERSION : (textOf(protocolVersion) ?? 'not told'),
    name: textOf(info['name']),
    version: textOf(info['version']),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
