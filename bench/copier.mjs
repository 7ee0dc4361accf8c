/** Copies bytes between its client and one child (`copier.mjs [--group] COMMAND [ARGS…]`). Looks at none of them. */
import { spawn } from 'node:child_process';

const ownGroup = process.argv[2] === '--group';
const [command, ...args] = process.argv.slice(ownGroup ? 3 : 2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: ownGroup });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on('error', (error) => {
  process.stderr.write(`Cannot start "${command}": ${error.message}\n`);
  process.exitCode = 1;
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
  process.stdin.destroy();
});
