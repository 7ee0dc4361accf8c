/** Gathers what in a config must never be shown: by what it is called, and where it stands. */
import type { Substitution } from './expand.ts';

const SHORTEST_SECRET = 4;
/** Shorter values of variables whose name promises no secret are words such as "debug" or "8080". */
const SHORTEST_SUBSTITUTION = 6;

const SECRET_WORDS = 'KEY TOKEN SECRET PASS PWD CREDENTIAL AUTH PRIVATE COOKIE JWT'.split(' ');
const HARMLESS_NAMES: ReadonlySet<string> = new Set(
  [
    'HOME USER LOGNAME PATH PWD OLDPWD SHELL TERM LANG LANGUAGE TZ TMPDIR EDITOR DISPLAY HOSTNAME NODE_ENV',
    'HOMEDRIVE HOMEPATH USERNAME USERPROFILE TMP TEMP APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES',
    'PROGRAMFILES(X86) SYSTEMROOT SYSTEMDRIVE WINDIR COMPUTERNAME',
  ].flatMap((names) => names.split(' ')),
);
const HARMLESS_PREFIX = /^(?:LC|XDG)_/;
const HARMLESS_VALUE = /^(?:true|false|none|null|auto|basic|bearer|\d{1,5})$/i;
const URL_PASSWORD = /:\/\/[^\s/?#:@]*:([^\s/?#]+)@/g;
/** `--api-key=value`, `API_KEY=value` (after docker's `-e`), `Authorization: Bearer value`. */
const NAMED_VALUE = /^-{0,2}([\w-]+)[=:]\s*(.+)$/s;

export class Secrets {
  readonly values: Set<string> = new Set();

  noteSubstitution({ name, value }: Substitution): void {
    if (isHarmless(name)) return;
    if (value.length >= SHORTEST_SUBSTITUTION) this.values.add(value);
    else this.noteVariable(name, value);
  }

  noteVariable(name: string, value: string): void {
    if (isHarmless(name) || !isSecretive(name)) return;
    if (value.length >= SHORTEST_SECRET && !HARMLESS_VALUE.test(value)) this.values.add(value);
  }

  noteArguments(args: readonly string[]): void {
    for (const [index, arg] of args.entries()) {
      if (!isSecretive(arg) && !isSecretive(args[index - 1] ?? '')) continue;
      const [, name = '', value = ''] = NAMED_VALUE.exec(arg) ?? [];
      this.noteVariable(name, value.replace(/^(?:Bearer|Basic)\s+/i, ''));
      const option = args[index - 1] ?? '';
      if (/^--?[\w-]+$/.test(option) && !arg.startsWith('-')) this.noteVariable(option, arg);
    }
  }

  /** What is put into addresses: `https://user:password@…`. */
  noteAddresses(text: string): void {
    for (const [, password = ''] of text.matchAll(URL_PASSWORD)) this.#notePassword(password);
  }

  /** Both spellings: a program may show the address or what it took from it. */
  #notePassword(password: string): void {
    const spellings = [password];
    try {
      spellings.push(decodeURIComponent(password));
    } catch {
      // Not encoded, then.
    }
    for (const spelling of spellings) this.noteVariable('password', spelling);
  }
}

/** Whether what is called this, or has this in it, is likely to be secret. */
function isSecretive(name: string): boolean {
  const upper = name.toUpperCase();
  // Not one pattern: preparing it would take longer than all the rest of expanding a config.
  if (SECRET_WORDS.some((word) => upper.includes(word))) return true;
  return upper.endsWith('PAT') && /(?:^|[_-])PAT$/.test(upper);
}

function isHarmless(name: string): boolean {
  return HARMLESS_NAMES.has(name.toUpperCase()) || HARMLESS_PREFIX.test(name);
}
