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

const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
const secret = randomBytes(16);

function elicit(message, name) {
  const requestedSchema = { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] };
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
}

function sample(question) {
  const messages = [{ role: 'user', content: text(question) }];
  return { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } };
}

const NAME = elicit('What is your name?', 'name');
const CAPITAL = sample('What is the capital of France?');
const ROOTS = { method: 'roots/list' };

/** Nobody else can have made it. */
function sign(state) {
  return `${state}.${createHmac('sha256', secret).update(state).digest('hex')}`;
}

/** By name: what is asked in each round; a state goes with it where the suite wants one. */
const ASKING = {
  test_input_required_result_elicitation: { rounds: [{ user_name: NAME }] },
  test_input_required_result_sampling: { rounds: [{ capital_question: CAPITAL }] },
  test_input_required_result_list_roots: { rounds: [{ client_roots: ROOTS }] },
  test_input_required_result_request_state: { rounds: [{ confirm: NAME }], hasState: true },
  test_input_required_result_multiple_inputs: {
    rounds: [{ user_name: NAME, greeting: CAPITAL, client_roots: ROOTS }],
    hasState: true,
  },
  test_input_required_result_multi_round: {
    rounds: [{ step1: NAME }, { step2: elicit('What is your favourite colour?', 'color') }],
    hasState: true,
  },
  test_input_required_result_tampered_state: { rounds: [{ confirm: NAME }], hasState: true },
  test_input_required_result_capabilities: { rounds: [{ user_name: NAME, capital: CAPITAL }] },
  test_streaming_elicitation: { rounds: [{ user_name: NAME }] },
};
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

function createServer() {
  const server = new Server({ name: 'conformance-server', version: '1.0.0' }, { capabilities });
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
  const names = [...Object.keys(ASKING), ...Object.keys(special)];
  const tools = [...Object.entries(TOOLS), ...names.map((name) => [name, {}])].map(describeTool);
  const description = 'A prompt that needs input';
  const asking = { test_input_required_result_prompt: { description, rounds: [{ user_context: NAME }] } };
  const handlers = {
    'tools/list': () => ({ tools }),
    'tools/call': async ({ params: { name, arguments: args } }, context) => {
      if (Object.hasOwn(special, name)) return special[name](context);
      if (Object.hasOwn(ASKING, name))
        return (
          ask(ASKING[name], context) ?? { content: [text(JSON.stringify(context.mcpReq.inputResponses))] }
        );
      if (!Object.hasOwn(TOOLS, name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
      const { notify, _meta } = context.mcpReq;
      return call(TOOLS[name], { sendNotification: notify, _meta }, args);
    },
    'resources/list': () => ({ resources: Object.entries(RESOURCES).map(describeResource) }),
    'resources/templates/list': () => ({ resourceTemplates: [describeTemplate()] }),
    'resources/read': ({ params: { uri } }) => {
      const result = read(uri);
      if (result === undefined) throw new ResourceNotFoundError(uri);
      return result;
    },
    'prompts/list': () => ({
      prompts: Object.entries({ ...PROMPTS, ...asking }).map(describePrompt),
    }),
    'prompts/get': ({ params: { name, arguments: args } }, context) => {
      const answered = { write: () => [text('Answered')] };
      if (Object.hasOwn(asking, name)) return ask(asking[name], context) ?? getPrompt(answered);
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
