/** What the official suite expects of the extension for tasks: the tools that become tasks, and the requests about these. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { elicit } from './asking.mjs';
import { text } from './offers.mjs';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

export const extensions = { [EXTENSION]: {} };

function say(value) {
  return { content: [text(value)] };
}

/** By name: what is asked before the work, and the work itself. */
export const TASK_TOOLS = {
  slow_compute: {
    canBeWaitedFor: true,
    inputSchema: {
      type: 'object',
      properties: { seconds: { type: 'number' }, label: { type: 'string' } },
      required: ['seconds'],
    },
    work: async ({ seconds, label }, { signal }) => {
      // It does not keep a server running that nobody speaks to any more.
      await sleep(seconds * 1000, undefined, { signal, ref: false });
      return say(`Computed ${label} in ${seconds} s`);
    },
  },
  failing_job: { work: () => ({ ...say('The job failed'), isError: true }) },
  protocol_error_job: {
    work: () => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The job broke off');
    },
  },
  confirm_delete: {
    questions: { confirmation: elicit('Delete it?', 'confirm') },
    work: ({ filename }, { answers }) => say(`${filename}: ${JSON.stringify(answers.confirmation)}`),
  },
  multi_input: {
    questions: {
      first: elicit('What is the first name?', 'name'),
      second: elicit('And the second?', 'name'),
    },
    work: (_args, { answers }) => say(JSON.stringify(answers)),
  },
};

const TERMINAL = new Set(['completed', 'failed', 'cancelled']);

class Task {
  #answers = {};
  #abort = new AbortController();
  #work;
  /** What every message about it says. */
  #base;
  /** What only some of them say: what it waits for, or has come to. */
  #more = {};

  constructor({ questions = {}, work }, args = {}) {
    const at = new Date().toISOString();
    this.#work = () => work(args, { answers: this.#answers, signal: this.#abort.signal });
    const times = { createdAt: at, lastUpdatedAt: at, ttlMs: 300_000, pollIntervalMs: 100 };
    this.#base = { taskId: randomUUID(), status: 'input_required', ...times };
    this.#wait(questions);
  }

  get base() {
    return this.#base;
  }

  get details() {
    return { ...this.#base, ...this.#more };
  }

  /** Takes answers to what is open, and ignores others. */
  answer(responses) {
    if (this.#base.status !== 'input_required') return;
    const all = Object.entries(this.#more.inputRequests);
    const isAnswered = ([name]) => Object.hasOwn(responses, name);
    for (const [name] of all.filter(isAnswered)) this.#answers[name] = responses[name];
    this.#wait(Object.fromEntries(all.filter((one) => !isAnswered(one))));
  }

  cancel() {
    if (TERMINAL.has(this.#base.status)) return;
    this.#move('cancelled');
    this.#abort.abort();
  }

  /** Goes on when there is nothing to wait for. */
  #wait(inputRequests) {
    if (Object.keys(inputRequests).length > 0) this.#move('input_required', { inputRequests });
    else void this.#run();
  }

  async #run() {
    this.#move('working');
    try {
      const result = await this.#work();
      if (this.#base.status === 'working') this.#move('completed', { result });
    } catch ({ code, message }) {
      if (this.#base.status === 'working') this.#move('failed', { error: { code, message } });
    }
  }

  #move(status, more = {}) {
    this.#base = { ...this.#base, status, lastUpdatedAt: new Date().toISOString() };
    this.#more = more;
  }
}

/** Of all clients: which one asks is not known in this era. */
const tasks = new Map();

function knowsTasks({ mcpReq: { envelope } }) {
  return envelope?.[CAPABILITIES_KEY]?.extensions?.[EXTENSION] !== undefined;
}

export function requireTasks(context) {
  if (!knowsTasks(context))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions } });
}

/** The answer to a call that goes on as a task. */
export function begin(tool, args) {
  const task = new Task(tool, args);
  tasks.set(task.base.taskId, task);
  return { resultType: 'task', ...task.base };
}

/** Calls a tool as a task, or waits for it where the client knows no tasks. */
export function callAsTask(tool, args, context) {
  if (tool.canBeWaitedFor && !knowsTasks(context)) return tool.work(args, context.mcpReq);
  requireTasks(context);
  return begin(tool, args);
}

function find({ taskId }, context) {
  requireTasks(context);
  const task = tasks.get(taskId);
  if (task === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown task: ${taskId}`);
  return task;
}

/** By method; each is given the params and the context. */
const HANDLERS = {
  'tasks/get': (params, context) => find(params, context).details,
  'tasks/update': (params, context) => {
    // The SDK takes the answers out of the params of every request.
    find(params, context).answer(context.mcpReq.inputResponses ?? {});
    return {};
  },
  'tasks/cancel': (params, context) => {
    find(params, context).cancel();
    return {};
  },
};

/** The SDK takes requests of extensions only with a schema, and checks the params with it. */
const ANY = { '~standard': { version: 1, vendor: 'conformance', validate: (value) => ({ value }) } };

export function serveTasks(server) {
  for (const [method, handler] of Object.entries(HANDLERS))
    server.setRequestHandler(method, { params: ANY, result: ANY }, handler);
}
