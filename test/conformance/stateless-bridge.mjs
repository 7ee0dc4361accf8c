/**
 * Offers a stdio command of the stateless era as an HTTP endpoint: one process for all requests, each under an id of its
 * own. Copies messages; besides ids it may change the prefix of tool and prompt names. Understands no method.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { addPrefix, isLocal, readBody, stripPrefix } from './bridge.mjs';

const KEY = 'io.modelcontextprotocol/';
const GRACE_MS = 5_000;
/** What HTTP says to an error; all others are in the body of a success. */
const STATUSES = new Map([
  [-32_601, 404],
  [-32_602, 400],
  [-32_020, 400],
  [-32_021, 400],
  [-32_022, 400],
]);

class Process {
  #child;
  #prefix;
  /** Open exchanges by the id that the process knows; a Map keeps them in order of arrival. */
  #open = new Map();
  #lastId = 0;

  constructor({ command, args, prefix = '', env = process.env }) {
    this.#prefix = prefix;
    this.#child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdin.on('error', () => {});
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(JSON.parse(line)));
  }

  /** Gives the process a request and leaves the exchange open until it is answered. */
  post(message, response) {
    const sentId = ++this.#lastId;
    if (this.#prefix !== '') addPrefix(message, this.#prefix);
    const token = message.params?._meta?.progressToken;
    this.#open.set(sentId, { id: message.id, response, token });
    response.on('close', () => {
      if (!this.#open.delete(sentId)) return;
      this.#write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: sentId } });
    });
    this.#write({ ...message, id: sentId });
  }

  async end() {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MS);
    this.#child.stdin.end();
    await gone;
    clearTimeout(timer);
  }

  #receive(message) {
    if (message.method !== undefined) this.#relay(message);
    else if (this.#open.has(message.id)) this.#answer(message);
  }

  #answer(message) {
    const { id, response } = this.#open.get(message.id);
    this.#open.delete(message.id);
    const meta = message.result?._meta;
    if (meta?.[`${KEY}subscriptionId`] !== undefined) meta[`${KEY}subscriptionId`] = id;
    if (this.#prefix !== '') stripPrefix(message, this.#prefix);
    const status = STATUSES.get(message.error?.code);
    if (status === undefined || response.headersSent) this.#send(response, { ...message, id });
    else
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .write(JSON.stringify({ ...message, id }));
    response.end();
  }

  /** By the subscription or the progress that it is of; the newest request is the best guess there is for the rest. */
  #relay(message) {
    const { _meta: meta, progressToken } = message.params ?? {};
    const tag = meta?.[`${KEY}subscriptionId`];
    const all = [...this.#open.values()];
    const exchange =
      this.#open.get(tag) ??
      all.find(({ token }) => token !== undefined && token === progressToken) ??
      all.at(-1);
    if (exchange === undefined) return;
    if (tag !== undefined) meta[`${KEY}subscriptionId`] = exchange.id;
    this.#send(exchange.response, message);
  }

  #send(response, message) {
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  #write(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

function refuse(response, status, code, text, id = null) {
  const error = { jsonrpc: '2.0', id, error: { code, message: text } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

/** Whether a header says otherwise than the body; the version must be in both. */
function differs(headers, { method, params = {} }) {
  const claimed = params._meta?.[`${KEY}protocolVersion`];
  if (claimed !== undefined && headers['mcp-protocol-version'] !== claimed) return true;
  const name = params.name ?? params.uri ?? params.taskId;
  // Methods that are no more have a task too, and need not name it.
  return headers['mcp-method'] !== method || (headers['mcp-name'] ?? params.taskId) !== name;
}

/**
 * Starts the endpoint on a free port. `prefix` stands before every tool and prompt name on the process's side only.
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startStatelessBridge(launch) {
  const shared = new Process(launch);
  const server = createServer((request, response) => {
    const handle = async () => {
      if (!isLocal(request)) return refuse(response, 403, -32_000, 'Only local clients are served');
      if (request.method !== 'POST') return refuse(response, 405, -32_000, 'Method not allowed');
      const message = JSON.parse(await readBody(request));
      if (message.id === undefined) return response.writeHead(202).end();
      if (differs(request.headers, message))
        return refuse(response, 400, -32_020, 'The header differs from the body', message.id);
      return shared.post(message, response);
    };
    handle().catch((error) => refuse(response, 400, -32_700, error.message));
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${server.address().port}/mcp`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await shared.end();
    },
  };
}
