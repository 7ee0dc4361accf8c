/** A raw MCP client that costs as little as possible: it finds a reply's id and leaves the rest unparsed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createEnvironment } from './environment.mjs';

const NEWLINE = 10;
const EDGE_BYTES = 96;
const TERM_AFTER_MS = 1500;
const KILL_AFTER_MS = 5000;
const HELLO =
  '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}';

/** What a client without a handshake says of itself, in each request. */
const CLAIM =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}';

/** Pids of everything started here and not yet gone, so that an interrupted run leaves nothing behind. */
const running = new Map();

export function endAll(signal = 'SIGKILL') {
  for (const child of running.values()) child.kill(signal);
}

export class Client {
  #child;
  #logFile;
  #waiting = new Map();
  #nextId = 1;
  #chunks = [];
  #ended = false;
  #exited;
  #watchers = [];
  #isModern;

  constructor({ command, args, env, cwd }, logFile, era) {
    const log = openSync(logFile, 'a');
    this.#logFile = logFile;
    this.#isModern = era === 'modern';
    this.#child = spawn(command, args, {
      stdio: ['pipe', 'pipe', log],
      env: { ...createEnvironment(process.env), ...env },
      cwd,
    });
    closeSync(log);
    this.#exited = once(this.#child, 'close').catch(() => {});
    running.set(this.#child.pid, this.#child);
    this.#child.on('error', (error) => this.#fail(error.message));
    this.#child.on('close', (code, signal) => {
      running.delete(this.#child.pid);
      this.#fail(`exited with ${signal ?? code}`);
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.on('data', (chunk) => this.#read(chunk));
  }

  get pid() {
    return this.#child.pid;
  }

  /** Sends a request whose params are JSON text already; resolves with the reply's line as a list of chunks. */
  request(method, params) {
    const id = this.#nextId++;
    if (this.#ended) return Promise.reject(new Error(this.#describe('is gone')));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const all = this.#isModern ? `{${CLAIM}${params === '{}' ? '}' : `,${params.slice(1)}`}` : params;
      this.#child.stdin.write(`{"method":"${method}","params":${all},"jsonrpc":"2.0","id":${id}}\n`);
    });
  }

  notify(method) {
    this.#child.stdin.write(`{"method":"${method}","jsonrpc":"2.0"}\n`);
  }

  async initialize() {
    if (this.#isModern) return this.request('server/discover', '{}');
    const reply = await this.request('initialize', HELLO);
    this.notify('notifications/initialized');
    return reply;
  }

  async listTools() {
    const tools = [];
    let params = '{}';
    for (;;) {
      const { result, error } = JSON.parse(Buffer.concat(await this.request('tools/list', params)));
      if (error) throw new Error(this.#describe(`answered tools/list with ${JSON.stringify(error)}`));
      tools.push(...result.tools);
      if (result.nextCursor === undefined) return tools;
      params = JSON.stringify({ cursor: result.nextCursor });
    }
  }

  async close() {
    this.#child.stdin.end();
    const timers = [
      setTimeout(() => this.#child.kill('SIGTERM'), TERM_AFTER_MS),
      setTimeout(() => this.#child.kill('SIGKILL'), KILL_AFTER_MS),
    ];
    await this.#exited;
    timers.forEach(clearTimeout);
  }

  /** Rejects what is still waiting, and all that is asked later, with this reason. */
  abandon(reason) {
    this.#fail(reason);
  }

  /** Resolves with the next notification of this method; rejects if there will be none. */
  notified(method) {
    return new Promise((resolve, reject) => {
      this.#watchers.push({ method, resolve, reject });
      if (this.#ended) this.#fail('is gone');
    });
  }

  #read(chunk) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      this.#chunks.push(chunk.subarray(start, end));
      const line = this.#chunks;
      this.#chunks = [];
      this.#deliver(line);
      start = end + 1;
    }
    if (start < chunk.length) this.#chunks.push(start === 0 ? chunk : chunk.subarray(start));
  }

  #deliver(line) {
    const id = idOf(line);
    const waiter = this.#waiting.get(id);
    if (waiter === undefined) {
      this.#announce(Buffer.concat(line));
      return;
    }
    this.#waiting.delete(id);
    waiter.resolve(line);
  }

  #announce(line) {
    const isMeant = ({ method }) => line.includes(`"${method}"`);
    for (const { resolve } of this.#watchers.filter(isMeant)) resolve();
    this.#watchers = this.#watchers.filter((watcher) => !isMeant(watcher));
  }

  #fail(reason) {
    this.#ended = true;
    const failed = [...this.#waiting.values(), ...this.#watchers];
    this.#waiting.clear();
    this.#watchers = [];
    if (failed.length === 0) return;
    const error = new Error(this.#describe(reason));
    for (const { reject } of failed) reject(error);
  }

  #describe(reason) {
    const said = readFileSync(this.#logFile, 'utf8').trim().split('\n').slice(-5).join('\n  ');
    return `${reason}${said === '' ? '' : `; it said:\n  ${said}`}`;
  }
}

function idOf(line) {
  // The last brace closes the message itself, so an id right before it can only be the message's own.
  const tail = /"id":(\d+)\}\r?$/.exec(tailOf(line));
  if (tail !== null) return Number(tail[1]);
  const head = /^\{(?:"jsonrpc":"2\.0",)?"id":(\d+),/.exec(line[0].toString('latin1', 0, EDGE_BYTES));
  if (head !== null) return Number(head[1]);
  try {
    const { id, method } = JSON.parse(Buffer.concat(line));
    return method === undefined ? id : undefined;
  } catch {
    return undefined;
  }
}

function tailOf(line) {
  const last = line.at(-1);
  if (last.length >= EDGE_BYTES || line.length === 1) {
    return last.toString('latin1', Math.max(0, last.length - EDGE_BYTES));
  }
  return Buffer.concat(line.slice(-3)).toString('latin1');
}
