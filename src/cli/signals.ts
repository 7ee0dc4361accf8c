/** The signals that a person or a client ends us with. Ends nothing itself. */

const NUMBERS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
/** As shells have it: the exit code of a program that a signal ended is this and the signal's number. */
const EXIT_CODE_BASE = 128;

export function onSignal(act: (exitCode: number) => void): void {
  for (const [signal, number] of Object.entries(NUMBERS)) {
    process.on(signal, () => act(EXIT_CODE_BASE + number));
  }
}
