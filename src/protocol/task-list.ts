/** The tasks of all servers of the handshake era as one list, asked for anew each time. */
import { Catalog } from './catalog.ts';
import { readList } from './lists.ts';
import type { Peer } from './peer.ts';
import { TASK_KIND, TASK_NAMING } from './tasks.ts';

/** The result of `tasks/list`, from servers that know that request. */
export async function listTasks(peers: readonly Peer[]): Promise<Buffer> {
  const asked = peers.filter((peer) => peer.status === 'running' && peer.has('tasks'));
  const keys = asked.map(({ key }) => key);
  const catalog = new Catalog(TASK_KIND, keys, TASK_NAMING);
  const read = async (peer: Peer): Promise<void> => {
    const { items } = await readList((method, params) => peer.ask(method, params), TASK_KIND);
    catalog.replace(peer.key, items);
  };
  // A server that cannot list its tasks has none, as with all lists.
  await Promise.allSettled(asked.map((peer) => read(peer)));
  return catalog.bytes;
}
