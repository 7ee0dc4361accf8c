/** Ends what our children started and left when we die without a chance to: one shell that waits for our end. Starts no server. */
import { type ChildProcess, spawn as spawnProcess, type SpawnOptions } from 'node:child_process';
import type { Socket } from 'node:net';
import { now as readClock } from '../clock.ts';

export interface WatchdogOptions {
  readonly platform: NodeJS.Platform;
  readonly env?: NodeJS.ProcessEnv;
  /** Where processes are written down besides. */
  readonly manifest?: { add(pid: number): void } | undefined;
  readonly spawn?: (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
  readonly now?: () => number;
  /** There is none, and why; at most once. */
  readonly onLost?: (what: string) => void;
}

/** In the environment of every child, with a value that no other aggregator gives. */
const MARK_VARIABLE = 'MCP_SIMPLE_AGGREGATOR_MARK';
/** Its name, without ours: whoever kills us by name must not kill it as well. */
const NAME = 'mcp-watchdog';
/** One that was ended sooner would be so again. */
const SHORTEST_LIFE_MS = 1000;
/** Another time there may be room for one. */
const PASSING: ReadonlySet<string> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * POSIX, for dash, bash and busybox alike. It reads `? mark` before a process is started, `+ group` after, `- group`
 * when nothing of it is left. The end of its input is our end, however it came: the kernel closes the pipe.
 * With a signal, "--" before a group would be an error to busybox, and "-s" without it one to dash.
 */
const SCRIPT = `
# Ends the servers of an MCP aggregator when that has died.
trap '' HUP INT TERM
groups=' ' expected= left=
while read -r sign group; do
  case $sign in
    '?') expected=$group ;;
    +) groups="$groups$group " expected= ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
# What is gone by now is not asked again: its number may belong to another a second later.
ask() { for group in $1; do kill -TERM "-$group" && left="$left $group"; done; }
# However this ends: where no other process can be started, not even one that sleeps, nobody is given time.
trap 'for group in $left; do kill -KILL "-$group"; done' EXIT
# It died while it started one: whose number nobody knows, but the mark is in its environment, and in that of all that
# it started; it may itself be gone already.
list_marked() {
  if [ -r /proc/self/environ ]; then
    for pid in $(grep -lsF "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n'); do
      read -r stat <"/proc/$pid/stat" && set -- \${stat##*) } && echo "$3"
    done
  else ps -A -E -ww -o pgid= -o command= | grep -F "$1" | while read -r group rest; do echo "$group"; done
  fi | sort -u
}
ask "$groups"
[ "$expected" ] && ask "$(list_marked "$expected")"
[ "$left" ] && sleep 1
`;

/** On Windows it does nothing: there, the system ends our direct children with us, and nobody can promise more. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #mark: string;
  readonly #groups = new Set<number>();
  #lifeline: Socket | undefined;
  #isMissing: boolean;
  #hasReported = false;
  #isClosed = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#isMissing = options.platform === 'win32';
    this.#mark = `${process.pid}.${Date.now()}`;
  }

  /** Belongs in the environment of every child. */
  get variables(): Readonly<Record<string, string>> {
    return { [MARK_VARIABLE]: this.#mark };
  }

  /** To be called right before a process is started: we may die before its number is known. */
  expect(): void {
    if (this.#lifeline === undefined) this.#start();
    this.#tell(`? ${MARK_VARIABLE}=${this.#mark}`);
  }

  /** The process that was expected is the leader of a group of its own; undefined when it could not be started. */
  add(pid: number | undefined): void {
    this.#tell(`+ ${pid ?? ''}`);
    if (pid === undefined) return;
    this.#groups.add(pid);
    this.#options.manifest?.add(pid);
  }

  /** Nothing of the group is left. */
  remove(pid: number): void {
    if (this.#groups.delete(pid)) this.#tell(`- ${pid}`);
  }

  /** The shell ends what was not removed, and itself. */
  close(): void {
    this.#isClosed = true;
    this.#lifeline?.end();
  }

  #start(): void {
    if (this.#isMissing || this.#isClosed) return;
    try {
      this.#hold(this.#spawn());
    } catch (error) {
      this.#lose((error as NodeJS.ErrnoException).code);
    }
    for (const pid of this.#groups) this.#tell(`+ ${pid}`);
  }

  #spawn(): ChildProcess {
    const { spawn = spawnProcess, env = process.env } = this.#options;
    return spawn('/bin/sh', ['-c', SCRIPT, NAME], {
      // A session of its own: what ends ours, such as a closed terminal, must not end it too.
      detached: true,
      // Of our pipes it gets none: a client waits until the last copy of its own is closed.
      stdio: ['pipe', 'ignore', 'ignore'],
      // Nor anything else that it could hold on to, or that could change what its words mean.
      cwd: '/',
      env: { PATH: ['/usr/bin:/bin', env['PATH'] || '/bin'].join(':') },
    });
  }

  #hold(shell: ChildProcess): void {
    shell.on('error', ({ code }: NodeJS.ErrnoException) => this.#lose(code));
    // Without descriptors left there is a process object, but it has no pipe.
    if (!shell.stdin) return;
    const lifeline = shell.stdin as Socket;
    this.#lifeline = lifeline;
    lifeline.on('error', () => {});
    const { now = readClock } = this.#options;
    const startedAt = now();
    shell.on('exit', () => {
      this.#lifeline = undefined;
      if (this.#isClosed) return;
      if (now() - startedAt >= SHORTEST_LIFE_MS) this.#start();
      else this.#report('it is ended from outside as soon as it is started');
    });
    shell.unref();
    lifeline.unref();
  }

  /** The line is in the pipe when this returns: Node.js tries at once, and a pipe that nobody fills takes it. */
  #tell(line: string): void {
    if (this.#lifeline?.writable === true) this.#lifeline.write(`${line}\n`);
  }

  #lose(code = 'unknown error'): void {
    this.#isMissing = !PASSING.has(code);
    this.#lifeline = undefined;
    this.#report(`"/bin/sh" cannot be started (${code})`);
  }

  #report(why: string): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#options.onLost?.(
      `No watchdog: ${why}. Servers that ignore the end of their input would outlive a crash of the aggregator`,
    );
  }
}
