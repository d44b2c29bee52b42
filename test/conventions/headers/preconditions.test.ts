import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  evaluateRead,
  evaluateWrite,
  hasWriteCondition,
  readPreconditions,
} from '../../../src/conventions/headers/preconditions.ts';
import { throwsApiError } from '../throws-api-error.ts';

const NOW = Date.UTC(2026, 10, 20);
const CHANGED = Date.UTC(2026, 10, 1, 12, 0, 30, 250);
const AT = 'Sun, 01 Nov 2026 12:00:30 GMT';
const BEFORE = 'Sun, 01 Nov 2026 12:00:29 GMT';
const AFTER = 'Sun, 01 Nov 2026 12:00:31 GMT';

type Fields = Readonly<Record<string, string>>;
const read = (fields: Fields) => readPreconditions((name) => fields[name] ?? null, NOW);

describe('readPreconditions', () => {
  it('[CACHE-3] is empty without conditions', () => {
    const none = { ifMatch: null, ifNoneMatch: null, ifModifiedSince: null, ifUnmodifiedSince: null };
    assert.deepEqual(read({}), none);
  });

  it('[CACHE-3] ignores an invalid date', () => {
    assert.deepEqual(read({ 'if-modified-since': 'yesterday', 'if-unmodified-since': '0' }), read({}));
  });

  for (const name of ['if-match', 'if-none-match']) {
    it(`[CACHE-3] rejects an invalid list of ETags in ${name}`, () =>
      assert.match(throwsApiError(() => read({ [name]: '1042' }), 'REQUEST_HEADER_INVALID').message, /double quotes/));
  }
});

describe('hasWriteCondition', () => {
  const rows: readonly (readonly [fields: Fields, has: boolean])[] = [
    [{}, false],
    [{ 'if-match': '"1"' }, true],
    [{ 'if-match': '*' }, true],
    [{ 'if-unmodified-since': AT }, true],
    [{ 'if-unmodified-since': 'yesterday' }, false],
    [{ 'if-none-match': '*' }, false],
    [{ 'if-modified-since': AT }, false],
  ];
  for (const [fields, has] of rows) {
    it(`[CACHE-3] is ${has} for ${JSON.stringify(fields)}`, () => assert.equal(hasWriteCondition(read(fields)), has));
  }
});

describe('evaluateRead', () => {
  const current = { etag: '"7.k3"', lastModified: () => ({ at: CHANGED }) };
  const rows: readonly (readonly [fields: Fields, verdict: ReturnType<typeof evaluateRead>])[] = [
    [{}, 'proceed'],
    [{ 'if-none-match': '"7.k3"' }, 'not-modified'],
    [{ 'if-none-match': 'W/"7.k3"' }, 'not-modified'],
    [{ 'if-none-match': '"1", "7.k3"' }, 'not-modified'],
    [{ 'if-none-match': '*' }, 'not-modified'],
    [{ 'if-none-match': '"7"' }, 'proceed'],
    [{ 'if-none-match': '"7.xml"' }, 'proceed'],
    [{ 'if-modified-since': AT }, 'not-modified'],
    [{ 'if-modified-since': AFTER }, 'not-modified'],
    [{ 'if-modified-since': BEFORE }, 'proceed'],
    // If-None-Match takes precedence over If-Modified-Since.
    [{ 'if-none-match': '"6"', 'if-modified-since': AFTER }, 'proceed'],
    [{ 'if-none-match': '"7.k3"', 'if-modified-since': BEFORE }, 'not-modified'],
    [{ 'if-match': '"7.k3"' }, 'proceed'],
    [{ 'if-match': '*' }, 'proceed'],
    [{ 'if-match': 'W/"7.k3"' }, 'failed'],
    [{ 'if-match': '"7"' }, 'failed'],
    [{ 'if-match': '"6"', 'if-none-match': '"7.k3"' }, 'failed'],
    [{ 'if-match': '"7.k3"', 'if-none-match': '"7.k3"' }, 'not-modified'],
    [{ 'if-unmodified-since': AT }, 'proceed'],
    [{ 'if-unmodified-since': BEFORE }, 'failed'],
    [{ 'if-match': '"7.k3"', 'if-unmodified-since': BEFORE }, 'proceed'],
    [{ 'if-unmodified-since': BEFORE, 'if-none-match': '"7.k3"' }, 'failed'],
  ];
  for (const [fields, verdict] of rows) {
    it(`[CACHE-2] evaluates ${JSON.stringify(fields)} to ${verdict}`, () =>
      assert.equal(evaluateRead(read(fields), current), verdict));
  }

  it('[CACHE-4] compares no date without Last-Modified', () => {
    const undated = { etag: '"7.k3"', lastModified: () => null };
    assert.equal(evaluateRead(read({ 'if-modified-since': AFTER }), undated), 'proceed');
    assert.equal(evaluateRead(read({ 'if-unmodified-since': BEFORE }), undated), 'proceed');
  });
});

describe('evaluateWrite', () => {
  const current = { revision: 7, updated_at: new Date(CHANGED).toISOString() };
  const rows: readonly (readonly [fields: Fields, existing: string, absent: string])[] = [
    [{}, 'proceed', 'proceed'],
    [{ 'if-match': '"7"' }, 'proceed', 'failed'],
    [{ 'if-match': '"7.k3"' }, 'proceed', 'failed'],
    [{ 'if-match': '"7.of-another-variant"' }, 'proceed', 'failed'],
    [{ 'if-match': '"6", "7"' }, 'proceed', 'failed'],
    [{ 'if-match': '*' }, 'proceed', 'failed'],
    [{ 'if-match': 'W/"7"' }, 'failed', 'failed'],
    [{ 'if-match': '"6"' }, 'failed', 'failed'],
    [{ 'if-match': '"70"' }, 'failed', 'failed'],
    [{ 'if-match': '"07"' }, 'failed', 'failed'],
    [{ 'if-match': '"abc"' }, 'failed', 'failed'],
    [{ 'if-none-match': '*' }, 'failed', 'proceed'],
    [{ 'if-none-match': '"7.k3"' }, 'failed', 'proceed'],
    [{ 'if-none-match': 'W/"7"' }, 'failed', 'proceed'],
    [{ 'if-none-match': '"6"' }, 'proceed', 'proceed'],
    [{ 'if-match': '"7"', 'if-none-match': '"7"' }, 'failed', 'failed'],
    [{ 'if-unmodified-since': AT }, 'proceed', 'proceed'],
    [{ 'if-unmodified-since': AFTER }, 'proceed', 'proceed'],
    [{ 'if-unmodified-since': BEFORE }, 'failed', 'proceed'],
    [{ 'if-match': '"7"', 'if-unmodified-since': BEFORE }, 'proceed', 'failed'],
    [{ 'if-modified-since': AFTER }, 'proceed', 'proceed'],
  ];
  for (const [fields, existing, absent] of rows) {
    it(`[CACHE-3] evaluates ${JSON.stringify(fields)} to ${existing} with a row, ${absent} without`, () => {
      assert.equal(evaluateWrite(read(fields), current), existing);
      assert.equal(evaluateWrite(read(fields), null), absent);
    });
  }
});
