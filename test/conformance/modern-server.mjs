/** The stdio server that the official suite expects, of the stateless era: on SDK 2.x, with tools that ask for input. */
import { createHmac, randomBytes } from 'node:crypto';
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ASKING_PROMPTS, ASKING_TOOLS } from './asking.mjs';
import {
  call,
  capabilities,
  describePrompt,
  describeResource,
  describeTemplate,
  describeTool,
  getPrompt,
  PROMPTS,
  read,
  RESOURCES,
  text,
  TOOLS,
} from './offers.mjs';
import { begin, callAsTask, extensions, requireTasks, serveTasks, TASK_TOOLS } from './tasks.mjs';

const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
const secret = randomBytes(16);

/** Nobody else can have made it. */
function sign(state) {
  return `${state}.${createHmac('sha256', secret).update(state).digest('hex')}`;
}

const KINDS = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** The round that a state is of; a state that is not signed by this server is refused. */
function readRound(state) {
  const [round = '0'] = state?.split('.') ?? [];
  if (state !== undefined && state !== sign(round))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The state is not one of this server');
  return Number(round);
}

function isAnswer(value, { method }) {
  if (typeof value !== 'object' || value === null) return false;
  return method !== 'elicitation/create' || typeof value.action === 'string';
}

/** The questions of the round that are still open; undefined when all is known. */
function ask({ rounds, hasState }, { mcpReq: { inputResponses: answers = {}, envelope, requestState } }) {
  const round = readRound(requestState());
  const declared = envelope?.[CAPABILITIES_KEY] ?? {};
  const questions = Object.entries(rounds[round] ?? {}).filter(([, { method }]) => KINDS[method] in declared);
  const isAnswered = questions.every(([name, question]) => isAnswer(answers[name], question));
  const next = isAnswered ? round + 1 : round;
  if (isAnswered && (rounds[next] === undefined || questions.length === 0)) return undefined;
  const inputRequests = isAnswered ? rounds[next] : Object.fromEntries(questions);
  return {
    resultType: 'input_required',
    inputRequests,
    ...(hasState && { requestState: sign(String(next)) }),
  };
}

/** What a tool that asks says in the end are the answers; as a task, if it is one. */
function askAndTell(tool, context) {
  if (tool.isTask) requireTasks(context);
  const question = ask(tool, context);
  if (question !== undefined) return question;
  const result = { content: [text(JSON.stringify(context.mcpReq.inputResponses))] };
  return tool.isTask ? begin({ work: () => result }) : result;
}

/** A tool that asks as servers with a handshake do: it is begun anew when there is an answer. */
async function callOnce(tool, { notify, _meta, inputResponses }, args) {
  let inputRequests;
  const sendRequest = async (asked) => {
    if (inputResponses?.asked !== undefined) return inputResponses.asked;
    inputRequests = { asked };
    throw new Error('There is no answer yet');
  };
  const result = await call(tool, { sendNotification: notify, sendRequest, _meta }, args);
  return inputRequests === undefined ? result : { resultType: 'input_required', inputRequests };
}

function createServer() {
  const server = new Server(
    { name: 'conformance-server', version: '1.0.0' },
    { capabilities: { ...capabilities, extensions } },
  );
  serveTasks(server);
  const special = {
    test_missing_capability: ({ mcpReq: { envelope } }) => {
      if (envelope?.[CAPABILITIES_KEY]?.sampling === undefined)
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      return { content: [text('The client can be asked')] };
    },
    test_logging_tool: async ({ mcpReq }) => {
      if (mcpReq.envelope?.[LEVEL_KEY] !== undefined)
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: 'Logged' } });
      return { content: [text('Done')] };
    },
    test_trigger_tool_change: async () => {
      await server.sendToolListChanged();
      return { content: [text('Changed')] };
    },
    test_trigger_prompt_change: async () => {
      await server.sendPromptListChanged();
      return { content: [text('Changed')] };
    },
  };
  const names = [...Object.keys(ASKING_TOOLS), ...Object.keys(special)];
  const described = [...Object.entries(TOOLS), ...Object.entries(TASK_TOOLS)];
  const tools = [...described, ...names.map((name) => [name, {}])].map(describeTool);
  const handlers = {
    'tools/list': () => ({ tools }),
    'tools/call': async ({ params: { name, arguments: args } }, context) => {
      if (Object.hasOwn(special, name)) return special[name](context);
      if (Object.hasOwn(TASK_TOOLS, name)) return callAsTask(TASK_TOOLS[name], args, context);
      if (Object.hasOwn(ASKING_TOOLS, name)) return askAndTell(ASKING_TOOLS[name], context);
      if (!Object.hasOwn(TOOLS, name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
      return callOnce(TOOLS[name], context.mcpReq, args);
    },
    'resources/list': () => ({ resources: Object.entries(RESOURCES).map(describeResource) }),
    'resources/templates/list': () => ({ resourceTemplates: [describeTemplate()] }),
    'resources/read': ({ params: { uri } }) => {
      const result = read(uri);
      if (result === undefined) throw new ResourceNotFoundError(uri);
      return result;
    },
    'prompts/list': () => ({
      prompts: Object.entries({ ...PROMPTS, ...ASKING_PROMPTS }).map(describePrompt),
    }),
    'prompts/get': ({ params: { name, arguments: args } }, context) => {
      const answered = { write: () => [text('Answered')] };
      if (Object.hasOwn(ASKING_PROMPTS, name))
        return ask(ASKING_PROMPTS[name], context) ?? getPrompt(answered);
      if (!Object.hasOwn(PROMPTS, name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
      return getPrompt(PROMPTS[name], args);
    },
    'completion/complete': () => ({
      completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
    }),
  };
  for (const [method, handler] of Object.entries(handlers)) server.setRequestHandler(method, handler);
  return server;
}

// A server that takes handshakes too holds to what its first request is of; this one is asked by many clients in one process.
serveStdio(createServer, { legacy: 'reject' });
