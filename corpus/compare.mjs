/** Compares what one server offers and answers directly with what comes through the aggregator, byte for byte but for the names. */
import { decode, LISTS } from './line-client.mjs';
import { findMember, replaceMember } from './spans.mjs';

const SHOWN = 160;
/** Lists whose items carry a name that gets the prefix. */
const PREFIXED = new Set(['tools', 'prompts']);

function shorten(text) {
  return text === undefined ? 'nothing' : text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** What differs first, with a little of its surroundings. */
function showDifference(direct = '', through = '') {
  let at = 0;
  while (at < direct.length && direct[at] === through[at]) at += 1;
  const start = Math.max(0, at - SHOWN / 4);
  return `at ${at}: ${shorten(direct.slice(start))} <> ${shorten(through.slice(start))}`;
}

/** The item as the server wrote it, if its name is the server's own behind the prefix; else undefined. */
function takePrefix(item, prefix) {
  const name = decode(findMember(item, 'name'));
  if (!name.startsWith(prefix)) return undefined;
  const own = Buffer.from(JSON.stringify(name.slice(prefix.length))).toString('latin1');
  return replaceMember(item, 'name', own);
}

/** Brings a name to one spelling, since the same string may be escaped in many ways. */
function respell(item) {
  return takePrefix(item, '') ?? item;
}

/** @returns {string[]} the differences, in sentences */
export function compareLists(direct, through, prefix) {
  const differences = [];
  for (const kind of Object.keys(LISTS)) {
    // A server without a list and one with an empty list look the same behind an aggregator.
    const before = (direct[kind] ?? []).map((item) => (PREFIXED.has(kind) ? respell(item) : item));
    const after = (through[kind] ?? []).map((item) =>
      PREFIXED.has(kind) ? (takePrefix(item, prefix) ?? item) : item,
    );
    if (before.length !== after.length) {
      differences.push(`${kind}: ${before.length} directly, ${after.length} through the aggregator`);
    }
    for (const [index, item] of before.entries()) {
      if (item !== after[index]) {
        differences.push(`${kind}[${index}] ${showDifference(item, after[index])}`);
        break;
      }
    }
  }
  return differences;
}

/** The items of one server among those of many. */
export function pickOwn(lists, direct, key) {
  const own = {};
  for (const kind of Object.keys(LISTS)) {
    const mark = PREFIXED.has(kind) ? 'name' : kind === 'resources' ? 'uri' : 'uriTemplate';
    const prefix = PREFIXED.has(kind) ? `${key}:` : '';
    const wanted = new Set((direct[kind] ?? []).map((item) => prefix + decode(findMember(item, mark))));
    own[kind] = (lists[kind] ?? []).filter((item) => wanted.has(decode(findMember(item, mark))));
  }
  return own;
}

function fillArguments(prompt) {
  const args = (prompt.arguments ?? []).filter(({ required }) => required).map(({ name }) => [name, '1']);
  return Object.fromEntries(args);
}

/** One use of each kind of thing the server offers, by what it does: method, params, and where the name stands. */
export function chooseUses(lists, call) {
  const uses = [];
  if (call !== undefined) uses.push({ method: 'tools/call', params: call });
  const prompt = lists.prompts?.[0];
  if (prompt !== undefined) {
    const { name, ...rest } = decode(prompt);
    uses.push({ method: 'prompts/get', params: { name, arguments: fillArguments(rest) } });
  }
  const resource = lists.resources?.[0];
  if (resource !== undefined) {
    uses.push({ method: 'resources/read', params: { uri: decode(resource).uri } });
  }
  const template = lists.resourceTemplates?.[0];
  if (template !== undefined) {
    const uri = decode(template).uriTemplate.replaceAll(/\{[^}]*\}/g, '1');
    uses.push({ method: 'resources/read', params: { uri } });
  }
  return uses;
}

/** The bytes of the outcome, result or error. */
export async function use(client, { method, params }, prefix = '') {
  const named = 'name' in params ? { ...params, name: prefix + params.name } : params;
  const reply = await client.request(method, named);
  return findMember(reply, 'result') ?? findMember(reply, 'error');
}

/** @returns {string[]} the differences, in sentences */
export function compareOutcomes(uses, direct, through) {
  return uses.flatMap(({ method, params }, index) =>
    direct[index] === through[index]
      ? []
      : [`${method} ${params.name ?? params.uri} ${showDifference(direct[index], through[index])}`],
  );
}

/** Whether an outcome says that it did not work, which is as good for comparing but worth knowing. */
export function isRefusal(outcome) {
  return findMember(outcome, 'isError') === 'true' || findMember(outcome, 'code') !== undefined;
}
