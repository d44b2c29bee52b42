import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { constraintWords } from '../../../src/describe/docs-page/field-list.ts';

const ROWS: readonly (readonly [schema: JsonObject, words: string])[] = [
  [{}, ''],
  [{ minLength: 1 }, 'at least 1 character'],
  [{ minLength: 1, maxLength: 200 }, '1 to 200 characters'],
  [{ maxItems: 20, uniqueItems: true }, 'at most 20 items, no item twice'],
  [{ minimum: -90, maximum: 90 }, '-90 to 90'],
  [{ exclusiveMinimum: 0 }, 'greater than 0'],
  [{ enum: ['EUR', 'USD', ''], default: 'EUR' }, 'one of EUR, USD, "", default EUR'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, 'one of a, b'],
  [{ 'x-precision': 12, 'x-scale': 2 }, 'digits in all: 12, digits after the point: 2'],
  [{ pattern: '^<b>$' }, 'matches ^&lt;b&gt;$'],
];

describe('what a value has to fulfill', () => {
  for (const [schema, words] of ROWS) {
    it(`is in words: ${JSON.stringify(schema)}`, () => {
      const text = constraintWords(schema)
        .map((part) => part.text)
        .join('');
      assert.equal(text.replaceAll(/<\/?code>/g, '').replaceAll('&quot;', '"'), words);
    });
  }
});
