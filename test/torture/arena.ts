/** The whole aggregator in this process, with servers that exist only in memory: thousands of rounds in seconds. */
import { expect, onTestFinished } from 'vitest';
import { Aggregator } from '../../src/aggregator.ts';
import { Log } from '../../src/log.ts';
import { FakeProcess } from '../support/fake-process.ts';
import type { Message } from '../support/inbox.ts';
import { until } from '../support/deadline.ts';
import { Judge, type Rules } from '../support/judge.ts';
import { STATELESS } from '../support/schema.ts';
import { STATELESS_META } from './messages.ts';

const WAIT_MS = 60_000;
const TOOL = '{"name":"echo","inputSchema":{"type":"object"}}';

export interface ArenaOptions {
  readonly keys: readonly string[];
  /** Whether servers that are down are started again. */
  readonly restart?: boolean;
  /** What the client speaks; the stateless version has no handshake. */
  readonly protocolVersion?: string;
  /** Whether the servers have no handshake. */
  readonly areServersStateless?: boolean;
  /** How what the client is sent is judged; strictly, unless servers talk nonsense on purpose. */
  readonly rules?: Rules;
}

export class Arena {
  /** What the client was sent. */
  readonly lines: string[] = [];
  readonly log: string[] = [];
  readonly #judge: Judge;
  readonly #problems = new Set<string>();
  readonly servers: Map<string, FakeProcess> = new Map();
  readonly #aggregator: Aggregator;
  readonly #options: ArenaOptions;
  #rest: Buffer = Buffer.alloc(0);
  #lastId = 0;

  constructor(options: ArenaOptions) {
    this.#options = options;
    this.#judge = new Judge(options.rules);
    onTestFinished(() => expect([...this.#problems].slice(0, 20)).toEqual([]));
    const servers = options.keys.map((key) => ({
      key,
      command: '/server',
      commandText: '/server',
      args: [key],
      env: {},
    }));
    const config = { path: '/config.json', servers, secrets: [], notices: [] };
    this.#aggregator = new Aggregator(config, {
      name: 'arena',
      version: '1',
      log: new Log({ debug: false, write: (line) => void this.log.push(line) }),
      output: { writableLength: 0, write: (bytes) => this.#take(bytes), cork() {}, uncork() {} },
      restart: options.restart ?? false,
      spawn: (file, args, spawnOptions) => {
        const fake = new FakeProcess();
        this.servers.set(args.at(-1) ?? '', fake);
        return fake.spawn(file, args, spawnOptions);
      },
    });
  }

  server(key: string): FakeProcess {
    const server = this.servers.get(key);
    if (server === undefined) throw new Error(`"${key}" was not started`);
    return server;
  }

  /** Starts everything, and goes through the handshake with the client and every server. */
  async open({ isReady = true }: { isReady?: boolean } = {}): Promise<void> {
    this.#aggregator.start();
    const { keys } = this.#options;
    if (!this.#isStateless) this.#shakeHands(isReady);
    const listed = this.ask('tools/list');
    await until(
      WAIT_MS,
      () => this.servers.size === keys.length,
      () => 'the servers',
    );
    await Promise.all(keys.map((key) => this.greet(key)));
    await listed;
  }

  /** What a server of good will says at its start, up to its list of tools. */
  async greet(key: string): Promise<void> {
    const server = this.server(key);
    for (let method: string | undefined; method !== 'tools/list';) {
      const message = await server.next();
      method = message.method;
      if (message.id !== undefined) server.answer(message, this.#reply(method));
    }
  }

  /** Bytes of the client. */
  receive(bytes: Buffer): void {
    this.#judge.hear(bytes);
    this.#aggregator.receive(bytes);
  }

  say(line: string): void {
    this.receive(Buffer.from(`${line}\n`));
  }

  /** Sends a request as the client, and gives the raw line of the reply. */
  async ask(method: string, params?: object): Promise<string> {
    const id = `arena ${++this.#lastId}`;
    const stated = this.#isStateless ? { ...params, _meta: STATELESS_META } : params;
    this.say(JSON.stringify({ jsonrpc: '2.0', id, method, params: stated }));
    return this.line((line) => line.includes(`"id":"${id}"`));
  }

  /** Calls `echo` of a server, and answers as that server. */
  async echo(key: string): Promise<string> {
    const nonce = `nonce ${++this.#lastId}`;
    const reply = this.ask('tools/call', { name: `${key}:echo`, arguments: { nonce } });
    const isCall = ({ raw }: Message): boolean => raw.includes(nonce);
    const call = await this.server(key).inbox.take(isCall);
    const content = `"content":[{"type":"text","text":"${key} ${nonce}"}]`;
    this.server(key).answer(call, `"result":{"resultType":"complete",${content}}`);
    return (await reply).includes(`${key} ${nonce}`) ? 'answered' : reply;
  }

  /** The first line for the client that fits, now or later. */
  async line(fits: (line: string) => boolean): Promise<string> {
    let found: string | undefined;
    const look = (): boolean => (found = this.lines.findLast(fits)) !== undefined;
    for (let turn = 0; turn < 100 && !look(); turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    if (found === undefined)
      await until(WAIT_MS, look, () => `a line; the last were\n${this.lines.slice(-5).join('\n')}`);
    return found ?? '';
  }

  get #isStateless(): boolean {
    return this.#options.protocolVersion === STATELESS;
  }

  #shakeHands(isReady: boolean): void {
    const { protocolVersion = '2025-11-25' } = this.#options;
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'arena', version: '1' } };
    this.say(JSON.stringify({ jsonrpc: '2.0', id: 'open', method: 'initialize', params }));
    if (isReady) this.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }

  /** The member with which a server answers, in the era that it knows. */
  #reply(method: string | undefined): string {
    if (method === 'tools/list')
      return `"result":{"tools":[${TOOL}],"resultType":"complete","ttlMs":0,"cacheScope":"public"}`;
    const { areServersStateless = false } = this.#options;
    if (areServersStateless && method === 'server/discover')
      return `"result":{"resultType":"complete","supportedVersions":["${STATELESS}"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`;
    if (!areServersStateless && method === 'initialize')
      return '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}';
    return '"error":{"code":-32601,"message":"Method not found"}';
  }

  async close(): Promise<void> {
    await this.#aggregator.close({ drain: false });
  }

  #take(bytes: Buffer): boolean {
    const all = Buffer.concat([this.#rest, bytes]);
    const end = all.lastIndexOf(10) + 1;
    this.#rest = Buffer.from(all.subarray(end));
    for (const line of end > 0 ? all.toString('utf8', 0, end - 1).split('\n') : []) this.#accept(line);
    return true;
  }

  #accept(line: string): void {
    this.lines.push(line);
    try {
      const problem = this.#judge.findProblem(JSON.parse(line));
      if (problem !== undefined) this.#problems.add(`${problem}: ${line.slice(0, 500)}`);
    } catch (error) {
      this.#problems.add(`${String(error)}: ${line.slice(0, 500)}`);
    }
  }
}
