/** The tools and the prompt that ask before they answer, as the official suite expects them; in either era, their servers know how. */
import { text } from './offers.mjs';

export function elicit(message, name) {
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

/** By name: what is asked in each round; a state goes with it where the suite wants one. */
export const ASKING_TOOLS = {
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
  test_tool_with_task: { rounds: [{ user_name: NAME }], isTask: true },
};

export const ASKING_PROMPTS = {
  test_input_required_result_prompt: {
    description: 'A prompt that needs input',
    rounds: [{ user_context: NAME }],
  },
};
