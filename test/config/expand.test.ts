import * as fc from '../support/properties.ts';
import { describe, expect, test } from 'vitest';

import { expandText } from '../../src/config/expand.ts';

const env = { HOME: '/home/ann', TOKEN: 'sk-1', EMPTY: '', lower: 'l', A_1: 'a', DOLLAR: '$HOME ${HOME}' };

describe('expandText', () => {
  test.each([
    ['plain text', 'plain text'],
    ['$HOME/x', '/home/ann/x'],
    ['${HOME}/x', '/home/ann/x'],
    ['${lower}', 'l'],
    ['$A_1-$A_1', 'a-a'],
    ['${A_1}${TOKEN}', 'ask-1'],
    ['$EMPTY|${EMPTY}', '|'],
    ['${NOPE:-fallback}', 'fallback'],
    ['${NOPE:-}', ''],
    ['${NOPE:-a:-b}', 'a:-b'],
    ['${NOPE:-$HOME}', '$HOME'],
    ['${TOKEN:-fallback}', 'sk-1'],
    ['${EMPTY:-fallback}', ''],
    ['$$HOME', '$HOME'],
    ['$${HOME}', '${HOME}'],
    ['$$${HOME}', '$${HOME}'],
    ['$$', '$$'],
    ['cost: 5$', 'cost: 5$'],
    ['$1 $(ls) $lower $', '$1 $(ls) $lower $'],
    ['${}', '${}'],
    ['${HOME', '${HOME'],
    ['$DOLLAR', '$HOME ${HOME}'],
  ])('turns %j into %j', (text, expected) => {
    expect(expandText(text, env)).toMatchObject({ text: expected, missing: [], problems: [] });
  });

  test('names each missing variable once, in order, and leaves the text as it was', () => {
    const text = '${B}$A${B}${C:-x}';
    expect(expandText(text, env)).toMatchObject({ text: '${B}$A${B}x', missing: ['B', 'A'] });
  });

  test('tells what came from the environment, and not what came from the file', () => {
    const { used } = expandText('${TOKEN}${NOPE:-default}$HOME', env);
    expect(used).toEqual([
      { name: 'TOKEN', value: 'sk-1' },
      { name: 'HOME', value: '/home/ann' },
    ]);
  });

  test('finds nothing in what every object inherits', () => {
    expect(expandText('${constructor}${__proto__}', env).missing).toEqual(['constructor', '__proto__']);
  });

  test.each([
    ['${env:TOKEN}', 'write "${TOKEN}"'],
    ['${input:secret}', "an editor's own variable"],
    ['${workspaceFolder}', "an editor's own variable"],
    ['${not a name}', 'not a variable name'],
    ['${NOPE:-${HOME}}', 'cannot hold another'],
  ])('refuses %j and says what to write', (text, advice) => {
    const { problems, text: unchanged } = expandText(text, env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(advice);
    expect(unchanged).toBe(text);
  });

  test('does not repeat what may be a secret pasted into the braces', () => {
    expect(expandText('${sk-live:hunter 2}', env).problems.join()).not.toContain('hunter');
  });

  test('takes a name with any characters if the environment has it', () => {
    expect(expandText('${ProgramFiles(x86)}', { 'ProgramFiles(x86)': 'C:\\P' }).text).toBe('C:\\P');
  });

  test('puts values in once and never looks at them again', () => {
    const value = fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', 'x') });
    fc.assert(
      fc.property(value, value, (one, other) => {
        const { text } = expandText('<${A}|$B|${A:-no}>', { A: one, B: other });
        expect(text).toBe(`<${one}|${other}|${one}>`);
      }),
    );
  });

  test('leaves every text without a reference as it is', () => {
    const harmless = fc.string({ unit: fc.constantFrom('$', '}', 'a', '1', '(', ' ', '.') });
    fc.assert(
      fc.property(harmless, (text) => {
        expect(expandText(text, {}).text).toBe(text);
      }),
    );
  });

  test('gives any text back once its references are escaped', () => {
    const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
    fc.assert(
      fc.property(name, fc.boolean(), (variable, braces) => {
        const reference = braces ? `\${${variable}}` : `$${variable}`;
        expect(expandText(`$${reference}`, { [variable]: 'wrong' }).text).toBe(reference);
      }),
    );
  });
});
