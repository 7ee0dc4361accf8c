/**
 * Offers a stdio command as a Streamable HTTP endpoint, one process per session, so that the official suite can speak
 * to it. Copies messages; the one thing it may change is the prefix of tool and prompt names. Understands no method.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

// Clients of the suite seldom say good-bye; without this every scenario would leave its processes running.
const IDLE_MS = 5_000;
const GRACE_MS = 5_000;
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Removes the prefix from the names of a result that lists tools or prompts. */
export function stripPrefix(message, prefix) {
  for (const kind of ['tools', 'prompts']) {
    const list = message.result?.[kind];
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      if (item.name.startsWith(prefix)) item.name = item.name.slice(prefix.length);
    }
  }
}

/** Adds the prefix to the name in a request that uses a tool or a prompt. */
export function addPrefix(message, prefix) {
  const { method, params } = message;
  if (method === 'tools/call' || method === 'prompts/get') params.name = prefix + params.name;
  if (method === 'completion/complete' && params.ref.type === 'ref/prompt') {
    params.ref.name = prefix + params.ref.name;
  }
}

/** One process and the HTTP exchanges that wait for it. */
class Session {
  #child;
  #prefix;
  #onEnd;
  /** Open POST exchanges by request id; a Map keeps them in order of arrival. */
  #waiting = new Map();
  #tokens = new Map();
  #standing;
  #unsent = [];
  #open = 0;
  #idle;

  constructor({ command, args, prefix, env }, onEnd) {
    this.#prefix = prefix;
    this.#onEnd = onEnd;
    this.#child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', () => this.#finish());
    this.#child.on('exit', () => this.#finish());
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
  }

  /** Gives the process a message and leaves the exchange open if the message expects an answer. */
  post(message, response) {
    const isRequest = message.method !== undefined && message.id !== undefined;
    if (this.#prefix !== '') addPrefix(message, this.#prefix);
    if (isRequest) {
      this.#hold(response);
      this.#waiting.set(message.id, response);
      const token = message.params?._meta?.progressToken;
      if (token !== undefined) this.#tokens.set(token, response);
      response.on('close', () => {
        if (this.#waiting.get(message.id) === response) this.#waiting.delete(message.id);
        this.#tokens.delete(token);
      });
    } else {
      response.writeHead(202).end();
    }
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Keeps an exchange open for what the process says unasked. */
  stand(response) {
    this.#hold(response);
    response.flushHeaders();
    this.#standing = response;
    response.on('close', () => {
      if (this.#standing === response) this.#standing = undefined;
    });
    for (const message of this.#unsent.splice(0)) this.#send(response, message);
  }

  async end() {
    clearTimeout(this.#idle);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MS);
    this.#child.stdin.end();
    await gone;
    clearTimeout(timer);
  }

  #hold(response) {
    clearTimeout(this.#idle);
    this.#open += 1;
    response.on('close', () => {
      this.#open -= 1;
      if (this.#open === 0) this.#idle = setTimeout(() => void this.end(), IDLE_MS);
    });
  }

  #receive(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // Some servers print greetings.
    }
    if (message.method === undefined) this.#answer(message);
    else this.#relay(message);
  }

  #answer(message) {
    if (this.#prefix !== '') stripPrefix(message, this.#prefix);
    const response = this.#waiting.get(message.id);
    if (response === undefined) return;
    this.#waiting.delete(message.id);
    this.#send(response, message);
    response.end();
  }

  /** What belongs to a request goes where its answer will go; the newest is the best guess there is. */
  #relay(message) {
    const token = message.method === 'notifications/progress' ? message.params?.progressToken : undefined;
    const response = this.#tokens.get(token) ?? [...this.#waiting.values()].at(-1) ?? this.#standing;
    if (response === undefined) this.#unsent.push(message);
    else this.#send(response, message);
  }

  #send(response, message) {
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  #finish() {
    clearTimeout(this.#idle);
    for (const response of [...this.#waiting.values(), this.#standing]) response?.end();
    this.#onEnd();
  }
}

export async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function refuse(response, status, text) {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32000, message: text } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

export function isLocal(request) {
  const { host = '', origin } = request.headers;
  return LOCAL_HOST.test(host) && (origin === undefined || LOCAL_HOST.test(new URL(origin).host));
}

function openStream(response, id) {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'mcp-session-id': id };
  response.writeHead(200, headers);
}

/**
 * Starts the endpoint on a free port. `prefix` stands before every tool and prompt name on the process's side only.
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startBridge({ command, args, prefix = '', env = process.env }) {
  const sessions = new Map();

  function begin() {
    const id = randomUUID();
    sessions.set(id, new Session({ command, args, prefix, env }, () => sessions.delete(id)));
    return id;
  }

  async function post(request, response) {
    const message = JSON.parse(await readBody(request));
    const id = message.method === 'initialize' ? begin() : request.headers['mcp-session-id'];
    const session = sessions.get(id);
    if (session === undefined) {
      refuse(response, id === undefined ? 400 : 404, 'No such session');
      return;
    }
    if (message.method !== undefined && message.id !== undefined) openStream(response, id);
    session.post(message, response);
  }

  async function handle(request, response) {
    if (!isLocal(request)) {
      refuse(response, 403, 'Only local clients are served');
      return;
    }
    if (request.method === 'POST') {
      await post(request, response);
      return;
    }
    const id = request.headers['mcp-session-id'];
    const session = sessions.get(id);
    if (session === undefined) {
      refuse(response, id === undefined ? 400 : 404, 'No such session');
    } else if (request.method === 'GET') {
      openStream(response, id);
      session.stand(response);
    } else if (request.method === 'DELETE') {
      sessions.delete(id);
      await session.end();
      response.writeHead(200).end();
    } else {
      refuse(response, 405, 'Method not allowed');
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      if (response.headersSent) response.end();
      else refuse(response, 400, error.message);
    });
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${server.address().port}/mcp`,
    close: async () => {
      server.close();
      await Promise.all([...sessions.values()].map((session) => session.end()));
      server.closeAllConnections();
    },
  };
}
