import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { START } from '../support/api-under-test.ts';
import { taggedProduct } from '../support/product-with-etag.ts';

const at = (milliseconds: number): string => new Date(milliseconds).toUTCString();

/**
 * Values of each field for a row that was changed at START, and whether the condition is true; null without a
 * condition.
 */
const IF_MATCH = { '{tag}': true, '"0", {tag}': true, '*': true, '"0"': false, 'W/{tag}': false } as const;
const IF_UNMODIFIED_SINCE = { [at(START)]: true, [at(START - 1_000)]: false, yesterday: null } as const;
const IF_NONE_MATCH = { '"0"': true, '{tag}': false, 'W/"0", W/{tag}': false, '*': false } as const;
const IF_MODIFIED_SINCE = {
  [at(START - 1_000)]: true,
  [at(START)]: false,
  'Mon, 30 Feb 2026 00:00:00 GMT': null,
} as const;

interface Case {
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the field is absent. */
  readonly match: boolean | undefined;
  readonly unmodified: boolean | null | undefined;
  readonly noneMatch: boolean | undefined;
  readonly modified: boolean | null | undefined;
}

/** Every combination of the four fields. */
function* combinations(): Generator<Case> {
  for (const [ifMatch, match] of orAbsent(IF_MATCH))
    for (const [since, unmodified] of orAbsent(IF_UNMODIFIED_SINCE))
      for (const [ifNoneMatch, noneMatch] of orAbsent(IF_NONE_MATCH))
        for (const [ifModified, modified] of orAbsent(IF_MODIFIED_SINCE)) {
          const named = {
            'If-Match': ifMatch,
            'If-Unmodified-Since': since,
            'If-None-Match': ifNoneMatch,
            'If-Modified-Since': ifModified,
          };
          const sent = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
          yield { headers: Object.fromEntries(sent), match, unmodified, noneMatch, modified };
        }
}

function orAbsent<V>(values: Readonly<Record<string, V>>): readonly (readonly [string | null, V | undefined])[] {
  return [[null, undefined], ...Object.entries(values)];
}

/** The five steps of RFC 9110 13.2.2. */
function verdict({ match, unmodified, noneMatch, modified }: Case, isRead: boolean): 'perform' | 304 | 412 {
  if (match === false) return 412;
  if (match === undefined && unmodified === false) return 412;
  if (noneMatch === false) return isRead ? 304 : 412;
  if (isRead && noneMatch === undefined && modified === false) return 304;
  return 'perform';
}

describe('combined preconditions', () => {
  const methods = [
    { send: 'GET {path}', done: 200, body: undefined, isRead: true },
    { send: 'HEAD {path}', done: 200, body: undefined, isRead: true },
    { send: 'GET {path}?fields=name', done: 200, body: undefined, isRead: true },
    // A write without a change leaves the row unchanged for the next combination.
    { send: 'PUT {path}', done: 200, body: { name: 'Lamp', price: '5' }, isRead: false },
    { send: 'PATCH {path}', done: 200, body: {}, isRead: false },
    { send: 'DELETE {path}?dry_run=true', done: 200, body: undefined, isRead: false },
  ] as const;
  for (const { send, done, body, isRead } of methods) {
    it(`[CACHE-3] are evaluated in the order of RFC 9110 13.2.2, in every combination: ${send}`, async () => {
      const { shop, path } = await taggedProduct();
      await using _ = shop;
      shop.clock.advance(60_000);
      const target = send.replace('{path}', path);
      const tag = (await shop.send({ send: target.replace(/^\S+/, 'GET').replace('?dry_run=true', '') })).headers.get(
        'etag',
      );
      let judged = 0;
      for (const each of combinations()) {
        const headers = Object.fromEntries(
          Object.entries(each.headers).map(([name, value]) => [name, value.replaceAll('{tag}', tag ?? '')]),
        );
        const wanted = verdict(each, isRead);
        const { status } = await shop.send({ send: target, headers, body });
        assert.equal(status, wanted === 'perform' ? done : wanted, JSON.stringify(headers));
        judged += 1;
      }
      assert.equal(judged, 6 * 4 * 5 * 4);
      assert.deepEqual(await shop.newEvents(), []);
    });
  }
});
