/** What all servers have in common. Data only. */
import type { LaunchSettings } from './launch.ts';
import type { Pool } from './pool.ts';
import type { Watchdog } from './process/watchdog.ts';

export interface ServerSettings extends LaunchSettings {
  /** Whether a server that is down is started again when it is needed. */
  readonly restart: boolean;
  /** Whether a server may be put to rest while nobody uses it. */
  readonly lazy: boolean;
  readonly pool: () => Pool;
  /** The one for all servers. */
  readonly openWatchdog: () => Promise<Watchdog>;
  /** Whether somebody waits for news of this server, though it owes no answer. */
  readonly isHeld: (key: string) => boolean;
}
