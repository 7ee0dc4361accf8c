/** Requests on their way to a server of the other era. */
import type { Entry } from '../protocol/catalog.ts';
import type { Conversation } from '../protocol/conversation.ts';
import type { Owner } from '../protocol/owners.ts';
import type { Peer } from '../protocol/peer.ts';
import type { Request } from '../wire/envelope.ts';
import { parse } from '../wire/json.ts';
import type { Splice } from '../wire/splice.ts';
import type { Logs } from './logs.ts';
import { insertMembers } from './members.ts';
import { insertClaim, removeClaim } from './meta.ts';
import { ModernOverLegacy } from './modern-over-legacy.ts';
import { LOG_LEVELS } from './modern.ts';
import { Rounds } from './rounds.ts';
import type { Bridge, Claim, Tools } from './types.ts';

/** How a request goes to a server of the other era. */
export interface Crossing {
  readonly bridge: Bridge;
  readonly splices: readonly Splice[];
}

/** A server with a handshake gives none; one of ours is used up by now, or has expired. Nothing is done twice. */
const FOREIGN_STATE = 'Unknown "requestState": it was never given, is used up, or has expired';

export class Crossings {
  readonly #shared: Conversation;
  readonly #logs: Logs;
  readonly #tools: Tools;

  constructor(shared: Conversation, logs: Logs, tools: Tools) {
    this.#shared = shared;
    this.#logs = logs;
    this.#tools = tools;
  }

  cross(
    message: Request,
    { peer, entry }: Owner,
    claim: Claim | undefined,
    splices: readonly Splice[],
  ): Crossing | string | undefined {
    if (isOneEra(peer, claim)) return undefined;
    if (claim === undefined) {
      const all = [...splices, ...this.#lowerToModern(message)];
      return { splices: all, bridge: new Rounds(this.#shared, this.#tools, message, all) };
    }
    if (message.param('requestState') !== undefined) return FOREIGN_STATE;
    this.#logs.prepare(peer, claim);
    const isTask = entry !== undefined && needsTask(entry);
    const all = [...splices, ...removeClaim(message)];
    if (isTask && message.params !== undefined)
      all.push(insertMembers(message.line, message.params, '"task":{}'));
    return { splices: all, bridge: new ModernOverLegacy(message, isTask) };
  }

  #lowerToModern(message: Request): Splice[] {
    const { legacy, logLevel } = this.#shared;
    const level = logLevel && (parse(logLevel.toString()) as { level?: unknown }).level;
    return insertClaim(
      message,
      legacy?.meta ?? {},
      LOG_LEVELS.find((name) => name === level),
    );
  }
}

function isOneEra(peer: Peer, claim: Claim | undefined): boolean {
  return (claim !== undefined) === (peer.era === 'modern');
}

/** Whether the tool can only be called as a task. */
function needsTask({ item }: Entry): boolean {
  if (!item.bytes.includes('"taskSupport"')) return false;
  const { execution } = parse(item.bytes.toString()) as { execution?: { taskSupport?: unknown } };
  return execution?.taskSupport === 'required';
}
