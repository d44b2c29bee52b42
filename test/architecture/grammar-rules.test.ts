import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnFindings, functionNameFindings, grammarFindings, proseFindings } from './grammar-rules.ts';
import { parseSource } from './source.ts';

/** `line: message`, up to the colon, of every finding in a file of src/. */
function found(text: string): readonly string[] {
  const source = parseSource('src/a.ts', text);
  return [...grammarFindings(source), ...columnFindings(source, text)].map(
    ({ line, message }) => `${line} ${message.split(':')[0]}`,
  );
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `W${index % 10}`).join(' ');

describe('the grammar of comments', () => {
  for (const opening of ['What', 'Whether', 'Of', 'Where', 'Who', 'Whose', 'Why', 'How']) {
    it(`reports a comment that begins with ${opening}`, () => {
      const message = `a comment begins with '${opening}'`;
      assert.deepEqual(found(`/** ${opening} it is. */\nexport const a = 1;\n`), [`1 ${message}`]);
      assert.deepEqual(found(`/**\n * ${opening} it is.\n */\nexport const a = 1;\n`), [`1 ${message}`]);
      assert.deepEqual(found(`\n// ${opening} it is.\n`), [`2 ${message}`]);
    });
  }

  it('accepts a comment that begins with a verb, a noun phrase or a word that only starts with a banned one', () => {
    assert.deepEqual(found('/** Reads a row. */\n/** The row. */\n// Offsets of rows.\n// However long.\n'), []);
  });

  it('reads consecutive line comments as one', () => {
    assert.deepEqual(found('// The store is asked\n// What it has.\n'), []);
    assert.deepEqual(found('// The store is asked.\n\n// What it has.\n'), ["3 a comment begins with 'What'"]);
  });

  it('reports a sentence of more than 25 words on the line on which its paragraph begins', () => {
    assert.deepEqual(found(`/**\n * A row.\n *\n * ${words(26)}.\n */\n`), [
      "4 'W0 W1 W2 W3 W4 W5 ...' has 26 words, at most 25",
    ]);
    assert.deepEqual(found(`// ${words(13)}\n// ${words(13)}.\n`).length, 1);
  });

  it('counts sentences, tags and inline code each for itself', () => {
    assert.deepEqual(found(`/**\n * ${words(25)}.\n * ${words(25)}.\n *\n * @param a ${words(25)}\n */\n`), []);
    assert.deepEqual(found(`/** ${words(24)} \`${words(5)}\`. */\n`), []);
    assert.deepEqual(found(`/**\n * A row.\n *\n * @example\n * ${words(20)}\n * ${words(20)}\n */\n`), []);
  });
});

describe('the names of functions', () => {
  it('end in no Of', () => {
    assert.deepEqual(found('export function sizeOf() {}\nexport function proof() {}\n'), ['1 function sizeOf']);
  });

  it('stand in three files at most, declared or assigned', () => {
    const declared = ['function load() {}', 'export const load = () => 1;', 'export function load() {}'];
    const files = declared.map((text, index) => parseSource(`src/${index}.ts`, text));
    assert.deepEqual(functionNameFindings(files), []);
    const findings = functionNameFindings([...files, parseSource('src/3.ts', 'const load = function () {};')]);
    assert.deepEqual(
      findings.map(({ file }) => file),
      ['src/0.ts', 'src/1.ts', 'src/2.ts', 'src/3.ts'],
    );
  });

  it('do not count those inside of functions', () => {
    const inner = Array.from({ length: 4 }, (_, index) => parseSource(`src/${index}.ts`, '{ const load = () => 1; }'));
    assert.deepEqual(functionNameFindings(inner), []);
  });
});

describe('the columns of comments', () => {
  it('are at most 120', () => {
    assert.deepEqual(found(`// ${words(12)} ${'x'.repeat(120)}\n`), ['1 159 columns, at most 120']);
    assert.deepEqual(found(`/**\n * A row.\n * ${words(12)} ${'x'.repeat(120)}\n */\n`), [
      '3 159 columns, at most 120',
    ]);
  });

  it('are not limited for what cannot be wrapped, and for code, which the formatter wraps', () => {
    assert.deepEqual(found(`// https://${'x'.repeat(120)}\n`), []);
    assert.deepEqual(found(`export const a = '${words(50)}';\n`), []);
  });
});

describe('the sentences of pages', () => {
  it('have 25 words at most, in guides, decisions and the README', () => {
    for (const page of ['README.md', 'docs/guides/a.md', 'docs/decisions/0001-a.md', 'docs/lifecycle.md'])
      assert.deepEqual(
        proseFindings(page, `# ${words(30)}\n\n${words(26)}.\n`).map(({ line }) => line),
        [3],
        page,
      );
  });

  it('do not count in the specification, in tables and in code', () => {
    assert.deepEqual(proseFindings('docs/specification/contract.md', `${words(26)}.`), []);
    assert.deepEqual(proseFindings('README.md', `| ${words(30)} |\n\n\`\`\`sh\n${words(30)}\n\`\`\`\n`), []);
  });
});
