/**
 * A client that speaks in raw lines and hands out replies as the bytes that came, one character per byte, because
 * official clients drop what they do not know. Declares everything a client can, so that servers offer all they have.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { findMember, splitElements } from './spans.mjs';

const REPLY_MS = 30_000;
const GRACE_MS = 6_000;
const LAST_WORDS_MS = 500;
const STEADY_MS = 400;
const STEADY_LIMIT_MS = 60_000;
const MOST_PAGES = 50;
const KEPT_STDERR = 20_000;
const NEWLINE = 10;

/** JSON text of one character per byte, as a value. */
export function decode(text) {
  return JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
}

/** The lists of the protocol: method and member of the result. */
export const LISTS = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
};

export class LineClient {
  #child;
  #root;
  #partial = [];
  #waiting = new Map();
  #nextId = 1;
  #stderr = '';
  #exit;

  constructor({ command, args, env, cwd }) {
    this.#root = pathToFileURL(cwd).href;
    // A group of its own, so that the end of a server that ignores its stdin can be helped along.
    this.#child = spawn(command, args, { env, cwd, detached: true });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.on('data', (chunk) => this.#receive(chunk));
    this.#child.stderr.on('data', (chunk) => {
      this.#stderr = (this.#stderr + chunk).slice(-KEPT_STDERR);
    });
    this.#exit = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(error.message));
      this.#child.on('exit', (code, signal) => {
        // The last words come a moment later, or never when a process of its own holds the pipe.
        const finish = () => resolve(`it ended with ${signal ?? `code ${code}`}`);
        this.#child.on('close', finish);
        setTimeout(finish, LAST_WORDS_MS);
      });
    });
    void this.#exit.then((reason) => this.#fail(reason));
  }

  get stderr() {
    return this.#stderr;
  }

  async initialize() {
    const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
    const clientInfo = { name: 'corpus', version: '1.0.0' };
    const reply = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo,
    });
    if (findMember(reply, 'error') !== undefined) throw new Error(`it refused to start: ${reply}`);
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return findMember(reply, 'result');
  }

  /** Sends a request and gives the line of its reply. */
  async request(method, params = {}) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`no reply to ${method} within ${REPLY_MS / 1000} s`));
      }, REPLY_MS);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** The texts of all items on all pages of a list; undefined where the server answers with an error. */
  async list(kind) {
    const items = [];
    let cursor;
    for (let page = 0; page < MOST_PAGES; page++) {
      const reply = await this.request(LISTS[kind], cursor === undefined ? {} : { cursor });
      const result = findMember(reply, 'result');
      const list = result === undefined ? undefined : findMember(result, kind);
      if (list === undefined) return undefined;
      items.push(...splitElements(list));
      const next = findMember(result, 'nextCursor');
      if (next === undefined || next === 'null') return items;
      cursor = decode(next);
    }
    throw new Error(`${LISTS[kind]} has more than ${MOST_PAGES} pages`);
  }

  /** All lists, read until they no longer change: some servers add tools when they have met their client. */
  async listAll(isDone = () => true) {
    const limit = performance.now() + STEADY_LIMIT_MS;
    let last = '';
    while (performance.now() < limit) {
      const lists = {};
      for (const kind of Object.keys(LISTS)) lists[kind] = await this.list(kind);
      const now = JSON.stringify(lists);
      if (now === last && isDone(lists)) return lists;
      last = now;
      await sleep(STEADY_MS);
    }
    return JSON.parse(last);
  }

  /** Ends stdin, then, after a while, the whole group. */
  async close() {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.kill(), GRACE_MS);
    await this.#exit;
    clearTimeout(timer);
    this.kill();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  /** Ends the whole group at once. */
  kill() {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It has gone meanwhile.
    }
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #receive(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#partial.push(chunk.subarray(start, end));
      this.#take(Buffer.concat(this.#partial).toString('latin1'));
      this.#partial = [];
      start = end + 1;
    }
    this.#partial.push(chunk.subarray(start));
  }

  #take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // Some servers print greetings.
    }
    if (message.method !== undefined) {
      if (message.id !== undefined) this.#reply(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id);
    clearTimeout(waiting.timer);
    waiting.resolve(line);
  }

  #reply({ id, method }) {
    const answers = { 'roots/list': { roots: [{ uri: this.#root, name: 'work' }] }, ping: {} };
    const refusal = { error: { code: -32601, message: 'Method not found' } };
    const outcome = method in answers ? { result: answers[method] } : refusal;
    this.#send({ jsonrpc: '2.0', id, ...outcome });
  }

  #fail(reason) {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error(reason));
    }
    this.#waiting.clear();
  }
}
