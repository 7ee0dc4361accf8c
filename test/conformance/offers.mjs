/** What the official suite expects a server to have: its fixture tools, prompts and resources, for servers of either era. */
import { setTimeout as sleep } from 'node:timers/promises';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const STEP_MS = 50;
const NO_INPUT = { type: 'object', properties: {} };

export function text(value) {
  return { type: 'text', text: value };
}

function image() {
  return { type: 'image', data: PNG, mimeType: 'image/png' };
}

function embed(uri, mimeType, value) {
  return { type: 'resource', resource: { uri, mimeType, text: value } };
}

function inputOf(name, description) {
  return { type: 'object', properties: { [name]: { type: 'string', description } }, required: [name] };
}

const DEFAULTS = {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: {
    type: 'string',
    description: 'User status',
    enum: ['active', 'inactive', 'pending'],
    default: 'active',
  },
  verified: { type: 'boolean', description: 'Verification status', default: true },
};

const OPTIONS = ['option1', 'option2', 'option3'];
const TITLED = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
  { const: 'value3', title: 'Third' },
];
const ENUMS = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: TITLED },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: TITLED } },
};

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

async function log({ sendNotification }) {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    await sleep(STEP_MS);
  }
  return [text('Tool with logging executed successfully')];
}

async function advance({ sendNotification, _meta }) {
  const progressToken = _meta?.progressToken ?? 0;
  for (const progress of [0, 50, 100]) {
    const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
    await sendNotification({ method: 'notifications/progress', params });
    await sleep(STEP_MS);
  }
  return [text(String(progressToken))];
}

async function sample({ sendRequest }, { prompt }) {
  const messages = [{ role: 'user', content: text(prompt) }];
  const request = { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } };
  const { content } = await sendRequest(request);
  return [text(`LLM response: ${content.text}`)];
}

async function elicit({ sendRequest }, message, properties, required = []) {
  const requestedSchema = { type: 'object', properties, required };
  const request = { method: 'elicitation/create', params: { message, requestedSchema } };
  const { action, content } = await sendRequest(request);
  return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)];
}

/** By name: what the list says, and what a call does with what its server lends it and its own arguments. */
export const TOOLS = {
  greet: {
    inputSchema: inputOf('name', 'Whom to greet'),
    run: (_extra, { name }) => [text(`Hello, ${name}!`)],
  },
  test_simple_text: { run: () => [text('This is a simple text response for testing.')] },
  test_image_content: { run: () => [image()] },
  test_audio_content: { run: () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    run: () => [embed('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    run: () => [
      text('Multiple content types test:'),
      image(),
      embed('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_tool_with_logging: { run: log },
  test_tool_with_progress: { run: advance },
  test_error_handling: {
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  test_sampling: { inputSchema: inputOf('prompt', 'The prompt to send to the LLM'), run: sample },
  test_elicitation: {
    inputSchema: inputOf('message', 'The message to show the user'),
    run: (extra, { message }) =>
      elicit(extra, message, { response: { type: 'string', description: "User's response" } }, ['response']),
  },
  test_elicitation_sep1034_defaults: { run: (extra) => elicit(extra, 'Please review the fields', DEFAULTS) },
  test_elicitation_sep1330_enums: { run: (extra) => elicit(extra, 'Please select options', ENUMS) },
  json_schema_2020_12_tool: {
    inputSchema: SCHEMA_2020_12,
    run: (_extra, args) => [text(`Called with: ${JSON.stringify(args)}`)],
  },
};

export const RESOURCES = {
  'test://static-text': {
    name: 'static-text',
    description: 'A static text resource for testing',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': {
    name: 'static-binary',
    description: 'A static binary resource (image) for testing',
    mimeType: 'image/png',
    blob: PNG,
  },
  'test://watched-resource': {
    name: 'watched-resource',
    description: 'A resource that can be subscribed to',
    mimeType: 'text/plain',
    text: 'Watched resource content',
  },
};
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

/** By name: what the list says, and the contents of the messages for the given arguments. */
export const PROMPTS = {
  test_simple_prompt: {
    description: 'A simple prompt without arguments',
    write: () => [text('This is a simple prompt for testing.')],
  },
  test_prompt_with_arguments: {
    description: 'A prompt with required arguments',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, description: 'A test argument', required: true })),
    write: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: 'A prompt that includes an embedded resource',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    write: ({ resourceUri }) => [
      embed(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    description: 'A prompt that includes image content',
    write: () => [image(), text('Please analyze the image above.')],
  },
};

export const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};
export function describeTool([name, { inputSchema = NO_INPUT }]) {
  return { name, description: `Tests ${name.replaceAll('_', ' ')}`, inputSchema };
}

export function describeResource([uri, { name, description, mimeType }]) {
  return { uri, name, description, mimeType };
}

export function describeTemplate() {
  const description = 'A resource template with parameter substitution';
  return {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description,
    mimeType: 'application/json',
  };
}

export function describePrompt([name, { description, arguments: args }]) {
  return { name, description, arguments: args };
}

/** Undefined when there is no such resource. */
export function read(uri) {
  const id = TEMPLATE.exec(uri)?.[1];
  if (id !== undefined) {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text: data }] };
  }
  if (!Object.hasOwn(RESOURCES, uri)) return undefined;
  const { mimeType, text: value, blob } = RESOURCES[uri];
  return { contents: [{ uri, mimeType, ...(blob === undefined ? { text: value } : { blob }) }] };
}

export function getPrompt({ write }, args = {}) {
  return { messages: write(args).map((content) => ({ role: 'user', content })) };
}

/** A tool that fails says so in its result. */
export async function call({ run }, extra, args = {}) {
  try {
    return { content: await run(extra, args) };
  } catch (error) {
    return { content: [text(error.message)], isError: true };
  }
}
