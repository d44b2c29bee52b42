import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  matchesStrongly,
  matchesWeakly,
  parseETagList,
  parseRevision,
  strongETag,
} from '../../../src/conventions/headers/etag.ts';
import { throwsApiError } from '../throws-api-error.ts';

describe('strongETag', () => {
  it('[CACHE-1] begins with the revision', () => assert.equal(strongETag(1042, 'k3f9'), '"1042.k3f9"'));

  it('[CACHE-1] is parsed back to its revision', () => {
    const law = fc.property(fc.maxSafeNat(), fc.stringMatching(/^[A-Za-z0-9_-]*$/), (revision, variant) => {
      const list = parseETagList(strongETag(revision, variant), 'If-Match');
      assert.ok(list !== '*');
      assert.deepEqual(list.map(parseRevision), [revision]);
    });
    fc.assert(law);
  });
});

describe('parseETagList', () => {
  const strong = (opaque: string) => ({ weak: false, opaque });
  const weak = (opaque: string) => ({ weak: true, opaque });
  const rows = [
    ['*', '*'],
    [' * ', '*'],
    ['"1042"', [strong('1042')]],
    ['W/"1042"', [weak('1042')]],
    ['"a", W/"b" ,\t"c"', [strong('a'), weak('b'), strong('c')]],
    ['"a,b", "c"', [strong('a,b'), strong('c')]],
    [', "a",, "b",', [strong('a'), strong('b')]],
    ['""', [strong('')]],
    ['"a\\"', [strong('a\\')]],
    ['"é"', [strong('é')]],
  ] as const;
  for (const [text, list] of rows) {
    it(`[CACHE-2] parses ${text}`, () => assert.deepEqual(parseETagList(text, 'If-None-Match'), list));
  }

  it('[LIM-1] reads a value in linear time: in quadratic time this would take a minute', () => {
    const blanks = '\t '.repeat(100_000);
    throwsApiError(() => parseETagList(`"a",${blanks}x`, 'If-Match'), 'REQUEST_HEADER_INVALID');
    throwsApiError(() => parseETagList(`"a"${blanks}x`, 'If-Match'), 'REQUEST_HEADER_INVALID');
    assert.deepEqual(parseETagList(`${blanks}"a"${blanks}${', '.repeat(100_000)}`, 'If-Match'), [strong('a')]);
  });

  for (const text of [
    '',
    ' ',
    ',',
    '1042',
    '"a',
    'a"',
    '"a" "b"',
    '"a b"',
    'w/"a"',
    'W/ "a"',
    'W/a',
    '*, "a"',
    '"a", *',
    '"a";',
  ]) {
    it(`[CACHE-3] rejects ${JSON.stringify(text)} and names the field`, () =>
      assert.equal(
        throwsApiError(() => parseETagList(text, 'If-Match'), 'REQUEST_HEADER_INVALID').details[0]?.field,
        'If-Match',
      ));
  }
});

describe('comparison', () => {
  // The table of RFC 9110 8.8.3.2.
  const rows = [
    ['W/"1"', 'W/"1"', false, true],
    ['W/"1"', 'W/"2"', false, false],
    ['W/"1"', '"1"', false, true],
    ['"1"', 'W/"1"', false, true],
    ['"1"', '"1"', true, true],
    ['"2", "1"', '"1"', true, true],
    ['*', '"1"', true, true],
  ] as const;
  for (const [list, tag, strongly, weakly] of rows) {
    it(`[CACHE-2] compares ${list} with ${tag}: strongly ${strongly}, weakly ${weakly}`, () => {
      assert.equal(matchesStrongly(parseETagList(list, 'If-Match'), tag), strongly);
      assert.equal(matchesWeakly(parseETagList(list, 'If-None-Match'), tag), weakly);
    });
  }
});

describe('revisionOf', () => {
  const rows = [
    ['1042', 1042],
    ['1042.k3f9', 1042],
    ['0', 0],
    ['1042.', 1042],
    ['9007199254740991.x', Number.MAX_SAFE_INTEGER],
    ['9007199254740992.x', null],
    ['01042', null],
    ['1042k3f9', null],
    ['1e3', null],
    ['-1', null],
    ['.k3f9', null],
    ['', null],
    ['abc', null],
  ] as const;
  for (const [opaque, revision] of rows) {
    it(`[CACHE-3] finds ${revision} in "${opaque}"`, () =>
      assert.equal(parseRevision({ weak: false, opaque }), revision));
  }
});
