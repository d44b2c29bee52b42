import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isProvedLinear } from '../../../src/model/values/backtracking.ts';
import { compileLinear } from '../../../src/model/values/linear-engine.ts';
import { compilePattern, patternProblem } from '../../../src/model/values/pattern.ts';
import { itemsDocument, listProblems } from '../loading.ts';
import { store } from '../validating.ts';
import { runs } from '../../extent.ts';

/** Milliseconds of processor time that a function takes. */
function processorTime(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('patterns without catastrophic backtracking', () => {
  const proved = [
    '^[A-Z]{2}$',
    '^[a-z0-9-]+$',
    String.raw`^\+?\d{7,15}$`,
    '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
    String.raw`^(?=.*[A-Z])(?=.*\d)(?=.*[^\w]).{12,}$`,
    '^(?!admin)[a-z]+$',
    '^(?!-)[a-z0-9-]{1,63}(?<!-)$',
    String.raw`^([A-Z]{2})-\1$`,
    '^(?<year>[0-9]{4})(?:-[0-9]{2})?$',
  ];
  for (const pattern of proved) {
    it(`[LIM-1] ${pattern} is proved linear and matched by V8`, () => assert.equal(isProvedLinear(pattern), true));
  }

  const unproved = [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^([a-z]+-?)+$',
    '^(x+x+)+y$',
    '^[a-z]*[a-z]*[a-z]*x$',
    String.raw`\d+$`,
    '.*a.*b.*c$',
    '^(a?){30}a{30}$',
    String.raw`^\w+([-+.]\w+)*@\w+([-.]\w+)*\.\w+([-.]\w+)*$`,
    '[a-q][^u-z]{13}x',
    '(.*a){20}b',
  ];
  for (const pattern of unproved) {
    it(`[LIM-1] ${pattern} takes linear time`, () => {
      assert.equal(isProvedLinear(pattern), false);
      const compiled = compilePattern(pattern);
      assert.ok(compiled !== null);
      for (const text of ['a', 'x', 'ab', '1', 'a-'].map((part) => `${part.repeat(200_000)}!`)) {
        assert.ok(processorTime(() => compiled.test(text)) < 500);
      }
    });
  }

  const refused = [
    '^(?=[a-z])(a+)+$',
    String.raw`^(a+)+\1$`,
    '^(?=(a+)+$)',
    '^[a-z]*(?=.*x)',
    '^(?:(?!.*x)a)+$',
    '^(?<a>a+)+[^]*$(?<!b)',
    '^(a|a)*(?i:b)$',
  ];
  for (const pattern of refused) {
    it(`[LIM-1] the model error of ${pattern} names the pattern`, () => {
      const problems = listProblems(itemsDocument(`a: { type: string, pattern: '${pattern}' }`));
      assert.equal(problems.length, 1);
      assert.match(problems[0]?.path ?? '', /a\.pattern$/);
      assert.ok(problems[0]?.cause.includes(pattern));
      assert.match(problems[0]?.fix ?? '', /look-around/);
      const ids = listProblems(itemsDocument('a: { type: string }', `id: { client: '${pattern}' }`));
      assert.ok(ids.some(({ cause }) => cause.includes(pattern)));
    });
  }

  it('[LIM-1] the detector takes a bounded time', () => {
    const costly = ['[a-z]{1000}x', '^(?:a{1000}){1000}$', '^([a-z]{0,500}){3}$', String.raw`^(\p{L}+[ \p{N}]*)+$`];
    for (const pattern of costly) assert.ok(processorTime(() => patternProblem(pattern)) < 2000, pattern);
  });

  it('[LIM-1] a pattern does not run on a value that its length refuses', () => {
    const errors = store('{ type: string, maxLength: 3, pattern: "^[a-z]+$" }', 'ABCD');
    assert.deepEqual(errors, ['a: must be at most 3 characters']);
    assert.deepEqual(store('{ type: string, minLength: 3, pattern: "^[a-z]+$" }', '😀😀'), [
      'a: must be at least 3 characters',
    ]);
    assert.deepEqual(store('{ type: string, maxLength: 3, pattern: "^[a-z]+$" }', '😀😀😀'), [
      'a: must match the pattern ^[a-z]+$',
    ]);
  });
});

describe('the linear engine', () => {
  const texts = [
    '',
    'a',
    'ab',
    'A',
    '-',
    '[',
    ']',
    '^',
    ' ',
    '\n',
    '\r',
    '\u2028',
    '\u00a0',
    '\ufeff',
    '😀',
    'é',
    '\b',
    '\0',
    'a\nb',
  ];
  const escapes = String.raw`\s \S \d \D \w \W \n \t \v \f \r \0 \cJ \x41 \u0041 \u{1F600} \uD83D\uDE00 \- \/ \. \[ \] \\ \p{L} \P{L} \p{Lu}`;
  const atoms = [...escapes.split(' ').filter((text) => text !== String.raw`\-`), 'a', 'b', 'é', '😀', '.', '-'];
  const members = fc
    .array(fc.constantFrom(...escapes.split(' '), 'a-z', '[', '^', '(?=', '.', '😀', String.raw`\b`), { maxLength: 4 })
    .chain((parts) => fc.constantFrom(`[${parts.join('')}]`, `[^${parts.join('')}]`));
  const atom = fc.oneof(
    fc.constantFrom(...atoms),
    members,
    fc.constantFrom('(a|b)', '(?:a|.)', '(?<n>[ab])', String.raw`\b`),
  );
  const part = fc
    .tuple(atom, fc.constantFrom('', '', '+', '*', '?', '{2}', '{1,2}', '*?'))
    .map((pair) => pair.join(''));
  const pattern = fc
    .tuple(fc.constantFrom('', '^'), fc.array(part, { maxLength: 4 }), fc.constantFrom('', '$'))
    // V8 does not find /[^a]$/u in an astral character.
    .map(([start, parts, end]) => `${end === '' ? start : '^'}${parts.join('')}${end}`);

  it('[LIM-1] matches the same texts as V8', () => {
    const text = fc.array(fc.constantFrom(...texts), { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, samples) => {
        const expression = parse(source);
        fc.pre(expression !== null);
        const linear = compileLinear(source);
        assert.ok(linear !== null, source);
        for (const sample of samples)
          assert.equal(linear.test(sample), expression.test(sample), JSON.stringify(sample));
      }),
      { numRuns: runs(300, 4_000), seed: 23 },
    );
  });

  function parse(source: string): RegExp | null {
    try {
      return new RegExp(source, 'u');
    } catch {
      return null;
    }
  }
});
