import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../../src/conventions/errors.ts';
import { searchCondition, splitWords } from '../../../src/plan/filter/search.ts';

const TEXTS: readonly (readonly [text: string, words: readonly string[]])[] = [
  ['Red shoe, size 42', ['red', 'shoe', 'size', '42']],
  ["l'été d'Ünal", ['l', 'ete', 'd', 'unal']],
  ['snake_case kebab-case a.b@c', ['snake', 'case', 'kebab', 'case', 'a', 'b', 'c']],
  ['Crème Bru\u0302le\u0301e', ['creme', 'brulee']],
  ['Straße STRASSE ẞ', ['strasse', 'strasse', 'ss']],
  ['İstanbul ISTANBUL ıstanbul i\u0307', ['istanbul', 'istanbul', 'istanbul', 'i']],
  ['ΟΔΟΣ οδος Ὀδός', ['οδοσ', 'οδοσ', 'οδοσ']],
  ['Ёлка Йод', ['елка', 'иод']],
  ['ø Đ ł', ['ø', 'đ', 'ł']],
  ['漢字かな 한국어', ['漢字かな', '한국어']],
  ['ガ カ\u3099 カ', ['ガ', 'ガ', 'カ']],
  ['हिन्दी ภาษาไทย', ['हिन्दी', 'ภาษาไทย']],
  ['שָׁלוֹם مُحَمَّد', ['שלום', 'محمد']],
  ['٣ ४ ５ ² Ⅷ ½', ['٣', '४', '５', '²', 'ⅷ', '½']],
  ['👍🏽 1️⃣ 🇳🇴x', ['1', 'x']],
  ['\u0301 \u0301a', ['a']],
  ['"OR" NEAR(a b) col:x* -y', ['or', 'near', 'a', 'b', 'col', 'x', 'y']],
  ['a\u0000b\u00adc\u200dd', ['a', 'b', 'c', 'd']],
  ['', []],
];

function refused(text: string): string {
  try {
    searchCondition(text);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    const [detail, ...others] = error.details;
    assert.deepEqual([error.code, detail?.field, others], ['QUERY_FILTER_INVALID', 'q', []]);
    return detail?.message ?? '';
  }
  throw new assert.AssertionError({ message: `${text} was read` });
}

describe('wordsOf', () => {
  for (const [text, words] of TEXTS) {
    it(`[QRY-6] are runs of letters and digits, case and accents folded: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(splitWords(text), words);
    });
  }

  it('[QRY-6] are the same in any case and Unicode normalization form, and their words are themselves', () => {
    const character = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom(...'ß ẞ ı İ Σ ς ſ é ŉ ǰ ΐ և 가 カ ゙'.split(' ')),
    );
    fc.assert(
      fc.property(fc.array(character), (characters) => {
        // The iota subscript is an accent, but a letter in upper case.
        const text = characters
          .join(' ')
          .replaceAll(/\u0345/g, '')
          .normalize('NFC');
        fc.pre(!/\u0345/.test(text.normalize('NFD')));
        const words = splitWords(text);
        for (const form of ['NFC', 'NFD'] as const) assert.deepEqual(splitWords(text.normalize(form)), words);
        assert.deepEqual(splitWords(text.toLowerCase()), words);
        assert.deepEqual(splitWords(text.toUpperCase()), words);
        assert.deepEqual(splitWords(words.join(' ')), words);
        for (const word of words) assert.match(word, /^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*$/u);
      }),
    );
  });
});

describe('searchCondition', () => {
  it('[QRY-6] has each word once', () => {
    assert.deepEqual(searchCondition(' Été ete, "RED" '), { operator: 'search', words: ['ete', 'red'] });
  });

  it('[QRY-6] needs 1 to 16 words in at most 1,000 characters; else 400', () => {
    for (const text of ['', ' ', '"*"', '👍', '\u0301']) assert.match(refused(text), /must contain a word/);
    const numbers = (count: number): string => Array.from({ length: count }, (_, index) => index).join(' ');
    assert.equal(searchCondition(numbers(16)).operator, 'search');
    assert.match(refused(numbers(17)), /at most 16 words; it has 17/);
    assert.deepEqual(searchCondition('a'.repeat(1_000)), { operator: 'search', words: ['a'.repeat(1_000)] });
    assert.match(refused('a'.repeat(1_001)), /at most 1000 characters long/);
  });
});
