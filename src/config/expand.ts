/** Puts environment variables into one text, in one pass; what it puts in is never looked at again, nor anything thrown. */

export interface Substitution {
  readonly name: string;
  readonly value: string;
}

export interface Expansion {
  /** The text with every known variable put in; a reference that cannot be resolved stays as written. */
  readonly text: string;
  /** Names of the variables that are not set and have no default, in order, each once. */
  readonly missing: readonly string[];
  /** What was put in from the environment (defaults come from the file and are not among them). */
  readonly used: readonly Substitution[];
  /** Sentences about references that no environment could resolve. */
  readonly problems: readonly string[];
}

// An optional second `$` escapes. In braces anything may stand (Windows has `ProgramFiles(x86)`); without braces
// only capitals, so that `$lower`, `$1` and `$(…)` in a shell text stay as they are.
const REFERENCE = /\$(\$?)(?:\{([^}]+)\}|([A-Z_][A-Z0-9_]*))/g;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const EDITOR_REFERENCE = /^([A-Za-z]+):([A-Za-z_][A-Za-z0-9_.-]*)$/;
/** What editors put in themselves, without a prefix. */
const EDITOR_NAME = /^(?:userHome|workspaceFolder\w*|workspaceRoot|pathSeparator|file\w*)$/;
const DEFAULT_MARK = ':-';

export function expandText(text: string, env: NodeJS.ProcessEnv): Expansion {
  const missing = new Set<string>();
  const used: Substitution[] = [];
  const problems = new Set<string>();

  const resolve = (whole: string, escape: string, braced: string | undefined, plain: string): string => {
    if (escape !== '') return whole.slice(1);
    const { name, fallback } = splitReference(braced ?? plain);
    const value = lookUp(env, name);
    // The reference ended at the first "}", so the rest of the default would be left standing behind the value.
    if (fallback?.includes('${')) {
      problems.add('a default cannot hold another "${…}": write a plain text after ":-"');
      return whole;
    }
    // Set but empty is set: Claude Code reads the same file this way.
    if (value !== undefined) {
      used.push({ name, value });
      return value;
    }
    if (!IDENTIFIER.test(name)) problems.add(describeReference(name));
    else if (fallback !== undefined) return fallback;
    else if (EDITOR_NAME.test(name)) problems.add(describeEditorName(name));
    else missing.add(name);
    return whole;
  };

  const expanded = text.replace(REFERENCE, resolve);
  return { text: expanded, missing: [...missing], used, problems: [...problems] };
}

function splitReference(reference: string): { name: string; fallback: string | undefined } {
  const mark = reference.indexOf(DEFAULT_MARK);
  if (mark < 0) return { name: reference, fallback: undefined };
  return { name: reference.slice(0, mark), fallback: reference.slice(mark + DEFAULT_MARK.length) };
}

function lookUp(env: NodeJS.ProcessEnv, name: string): string | undefined {
  // Own properties only: `${constructor}` must not find what every object inherits.
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

function describeReference(name: string): string {
  const [, prefix, rest] = EDITOR_REFERENCE.exec(name) ?? [];
  if (prefix === 'env') return `"\${env:${rest}}" is not understood: write "\${${rest}}"`;
  if (prefix !== undefined) return describeEditorName(`${prefix}:…`);
  // Not quoted: what stands in the braces may be a secret that was pasted there.
  return 'the text in "${…}" is not a variable name: write "${NAME}", or "$${…}" to keep it as it is';
}

function describeEditorName(name: string): string {
  return `"\${${name}}" is an editor's own variable: write the value, or "\${NAME}" for an environment variable`;
}
