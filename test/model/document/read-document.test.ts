import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDocument } from '../../../src/model/document/read-document.ts';

function readText(
  text: string,
  file = 'model.yaml',
  env: Record<string, string> = {},
): ReturnType<typeof readDocument> {
  return readDocument({ file, text, env });
}

function causes(text: string, file?: string): readonly string[] {
  return readText(text, file).problems.map(({ line, column, cause }) => `${line}:${column} ${cause}`);
}

describe('readDocument', () => {
  it('locates each member and item by line and column, and a missing one by its closest ancestor', () => {
    const { locate } = readText('a:\n  b: 1\n  list:\n    - x\n    - { c: 2 }\n');
    assert.deepEqual(locate(['a', 'b']), { line: 2, column: 3 });
    assert.deepEqual(locate(['a', 'list', 1]), { line: 5, column: 7 });
    assert.deepEqual(locate(['a', 'list', 1, 'c']), { line: 5, column: 9 });
    assert.deepEqual(locate(['a', 'missing', 'deeper']), { line: 1, column: 1 });
    assert.deepEqual(locate([]), { line: 1, column: 1 });
  });

  it('parses JSON like YAML, with tabs and byte order mark', () => {
    const json = readText('\uFEFF{\n\t"name": "shop",\n\t"list": [1, 2.5, true, null]\n}\n', 'model.json');
    assert.deepEqual(json.value, { name: 'shop', list: [1, 2.5, true, null] });
    assert.deepEqual(json.value, readText('name: shop\nlist: [1, 2.5, true, null]\n').value);
    assert.deepEqual(json.locate(['list']), { line: 3, column: 2 });
  });

  it('keeps keys as written and dates as strings', () => {
    const { value } = readText('1.4: a\n2.0.0: b\n"null": c\nsince: 2026-06-01\n');
    assert.deepEqual(value, { 1.4: 'a', '2.0.0': 'b', null: 'c', since: '2026-06-01' });
  });

  it('replaces ${NAME} by the environment variable, in values only', () => {
    const { value, problems } = readText(
      'secret: ${KEY}\nurl: "https://${HOST}/${HOST}"\n"${KEY}": $KEY\n',
      'model.yaml',
      {
        KEY: 'k',
        HOST: 'h',
      },
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(value, { secret: 'k', url: 'https://h/h', '${KEY}': '$KEY' });
  });

  it('reports every unset variable with its position', () => {
    const { problems } = readText('a: ${ONE}\nb: [x, "${TWO}"]\n');
    assert.deepEqual(
      problems.map(({ line, path, cause }) => [line, path, cause]),
      [
        [1, 'a', 'the environment variable ONE is not set'],
        [2, 'b[1]', 'the environment variable TWO is not set'],
      ],
    );
  });

  it('does not read a name of Object.prototype as a variable', () => {
    assert.equal(readText('a: ${constructor}\n').problems.length, 1);
  });

  it('expands aliases and keeps their positions', () => {
    const { value, locate } = readText('a: &one\n  b: 1\nc: *one\n');
    assert.deepEqual(value, { a: { b: 1 }, c: { b: 1 } });
    assert.deepEqual(locate(['c']), { line: 3, column: 1 });
  });

  const levels = Array.from(
    { length: 12 },
    (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`,
  );
  const unreadable: readonly (readonly [title: string, text: string, cause: RegExp])[] = [
    ['aliases that expand exponentially', `l0: &l0 x\n${levels.join('\n')}`, /too many values/],
    ['an alias that contains itself', 'a: &a [*a]', /nested too deep/],
    ['an alias without an anchor', 'a: *nothing', /nothing/],
    ['deep nesting', `a: ${'['.repeat(70)}${']'.repeat(70)}`, /nested too deep/],
    ['very deep nesting that never closes', '['.repeat(100_000), /nested too deeply/],
    ['very deep nesting that is closed', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, /nested too deeply/],
    ['very deep sequences', '- '.repeat(50_000), /nested too deeply/],
    ['a document over 16 MiB', `a: ${'x'.repeat(16 * 1024 * 1024)}`, /longer than 16 MiB/],
    ['two documents', 'a: 1\n---\nb: 2\n', /multiple documents/],
    ['an unknown tag', 'a: !thing 1\n', /Unresolved tag/],
    ['a list as a key', '? [a]\n: 1\n', /the key is not a valid name/],
    ['the key __proto__', '__proto__: { a: 1 }\n', /the key is not a valid name/],
    ['a number that JSON does not have', 'a: .inf\n', /not valid in JSON/],
    ['an integer that would lose digits', 'a: 9223372036854775807\n', /outside the safe range of 2\^53-1/],
  ];
  for (const [title, text, cause] of unreadable) {
    it(`rejects ${title}`, () => assert.match(causes(text)[0] ?? '', cause));
  }

  for (const text of [
    '['.repeat(5_000),
    `${'{a: '.repeat(5_000)}${'}'.repeat(5_000)}`,
    '- '.repeat(5_000),
    `a: ${'['.repeat(70)}${']'.repeat(70)}`,
    'a: &a [*a]',
    `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  ]) {
    it(`names the place and the limit of nesting, and nothing else: ${text.slice(0, 20)}`, () => {
      const [problem, ...others] = readText(text, text.startsWith('{"') ? 'model.json' : 'model.yaml').problems;
      assert.equal(problem?.cause, 'the document is nested too deeply');
      assert.equal(problem.fix, 'use at most 64 levels');
      assert.ok(problem.line === 1 && problem.column >= 1);
      assert.deepEqual(others, []);
    });
  }

  it('rejects keys that are different in YAML and one name in JSON', () => {
    assert.deepEqual(causes('1: a\n"1": b\n'), ['2:1 the document is not valid YAML: Map keys must be unique']);
  });

  it('reports every syntax error with its position', () => {
    assert.deepEqual(causes('a: 1\na: 2\nb: 3\nb: 4\n'), [
      '2:1 the document is not valid YAML: Map keys must be unique',
      '4:1 the document is not valid YAML: Map keys must be unique',
    ]);
  });

  it('rejects in JSON what it rejects in YAML, at the same positions', () => {
    const nested = (depth: number): string => `${'[\n'.repeat(depth)}${']'.repeat(depth)}`;
    const texts = [
      '{\n  "a": 1,\n  "a": 2\n}',
      '{\n  "a:b": ":\\":",\n  "c": {"d": 1, "d": 1}\n}',
      '{\n  "a": 9223372036854775807\n}',
      '{\n  "a": 1e999\n}',
      '{\n  "__proto__": 1\n}',
      '{\n  "a": "${UNSET}"\n}',
      nested(70),
    ];
    for (const text of texts) {
      assert.equal(causes(text, 'model.json').length, 1, text.slice(0, 50));
      assert.deepEqual(causes(text, 'model.json'), causes(text), text.slice(0, 50));
    }
    assert.match(causes(nested(50_000), 'model.json')[0] ?? '', /nested too deeply/);
    assert.deepEqual(causes('{\n  "a:b": ":\\":",\n  "c": {"d": {":": ""}}\n}', 'model.json'), []);
  });

  const foreign: readonly (readonly [title: string, text: string, position: string])[] = [
    ['a trailing comma', '{\n  "a": 1,\n}', '3:1'],
    ['a bare word', '{\n  "a": tru\n}', '2:8'],
    ['single quotes', '{\n  "a": \'x\'\n}', '2:8'],
    ['block style', 'a: 1', '1:1'],
  ];
  for (const [title, text, position] of foreign) {
    it(`requires JSON in a .json file: ${title}`, () => {
      assert.deepEqual(causes(text, 'model.json'), [`${position} the document is not valid JSON`]);
      assert.deepEqual(causes(text), []);
    });
  }
});
