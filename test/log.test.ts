import { describe, expect, it } from 'vitest';
import { Log, type LogOptions } from '../src/log.ts';
import { ManualClock } from './support/manual-clock.ts';
import * as fc from './support/properties.ts';

function open(options: Partial<LogOptions> = {}): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const log = new Log({ debug: false, write: (line) => lines.push(line), ...options });
  return { log, lines };
}

function show(text: string, secrets: string[] = []): string {
  const { log, lines } = open({ secrets });
  log.child('a', text);
  return lines.join('\n').replace('[a] ', '');
}

describe('many warnings about one server', () => {
  const prefix = 'mcp-simple-aggregator: warning:';

  it('are fifty in ten seconds, and the rest is a number', () => {
    const clock = new ManualClock();
    const { log, lines } = open({ clock });
    for (let count = 0; count < 1000; count += 1) log.warn('A line was dropped', 'a');
    expect(lines).toEqual(Array.from({ length: 50 }, () => `${prefix} [a] A line was dropped`));
    clock.advance(10_000);
    expect(lines.slice(50)).toEqual([`${prefix} [a] … 950 more lines of this kind dropped`]);
    log.warn('One more', 'a');
    expect(lines.at(-1)).toBe(`${prefix} [a] One more`);
  });

  it('hide neither its errors nor what is said of others, nor what it says itself', () => {
    const { log, lines } = open({ clock: new ManualClock() });
    for (let count = 0; count < 1000; count += 1) log.warn('A line was dropped', 'a');
    log.error('It died', 'a');
    log.warn('Another', 'b');
    log.warn('Of nobody');
    log.child('a', 'words');
    expect(lines.slice(50)).toEqual([
      'mcp-simple-aggregator: error: [a] It died',
      `${prefix} [b] Another`,
      `${prefix} Of nobody`,
      '[a] words',
    ]);
  });

  it('are bounded with --debug too', () => {
    const { log, lines } = open({ clock: new ManualClock(), debug: true });
    for (let count = 0; count < 1000; count += 1) log.debug('An answer was dropped', 'a');
    expect(lines).toHaveLength(50);
    for (let count = 0; count < 100; count += 1) log.debug('About the config');
    expect(lines).toHaveLength(150);
  });
});

describe('the log', () => {
  it('says the program, the level, the server and the text', () => {
    const { log, lines } = open();
    log.error('Config not found');
    log.warn('Tool dropped', 'files');
    expect(lines).toEqual([
      'mcp-simple-aggregator: error: Config not found',
      'mcp-simple-aggregator: warning: [files] Tool dropped',
    ]);
  });

  it('is silent about everything else unless asked', () => {
    const quiet = open();
    quiet.log.debug('Resolved "node"', 'a');
    expect(quiet.lines).toEqual([]);
    const talkative = open({ debug: true });
    talkative.log.debug('Resolved "node"', 'a');
    expect(talkative.lines).toEqual(['mcp-simple-aggregator: debug: [a] Resolved "node"']);
  });

  it("always shows a child's stderr, behind the key of its server", () => {
    const { log, lines } = open();
    log.child('files', 'listening');
    expect(lines).toEqual(['[files] listening']);
  });

  it('begins each line of a longer text like the first', () => {
    const { log, lines } = open();
    log.error('Server failed, its last words:\nno token\r\nbye\n', 'a');
    expect(lines).toEqual([
      'mcp-simple-aggregator: error: [a] Server failed, its last words:',
      'mcp-simple-aggregator: error: [a] no token',
      'mcp-simple-aggregator: error: [a] bye',
    ]);
  });
});

describe('what could disturb a terminal', () => {
  it.each([
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['cursor moves', 'a\x1b[2J\x1b[10;20Hb', 'ab'],
    ['titles', '\x1b]0;owned\x07text', 'text'],
    ['links', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['sequences in eight bits', '\x9b31mred\x9d0;t\x9c!', 'red!'],
    ['short sequences', '\x1bcreset\x1b(B', 'reset'],
  ])('is taken out: %s', (_, text, shown) => {
    expect(show(text)).toBe(shown);
  });

  it.each([
    ['a bell', 'a\x07b', 'a\\x07b'],
    ['a lone escape', 'end\x1b', 'end\\x1b'],
    ['line ends', 'a\n[other] forged', 'a\\x0a[other] forged'],
    ['a carriage return', 'a\rb', 'a\\x0db'],
    ['line separators', 'a\u2028b', 'a\\u{2028}b'],
    ['turned text', 'a\u202eb', 'a\\u{202e}b'],
    ['a tab', 'a\tb', 'a  b'],
  ])('is made visible: %s', (_, text, shown) => {
    expect(show(text)).toBe(shown);
  });

  it('is not let in by the key of a server either', () => {
    const { log, lines } = open();
    log.child('a\n[b]', 'text');
    log.warn('text', '\x1b[31m');
    expect(lines).toEqual(['[a\\x0a[b]] text', 'mcp-simple-aggregator: warning: [\\x1b[31m] text']);
  });

  it("is taken out of the program's own lines too, which quote children", () => {
    const { log, lines } = open();
    log.error('last words: \x1b[31mred\x1b[0m\x00');
    expect(lines).toEqual(['mcp-simple-aggregator: error: last words: red\\x00']);
  });

  it('never gets through, whatever is written', () => {
    const nasty = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '0',
      ';',
      'm',
      '\x07',
      '\n',
      '\x9b',
      '\x9c',
      '\u202e',
      'é',
    );
    fc.assert(
      fc.property(fc.array(nasty), (pieces) => {
        // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
        expect(show(pieces.join(''))).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
      }),
    );
  });

  it('leaves every other script and sign alone', () => {
    expect(show('Größe 日本語 🎉 👩‍💻 עברית')).toBe('Größe 日本語 🎉 👩‍💻 עברית');
  });
});

describe('a secret', () => {
  const secret = 'sk-live-1234567890';

  it('is masked in every kind of line', () => {
    const { log, lines } = open({ debug: true, secrets: [secret] });
    log.error(`e ${secret}`);
    log.warn(`w ${secret}`, 'a');
    log.debug(`d ${secret}`);
    log.child('a', `c ${secret}${secret}.`);
    expect(lines).toHaveLength(4);
    expect(lines.join('\n')).not.toContain('1234');
    expect(lines[3]).toBe('[a] c ******.');
  });

  it('may be known from the start, and is masked in texts for others', () => {
    const { log } = open({ secrets: [secret] });
    expect(log.redact(`token=${secret}&x`)).toBe('token=***&x');
    expect(log.redact('nothing here')).toBe('nothing here');
  });

  it('of several lines is masked line by line and as one', () => {
    const key = '-----BEGIN KEY-----\n  abcdefgh\r\nijklmnop\n-----END KEY-----\n';
    const { log, lines } = open({ secrets: [key] });
    log.child('a', 'abcdefgh');
    log.child('a', 'x ijklmnop y');
    log.error(`key: ${key}`);
    expect(lines).toEqual(['[a] ***', '[a] x *** y', 'mcp-simple-aggregator: error: key: ***']);
  });

  it('is masked as JSON spells it', () => {
    expect(show(JSON.stringify({ pass: 'a"b\\c\nd' }), ['a"b\\c\nd'])).toBe('{"pass":"***"}');
  });

  it('is masked without the blanks around it', () => {
    expect(show(`token ${secret}!`, [` ${secret} `])).toBe('token ***!');
  });

  it('is masked behind colours, inside it and around it', () => {
    expect(show(`\x1b[31msk-live\x1b[0m-1234567890`, [secret])).toBe('***');
    expect(show(`a\x1b[31m${secret}\x1b[0mb`, [secret])).toBe('a***b');
  });

  it('that contains an escape sequence is masked before that is taken out', () => {
    expect(show('x pass\x1b[31mword y', ['pass\x1b[31mword'])).toBe('x *** y');
  });

  it('is masked whole where it overlaps another, or contains it', () => {
    expect(show('abcdefghij', ['abcdefg', 'defghij'])).toBe('***');
    expect(show('abcdefghij', ['abcdef', 'abcdefghij'])).toBe('***');
    expect(show('abcabcabcabc.', ['abcabc'])).toBe('***.');
  });

  it('is masked where a line was cut through it', () => {
    expect(show(`env: sk-live-12 … (line cut at 8 KiB)`, [secret])).toBe('env: *** … (line cut at 8 KiB)');
    expect(show(`env: ${secret} … (line cut at 8 KiB)`, [secret])).toBe('env: *** … (line cut at 8 KiB)');
    expect(show('sk-live-12 is no secret', [secret])).toBe('sk-live-12 is no secret');
  });

  it('of fewer than four characters is not one: masking "no" would leave no log to read', () => {
    expect(show('yes no 443', ['', ' ', 'yes', '443', ' no    '])).toBe('yes no 443');
    expect(show('password p@ss', ['p@ss'])).toBe('password ***');
  });

  it('of several lines is not found by a line of fewer than six characters', () => {
    expect(show('END of line1-of-key', ['line1-of-key\nEND\n'])).toBe('END of ***');
  });

  it('is never found in what comes out, whatever surrounds it', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\'), minLength: 6, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1 }), fc.string(), (secrets, between) => {
        const shown = show(secrets.join(between), secrets);
        for (const one of secrets) expect(shown).not.toContain(one);
      }),
    );
  });
});
