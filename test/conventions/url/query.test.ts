import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { MAX_PARAMETERS, parseQuery, splitList, writeQuery } from '../../../src/conventions/url/query.ts';
import { throwsApiError } from '../throws-api-error.ts';

type Pair = readonly [name: string, value: string];

describe('parseQuery', () => {
  const rows: readonly (readonly [raw: string, parameters: readonly Pair[]])[] = [
    ['', []],
    [
      'a=1&b=2&a=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    [
      'a=1+2&b=1%202&c+d=1',
      [
        ['a', '1 2'],
        ['b', '1 2'],
        ['c d', '1'],
      ],
    ],
    ['a=1%2B2', [['a', '1+2']]],
    [
      'a=b=c&d==',
      [
        ['a', 'b=c'],
        ['d', '='],
      ],
    ],
    [
      'a&b=',
      [
        ['a', ''],
        ['b', ''],
      ],
    ],
    [
      '&a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['=1', [['', '1']]],
    [
      'price[gte]=10&price%5Blt%5D=20&tags[]=x&only[x]',
      [
        ['price[gte]', '10'],
        ['price[lt]', '20'],
        ['tags[]', 'x'],
        ['only[x]', ''],
      ],
    ],
    ['a=%26%3D%2526', [['a', '&=%26']]],
    ['q=caf%C3%A9', [['q', 'café']]],
  ];
  for (const [raw, parameters] of rows) {
    it(`[URL-5] reads "${raw}"`, () => {
      assert.deepEqual(
        parseQuery(raw).map(({ name, value }) => [name, value]),
        parameters,
      );
    });
  }

  const refused = ['a=%', 'a=%g0', '%zz=1', 'a=%ff', 'a=%00', 'a=b c', 'a=é', 'a="b"', 'a=[1]', 'a[x]=1&b=]', 'a=b#c'];
  for (const raw of refused) {
    it(`[URL-4] rejects "${raw}"`, () => {
      const { message } = throwsApiError(() => parseQuery(raw), 'REQUEST_URI_INVALID');
      assert.match(message, /send|encode|leave/);
    });
  }

  it('accepts the maximum number of parameters and no more', () => {
    const query = (count: number) => Array.from({ length: count }, () => 'a=1').join('&');
    assert.equal(parseQuery(query(MAX_PARAMETERS)).length, MAX_PARAMETERS);
    throwsApiError(() => parseQuery(query(MAX_PARAMETERS + 1)), 'REQUEST_URI_INVALID');
  });
});

describe('splitList', () => {
  it('[URL-5] splits on commas before it decodes, so that %2C is data', () => {
    assert.deepEqual(splitList('a,b%2Cc,+d,%20'), ['a', 'b,c', ' d', ' ']);
    assert.deepEqual(splitList('a'), ['a']);
    assert.deepEqual(splitList(',a,'), ['', 'a', '']);
    assert.deepEqual(splitList(''), ['']);
  });

  it('[URL-4] rejects a bad escape in an item', () => {
    throwsApiError(() => splitList('a,%C3'), 'REQUEST_URI_INVALID');
  });
});

describe('writeQuery', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((made) => !made.includes('\0'));

  it('[URL-9] percent-encodes all data, and joins lists with a comma', () => {
    assert.equal(
      writeQuery([
        ['price[gte]', '1 + 2'],
        ['status[in]', ['a,b', 'é']],
        ['sort', ["-name's", '*']],
      ]),
      'price%5Bgte%5D=1%20%2B%202&status%5Bin%5D=a%2Cb,%C3%A9&sort=-name%27s,%2A',
    );
    assert.equal(writeQuery([]), '');
  });

  it('[URL-5] is parsed back to the same names and values', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        assert.deepEqual(
          parseQuery(writeQuery(pairs)).map(({ name, value }) => [name, value]),
          pairs,
        );
      }),
    );
  });

  it('[URL-5] is parsed back to the same lists', () => {
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 5 }), (name, items) => {
        const [parameter] = parseQuery(writeQuery([[name, items]]));
        assert.deepEqual(splitList(parameter?.raw ?? ''), items);
      }),
    );
  });
});
