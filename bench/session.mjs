/** One target, started on one set of servers, with a client on each program it consists of. Times nothing. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from './client.mjs';
import { commandLineOf, treeOf } from './measure.mjs';

/** Some peers leave daemons and servers behind; they would disturb whoever is measured next. */
function endLeftovers(tree) {
  for (const { pid, commandLine } of tree) {
    if (commandLine === '' || commandLineOf(pid) !== commandLine) continue;
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // It went by itself in the meantime.
    }
  }
}

export class Session {
  #target;
  clients;
  closed = false;

  constructor(target, servers, directory) {
    this.#target = target;
    const log = join(mkdtempSync(join(directory, 'log-')), 'stderr.log');
    this.clients = target.launches(servers, directory).map((launch) => new Client(launch, log, target.era));
  }

  get pid() {
    return this.clients[0].pid;
  }

  initialize() {
    return Promise.all(this.clients.map((client) => client.initialize()));
  }

  /** All tools, listed again on every `list_changed` until there are as many as there must be. */
  async listAll(expected) {
    const lists = await Promise.all(this.clients.map((client) => this.listComplete(client, expected)));
    return lists.flat();
  }

  /** Calls a tool of the first server. */
  call(tool, args) {
    const { callText, toolName } = this.#target;
    const params =
      callText?.('server1', tool, args) ?? `{"name":"${toolName('server1', tool)}","arguments":${args}}`;
    return this.clients[0].request('tools/call', params);
  }

  /** Gives up: whatever is still waited for fails with this reason. */
  abandon(reason) {
    for (const client of this.clients) client.abandon(reason);
  }

  async close() {
    const tree = this.#target.optional ? this.clients.flatMap(({ pid }) => treeOf(pid)) : [];
    await Promise.all(this.clients.map((client) => client.close()));
    endLeftovers(tree);
    this.closed = true;
  }

  async listComplete(client, expected) {
    // Only an aggregator may still lack servers: a server's own first list is its whole list.
    if (this.clients.length > 1 || expected === undefined) return client.listTools();
    for (;;) {
      const changed = client.notified('notifications/tools/list_changed');
      // Waited for only if the list is short; that it never came is no error otherwise.
      changed.catch(() => {});
      const tools = await client.listTools();
      if (tools.length >= expected) return tools;
      await changed;
    }
  }
}
