/** What all servers have in common, and whom they tell what happens to them. Data only. */
import type { Pool } from '../pool.ts';
import type { Ending } from '../process/ending.ts';
import type { Watchdog } from '../process/watchdog.ts';
import type { KindName } from '../protocol/kinds.ts';
import type { ServerList } from '../protocol/lists.ts';
import type { Envelope, Malformed } from '../wire/envelope.ts';
import type { LaunchSettings } from './launch.ts';
import type { Server } from './server.ts';
export interface ServerSettings extends LaunchSettings {
  /** Whether a server that is down is started again when it is needed. */
  readonly restart: boolean;
  /** Whether a server may be put to rest while nobody uses it. */
  readonly lazy: boolean;
  readonly pool: () => Pool;
  /** The one for all servers. */
  readonly openWatchdog: () => Promise<Watchdog>;
  /** Whether a server is known, by its id, to take it badly when it is asked for its era. */
  readonly avoidsProbe: (id: string) => boolean;
  /** Whether somebody waits for news of this server, though it owes no answer. */
  readonly isHeld: (key: string) => boolean;
}

export interface ServerHandlers {
  onMessage(server: Server, message: Envelope): void;
  onMalformed(server: Server, line: Malformed): void;
  /** Its list is read; again, after it said that it has changed, or with everything else after a start. */
  onList(server: Server, kind: KindName, list: ServerList, isRefresh: boolean): void;
  /** What has been read again is not what the client was given. */
  onChanged(kind: KindName): void;
  onUp(server: Server): void;
  /** It was up and is not any more. */
  onDown(server: Server, ending: Ending): void;
  /** It did not come up. */
  onFailed(server: Server): void;
}
