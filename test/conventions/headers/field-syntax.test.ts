import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QUOTED_STRING, TOKEN, unescapeQuoted } from '../../../src/conventions/headers/field-syntax.ts';

describe('TOKEN', () => {
  const token = new RegExp(`^${TOKEN}$`);

  it('[NEG-1] is visible ASCII but for the delimiters of RFC 9110 5.6.2', () => {
    const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
    const delimiters = '"(),/:;<=>?@[\\]{}';
    const wanted = characters.filter((character) => /[!-~]/.test(character) && !delimiters.includes(character));
    assert.deepEqual(
      characters.filter((character) => token.test(character)),
      wanted,
    );
  });
});

describe('QUOTED_STRING', () => {
  const quoted = new RegExp(`^${QUOTED_STRING}$`);
  const rows = [
    ['""', ''],
    ['"a, b;c=d"', 'a, b;c=d'],
    ['"a\tb é"', 'a\tb é'],
    ['"\\"a\\\\"', '"a\\'],
    ['"\\a"', 'a'],
  ] as const;
  for (const [text, value] of rows) {
    it(`[NEG-1] parses ${text}`, () => assert.equal(unescapeQuoted(quoted.exec(text)?.[1] ?? assert.fail()), value));
  }

  for (const text of ['a', '"', '"a', '"a"b"', '"a\\"', '"a\u0000"', '"a\n"', '"a\u007f"']) {
    it(`[NEG-1] rejects ${JSON.stringify(text)}`, () => assert.equal(quoted.test(text), false));
  }
});
