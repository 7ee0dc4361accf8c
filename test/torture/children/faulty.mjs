/** A server that commits one fault at one moment: its arguments are its name, the fault and the moment. Otherwise it is good. */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { readLines, send, write } from '../../fixtures/lines.mjs';

const [name, fault, moment] = process.argv.slice(2);
const stayAlive = () => setInterval(() => {}, 1e6);
const die = (signal) => process.kill(process.pid, signal);
const shout = (fd, bytes) => write(fd, Buffer.alloc(bytes, `${'loud '.repeat(30)}\n`));

/** Starts something that lives on with these of our descriptors, then goes. */
function leave(stdio) {
  const rest = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio });
  rest.on('spawn', () => process.exit(9));
}

const faults = {
  'exit 0': () => process.exit(0),
  'exit 1': () => process.exit(1),
  'exit 255': () => process.exit(255),
  SIGKILL: () => die('SIGKILL'),
  SIGSEGV: () => die('SIGSEGV'),
  SIGABRT: () => process.abort(),
  SIGTERM: () => die('SIGTERM'),
  throw: () => {
    throw new Error('thrown');
  },
  'closed stdout': () => {
    closeSync(1);
    stayAlive();
  },
  'closed pipes': () => {
    for (const fd of [1, 2]) closeSync(fd);
    process.stdin.destroy();
    stayAlive();
  },
  'grandchild with all pipes': () => leave('inherit'),
  'grandchild with stdout': () => leave(['ignore', 'inherit', 'ignore']),
  'half a line': () => {
    write(1, '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"te');
    process.exit(3);
  },
  'invalid UTF-8 at the end': () => {
    write(1, Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0xc3]));
    process.exit(3);
  },
  'flood of nonsense': () => {
    shout(1, 1_000_000);
    process.exit(4);
  },
  'flood of stderr': () => {
    shout(2, 3_000_000);
    process.exit(5);
  },
  'forged answers': () => {
    for (let id = 1e6; id < 1e6 + 2000; id += 1)
      send(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"forged":true}}`);
    process.exit(6);
  },
  'spin, deaf to SIGTERM': () => {
    process.on('SIGTERM', () => {});
    for (;;);
  },
  'stopped process': () => die('SIGSTOP'),
  'silence, deaf to everything': () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
    process.stdin.removeAllListeners('end');
    process.stdin.pause();
    stayAlive();
  },
};

function reply({ method, params }) {
  const serverInfo = { name, version: '1' };
  const { protocolVersion } = params ?? {};
  if (method === 'initialize') return { protocolVersion, capabilities: { tools: {} }, serverInfo };
  if (method === 'tools/list') return { tools: [{ name: 'work', inputSchema: { type: 'object' } }] };
  return method === 'tools/call' ? { content: [{ type: 'text', text: name }] } : {};
}

function receive(line) {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  const isCall = message.method === 'tools/call';
  if (moment === 'at start' || (moment === 'in mid-call' && isCall)) {
    faults[fault]();
    return;
  }
  send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: reply(message) }));
  // The call is answered: from here on it owes nothing.
  if (moment === 'idle' && isCall) setImmediate(() => faults[fault]());
}

readLines(receive, () => (moment === 'during shutdown' ? faults[fault]() : process.exit(0)));
